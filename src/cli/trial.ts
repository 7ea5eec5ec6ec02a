import type { MCPServerConfig } from '../config/types.ts';
import { LongshoreError } from '../core/errors.ts';
import type { Agent, LoadedServer } from '../host/agent.ts';
import { openHost } from '../host/open-host.ts';
import { duration } from './duration.ts';
import { tellFailure } from './failure.ts';
import { headerPairs, pairs } from './pairs.ts';
import { renderResult } from './render-result.ts';
import { renderTools } from './render-tools.ts';
import type { Terminal } from './terminal.ts';
import { type ArgumentSources, toolArguments } from './tool-arguments.ts';

/** What `try` was asked for. */
export interface Trial {
  readonly command: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly transport?: 'streamable-http' | 'sse' | undefined;
  readonly header: readonly string[];
  readonly env: readonly string[];
  readonly cwd?: string | undefined;
  readonly call?: string | undefined;
  readonly words: readonly string[];
  readonly args?: string | undefined;
  readonly timeout?: string | undefined;
  readonly json?: true | undefined;
  readonly sources: ArgumentSources;
}

/** Starts the server, lists or calls, stops it, and gives the exit code. */
export async function trial(asked: Trial, terminal: Terminal): Promise<number> {
  const limit = asked.timeout === undefined ? undefined : duration(asked.timeout);
  const config = trialConfig(asked);
  await using host = await openHost({ ephemeral: true });
  const agent = host.agent();
  const server = await agent.load(config, {
    onPhase(phase, detail) {
      if (terminal.interactive && detail !== undefined) void terminal.err(`${phase}: ${detail}\n`);
    },
  });
  for (const { message } of server.diagnostics) await terminal.err(`note: ${message}\n`);
  if (asked.call === undefined) return await list(server, asked, terminal);
  return await call(agent, server, { ...asked, call: asked.call }, limit, terminal);
}

async function list(server: LoadedServer, asked: Trial, terminal: Terminal): Promise<number> {
  const definitions = server.tools.map(tool => tool.handle.definition);
  if (asked.json) {
    const { protocol_version, transport, serverInfo, instructions, diagnostics } = server;
    const printed = { protocol_version, transport, server: serverInfo, instructions, tools: definitions, diagnostics };
    await terminal.out(`${JSON.stringify(printed, null, 2)}\n`);
    return 0;
  }
  const { name, version } = server.serverInfo;
  const count = definitions.length === 1 ? '1 tool' : `${definitions.length} tools`;
  const title = [name, version].filter(part => typeof part === 'string').join(' ');
  await terminal.show(`${renderTools(definitions)}\n`);
  await terminal.err(`${title} · ${count} · MCP ${server.protocol_version} · ${server.transport}\n`);
  return 0;
}

async function call(
  agent: Agent,
  server: LoadedServer,
  asked: Trial & { readonly call: string },
  limit: number | undefined,
  terminal: Terminal,
): Promise<number> {
  const tool = server.tools.find(one => one.tool === asked.call || one.name === asked.call);
  if (!tool) {
    const names = server.tools.map(one => one.tool).join(', ');
    throw new LongshoreError('unknown-tool', `The server has no tool ${JSON.stringify(asked.call)}. It has: ${names}.`);
  }
  const args = await toolArguments(asked.words, asked.args, tool.inputSchema, asked.sources);
  const { result, warnings } = await agent.call(tool, args, {
    ...(limit !== undefined && { totalTimeout: limit, idleTimeout: limit }),
    onprogress({ progress, total, message }) {
      if (!terminal.interactive) return;
      void terminal.err(`${progress}${total === undefined ? '' : `/${total}`} ${message ?? ''}\n`);
    },
  });
  for (const { message } of warnings) await terminal.err(`note: ${message}\n`);
  const failed = result['isError'] === true;
  const text = renderResult(result);
  if (asked.json) await terminal.out(`${JSON.stringify(result, null, 2)}\n`);
  else if (!failed && text !== '') await terminal.show(`${text}\n`);
  if (!failed) return 0;
  return await tellFailure(
    new LongshoreError('tool-error', `${tool.tool} failed: ${text}`),
    asked.json === true,
    terminal,
  );
}

function trialConfig(asked: Trial): MCPServerConfig {
  if (asked.url !== undefined && asked.command === undefined) {
    const { transport } = asked;
    return {
      name: 'try',
      endpoint: asked.url,
      headers: headerPairs('--header', asked.header),
      ...(transport && { transport }),
    };
  }
  const [command, ...args] = asked.command ?? [];
  if (command === undefined || asked.url !== undefined) {
    throw new LongshoreError('usage', 'Say which server: either -- COMMAND ARGS… or --url URL.');
  }
  const { cwd } = asked;
  return { name: 'try', command, args, env: pairs('--env', asked.env), ...(cwd !== undefined && { cwd }) };
}
