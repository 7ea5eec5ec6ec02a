import { homedir } from 'node:os';
import { pipeline } from 'node:stream/promises';
import type { Command } from '@commander-js/extra-typings';
import { readSettings } from '../../config/settings.ts';
import { LongshoreError } from '../../core/errors.ts';
import type { CommandContext } from '../program.ts';
import { askingService, service } from '../service-command.ts';

/**
 * `mcp`: the MCP endpoint over stdio, for clients that only start commands. Lines pass as they are; the service does the
 * rest. It ends when its client does.
 */
export function mcpCommand(command: Command, context: CommandContext): void {
  const own = command
    .requiredOption('--caller <name>', 'the client that asks: the name of its token')
    .option('--server <ref>', "only this server's tools");
  askingService(own).action(async ({ caller, server, ...options }) => {
    const { env } = context.terminal;
    const { token } = readSettings({ env, platform: process.platform, homeDir: homedir() }).settings;
    const client = await service(context, options);
    const socket = await client.stdio({
      caller,
      ...(token !== undefined && { token }),
      ...(server !== undefined && { server }),
    });
    const toService = pipeline(process.stdin, socket);
    // A client that stops reading has left, like one that stops writing.
    toService.catch(() => socket.destroy());
    await pipeline(socket, process.stdout, { end: false }).catch(() => {});
    if (process.stdin.readableEnded || process.stdin.destroyed) return;
    process.stdin.destroy();
    throw new LongshoreError(
      'connection-lost',
      'The service has stopped. Start this again: it starts the service too.',
    );
  });
}
