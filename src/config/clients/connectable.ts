import type { JsonObject, JsonValue } from '../../core/json.ts';

/** How a client starts our bridge: an absolute program, its arguments, and variables where the defaults do not hold. */
export interface Bridge {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A client that can be connected by an edit of its own file. */
export interface ConnectableClient {
  /** As `--from` has it; also the name of its caller. */
  readonly name: string;
  /** What a person calls it. */
  readonly title: string;
  readonly syntax: 'jsonc' | 'toml' | 'yaml';
  /** Where its servers are in the file. */
  readonly root: readonly string[];
  /** Its servers are a list with names. */
  readonly isList?: true;
  /** What stands there for our bridge. */
  readonly entry: (bridge: Bridge) => JsonValue;
  /** What a person has to do for it to take notice. */
  readonly restart: string;
}

/** The name of our entry in every client. */
export const entryName = 'longshore';

const plain = ({ command, args, env }: Bridge): JsonObject => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});
const typed =
  (type: string, more: JsonObject = {}) =>
  (bridge: Bridge): JsonObject => ({ type, ...plain(bridge), ...more });

const quit = (title: string): string => `Quit ${title} and start it again.`;
const nextSession = 'It holds from the next session on.';
const atOnce = 'It is taken notice of at once.';

function usual(
  name: string,
  title: string,
  restart: string,
  entry: ConnectableClient['entry'] = plain,
): ConnectableClient {
  return { name, title, syntax: 'jsonc', root: ['mcpServers'], entry, restart };
}

/** Every client that `connect` knows. */
export const connectableClients: readonly ConnectableClient[] = [
  usual('claude-desktop', 'Claude Desktop', quit('Claude Desktop')),
  usual('claude-code', 'Claude Code', nextSession, typed('stdio')),
  usual('cursor', 'Cursor', atOnce),
  {
    ...usual('vscode', 'VS Code', 'Start it in the list of MCP servers, or reload the window.', typed('stdio')),
    root: ['servers'],
  },
  usual('windsurf', 'Windsurf', 'Press Refresh in its list of MCP servers.'),
  usual('cline', 'Cline', atOnce),
  usual('roo', 'Roo Code', atOnce),
  { ...usual('zed', 'Zed', atOnce, bridge => ({ source: 'custom', ...plain(bridge) })), root: ['context_servers'] },
  { name: 'codex', title: 'Codex', syntax: 'toml', root: ['mcp_servers'], entry: plain, restart: nextSession },
  usual('gemini', 'Gemini CLI', nextSession),
  {
    ...usual('opencode', 'OpenCode', nextSession, ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...(Object.keys(env).length > 0 && { environment: env }),
      enabled: true,
    })),
    root: ['mcp'],
  },
  {
    name: 'continue',
    title: 'Continue',
    syntax: 'yaml',
    root: ['mcpServers'],
    isList: true,
    entry: bridge => ({ name: entryName, ...plain(bridge) }),
    restart: atOnce,
  },
  {
    name: 'goose',
    title: 'Goose',
    syntax: 'yaml',
    root: ['extensions'],
    entry: ({ command, args, env }) => ({
      enabled: true,
      type: 'stdio',
      name: entryName,
      description: 'Longshore',
      cmd: command,
      args,
      envs: env,
      timeout: 300,
    }),
    restart: nextSession,
  },
  usual('copilot', 'Copilot CLI', nextSession, typed('local', { tools: ['*'] })),
  usual('kiro', 'Kiro', atOnce),
];
