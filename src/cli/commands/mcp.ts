import { homedir } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import { readSettings } from '../../config/settings.ts';
import { systemClock } from '../../core/clock.ts';
import { LongshoreError } from '../../core/errors.ts';
import { bridge } from '../mcp-bridge.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/** Milliseconds that calls may still take once the client has closed its end. */
const drain = 60_000;

/**
 * `mcp`: the MCP endpoint over stdio, for clients that only start commands. Lines pass as they are; the service does the
 * rest. It ends when its client does, and outlives a restart of the service.
 */
export function mcpCommand(command: Command, context: CommandContext): void {
  const own = command
    .option('--caller <name>', 'the client that asks: the name of its token; not needed where LONGSHORE_TOKEN says it')
    .option('--server <ref>', "only this server's tools");
  askingService(own).action(async ({ caller, server, ...options }) => {
    const { env } = context.terminal;
    const { token } = readSettings({ env, platform: process.platform, homeDir: homedir() }).settings;
    if (caller === undefined && token === undefined) {
      throw new LongshoreError('usage', 'Say which client asks: --caller NAME, or its token in LONGSHORE_TOKEN.');
    }
    const as = {
      caller: caller ?? '',
      ...(token !== undefined && { token }),
      ...(server !== undefined && { server }),
    };
    await bridge({
      input: process.stdin,
      output: process.stdout,
      connect: async start => (await service(context, { ...options, start: start && options.start })).stdio(as),
      clock: systemClock,
      drain,
    });
    process.stdin.destroy();
  });
}
