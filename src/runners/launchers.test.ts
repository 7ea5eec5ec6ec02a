import { describe, expect, it } from 'vitest';
import { isPackageLauncher } from './launchers.ts';

const words = (line: string): [string, string[]] => {
  const [command = '', ...args] = line.split(' ');
  return [command, args];
};

describe('R49: isPackageLauncher', () => {
  it.each([
    'npx -y @modelcontextprotocol/server-time',
    '/usr/local/bin/npx x',
    String.raw`C:\nodejs\npx.cmd x`,
    'uvx mcp-server-time',
    'bunx x',
    'dnx x',
    'pnpx x',
    'pnpm dlx x',
    'pnpm --silent dlx x',
    'yarn dlx x',
    'npm exec x',
    'npm x -- y',
    'uv tool run x',
    'uv run server.py',
    'uv --directory /a run server.py',
    'pipx run x',
    'bun x y',
    'cmd /c npx -y x',
    'CMD.EXE /C uvx x',
  ])('%s may download first', line => {
    expect(isPackageLauncher(...words(line))).toBe(true);
  });

  it.each([
    'node server.js',
    'npm start',
    'npm run exec',
    'pnpm start dlx',
    'bun server.ts x',
    'python -m npx',
    'uv pip run',
    'my-npx x',
    'cmd /c node x',
    'cmd /c',
    'constructor x',
    '',
  ])('%s starts at once', line => {
    expect(isPackageLauncher(...words(line))).toBe(false);
  });
});
