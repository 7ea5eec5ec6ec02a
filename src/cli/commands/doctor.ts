import { styleText } from 'node:util';
import type { Command } from '@commander-js/extra-typings';
import type { Finding } from '../doctor/finding.ts';
import { printStyled } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { visibleText } from '../visible-text.ts';

const signs = { ok: ['ok', 'green'], warning: ['warning', 'yellow'], problem: ['problem', 'red'] } as const;

/** `doctor`: one sentence and one fixing action for each problem; exit 1 if there is one. Changes nothing. */
export function doctorCommand(command: Command, context: CommandContext): void {
  command.option('--json', 'print JSON').action(async options => {
    const { terminal } = context;
    const { examine } = await import('../doctor/examine.ts');
    const { homedir } = await import('node:os');
    const { platform, version } = process;
    const patient = { env: terminal.env, platform, homeDir: homedir(), nodeVersion: version };
    const findings = await examine(patient);
    await printStyled(terminal, options.json, findings, () =>
      findings.map(finding => findingText(finding, terminal.colour)).join('\n'),
    );
    if (findings.some(({ state }) => state === 'problem')) context.exit(1);
  });
}

function findingText({ check, state, sentence, action }: Finding, colour: boolean): string {
  const [word, paint] = signs[state];
  const sign = word.padEnd(8);
  const line = `${colour ? styleText(paint, sign, { validateStream: false }) : sign} ${check.padEnd(10)} ${visibleText(sentence)}`;
  return action === undefined ? line : `${line}\n${' '.repeat(20)}→ ${visibleText(action)}`;
}
