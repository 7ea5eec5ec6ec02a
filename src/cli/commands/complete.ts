import type { Command } from '@commander-js/extra-typings';
import { connectService } from '../../client/client.ts';
import { candidateLines } from '../completion/candidates.ts';
import { complete } from '../completion/complete.ts';
import { completionBudget, filesCandidate } from '../completion/protocol.ts';
import type { CommandContext } from '../program.ts';

/** `__complete`: what a completion script asks (completion/protocol.ts). Starts nothing, and fails silently. */
export function completeCommand(command: Command, context: CommandContext): void {
  command
    .option('--within <milliseconds>', 'for the service to answer', Number, completionBudget)
    .action(async ({ within }) => {
      const words = context.command ?? [''];
      const { terminal } = context;
      const signal = AbortSignal.timeout(within);
      const agent = agentOf(words);
      const live = () => connectService({ env: terminal.env, start: false, signal, ...(agent && { agent }) });
      const found = await complete(words, live, context);
      const typed = words.at(-1) ?? '';
      const asksForFiles = found.some(({ value }) => value === filesCandidate);
      await terminal.out((asksForFiles ? `${filesCandidate}\n` : '') + candidateLines(typed, found));
    });
}

/** Names are those of the agent that is already said. */
function agentOf(words: readonly string[]): string | undefined {
  const at = words.indexOf('--agent');
  return at >= 0 && at < words.length - 2 ? words[at + 1] : undefined;
}
