/** `longshore try` against the bare SDK client doing the same with the official everything server. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root, systemNode } from '../e2e/run-longshore.ts';
import { report, timeInTurn } from './measure.ts';

const run = promisify(execFile);
const server = ['npx', '-y', '@modelcontextprotocol/server-everything'];
const baseline = fileURLToPath(new URL('sdk-list.ts', import.meta.url));
const options = { cwd: root, maxBuffer: 1 << 26 };

const medians = await timeInTurn(
  [
    {
      name: 'bare SDK client, legacy mode',
      run: async () => void (await run(process.execPath, [baseline, ...server], options)),
    },
    {
      name: 'longshore try --json',
      run: async () => void (await run(systemNode(), ['bin/longshore.js', 'try', '--json', '--', ...server], options)),
    },
  ],
  Number(process.env['ROUNDS'] ?? 10),
);
report('try on the everything server (medians)', medians);
