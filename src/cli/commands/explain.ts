import type { Command } from '@commander-js/extra-typings';
import type { ExplainAnswer } from '../../client/api-types.ts';
import { printResult } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { readServerFlags, withServerFlags } from '../server-flags.ts';
import { askingService, service } from '../service-command.ts';
import { visibleText } from '../visible-text.ts';

/** `explain`: what `load` would start with the same words; runs nothing. */
export function explainCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<ref>', "a saved server's name, or an image")
    .usage('[options] REF [-- ARG...]')
    .option('--json', 'print JSON');
  askingService(withServerFlags(own)).action(async (ref, options) => {
    const client = await service(context, options);
    const args = context.command === undefined ? {} : { args: context.command };
    const body = { ref, ...args, ...readServerFlags(options) };
    const answer = await client.ask('POST /api/mcp/explain', { body });
    await printResult(context.terminal, options.json, answer, () => explainText(answer));
  });
}

/** The effective command line, isolation and risks, for a person. */
export function explainText(answer: ExplainAnswer): string {
  const { argv, endpoint, cwd, env, headers, isolation, risks, notes, kind, transport } = answer;
  const facts: readonly (readonly [string, string | null])[] = [
    ['kind', kind],
    ['runs', argv && argv.map(shown).join(' ')],
    ['connects to', endpoint],
    ['in', cwd],
    ['speaks', transport === 'detected' ? 'stdio or HTTP: found out when it starts' : transport],
    ['variables', env.length === 0 ? null : env.join(', ')],
    ['headers', headers.length === 0 ? null : headers.join(', ')],
  ];
  const lines = facts.flatMap(([label, text]) => (text === null ? [] : [`${label.padEnd(12)} ${visibleText(text)}`]));
  const list = (title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : ['', title, ...sentences.map(sentence => `  ${visibleText(sentence)}`)];
  return [
    ...lines,
    ...list('Isolation', isolation),
    ...list(
      'Risks',
      risks.map(risk => risk.message),
    ),
    ...list(
      'Notes',
      notes.map(note => note.message),
    ),
  ].join('\n');
}

/** One word of a command line as a shell would take it. */
function shown(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
