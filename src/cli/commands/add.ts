import type { Command } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import type { AddServerRequest } from '../../client/api-types.ts';
import { LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { collect } from '../collect.ts';
import { headerPairs } from '../pairs.ts';
import { printResult, tellNotes } from '../print.ts';
import type { CommandContext } from '../program.ts';
import { readServerFlags, type ServerFlags, withServerFlags } from '../server-flags.ts';
import { askingService, service } from '../service-command.ts';

const examples = `
Examples:
  longshore add everything -- npx -y @modelcontextprotocol/server-everything
  longshore add notes --url https://example.com/mcp --header 'Authorization: Bearer \${secret:NOTES}'
  longshore add github --json '{"command":"docker","args":["run","-i","--rm","ghcr.io/github/github-mcp-server"]}'`;

/** `add`: saves a server; nothing is started before its first call. */
export function addCommand(command: Command, context: CommandContext): void {
  const own = command
    .argument('<name>', 'what to call it')
    .usage('[options] NAME -- COMMAND [ARG...]   or   add NAME --url URL   or   add NAME --json JSON')
    .option('--url <url>', 'a remote server')
    .addOption(
      new Option('--transport <transport>', 'how it is spoken to; better left out').choices([
        'stdio',
        'streamable-http',
        'sse',
      ] as const),
    )
    .option('--header <header>', "send this header to it: 'Name: value' or NAME=VALUE (may be repeated)", collect, [])
    .option('--cwd <folder>', 'its working folder')
    .option('--json [json]', 'the configuration as one JSON object; without one: print JSON');
  askingService(withServerFlags(own))
    .addHelpText('after', examples)
    .action(async (name, options) => {
      const { terminal } = context;
      const body = serverConfig(name, options, context.command);
      const client = await service(context, options);
      const answer = await client.ask('POST /api/mcp-servers', { body });
      await tellNotes(terminal, answer.notes);
      await printResult(terminal, options.json === true || undefined, answer, () => '');
      if (options.json !== true) await terminal.err(`Added ${name}. See its tools: longshore tools ${answer.server}\n`);
    });
}

/** What describes the server itself. */
export interface ConfigFlags extends ServerFlags {
  readonly url?: string | undefined;
  readonly transport?: string | undefined;
  readonly header: readonly string[];
  readonly cwd?: string | undefined;
  readonly json?: string | true | undefined;
}

/** The configuration that a command line describes, in one of its three ways. Throws `usage`. */
export function serverConfig(
  name: string,
  flags: ConfigFlags,
  command: readonly string[] | undefined,
): AddServerRequest {
  const json = typeof flags.json === 'string' ? flags.json : undefined;
  const given = [command, flags.url, json].filter(way => way !== undefined);
  if (given.length !== 1 || command?.length === 0) {
    throw new LongshoreError('usage', 'Say which server, in one way: -- COMMAND ARGS…, or --url URL, or --json JSON.');
  }
  const [program, ...args] = command ?? [];
  const { env, settings, deadlines, protocol } = readServerFlags(flags);
  const headers = headerPairs('--header', flags.header);
  const base: JsonObject = json === undefined ? {} : jsonConfig(json);
  return {
    ...base,
    name,
    ...(program !== undefined && { command: program, args }),
    ...(flags.url !== undefined && { endpoint: flags.url }),
    ...(flags.transport !== undefined && { transport: flags.transport }),
    ...(flags.cwd !== undefined && { cwd: flags.cwd }),
    ...merged('env', base, env ?? {}),
    ...merged('headers', base, headers),
    ...(deadlines && { deadlines: { ...deadlines } }),
    ...(protocol !== undefined && { protocol }),
    ...(settings && { settings: settings as JsonObject }),
  } as AddServerRequest;
}

function merged(field: string, base: JsonObject, more: Readonly<Record<string, string>>): JsonObject {
  if (Object.keys(more).length === 0) return {};
  const before = base[field];
  return { [field]: { ...(isJsonObject(before) && before), ...more } };
}

function jsonConfig(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The message below says what was expected, without repeating what may hold secrets.
  }
  throw new LongshoreError('usage', `--json takes one JSON object, such as '{"command":"npx","args":["-y","x"]}'.`);
}
