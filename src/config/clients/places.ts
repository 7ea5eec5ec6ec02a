import { posix, win32 } from 'node:path';
import type { Machine } from '../data-folder.ts';

/** Folders that clients keep their files in. */
interface Folders {
  readonly home: string;
  /** For applications: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
  readonly app: string;
  readonly config: string;
  readonly isWindows: boolean;
  join(...steps: string[]): string;
}

/** Where a client may have servers, from the likeliest; `*` stands for one step of a path. */
type Places = (folders: Folders, env: Machine['env']) => readonly string[];

const codeFolders = ['Code', 'Code - Insiders', 'VSCodium'];

const inExtension =
  (extension: string, file: string): Places =>
  ({ app, join }) =>
    codeFolders.map(name => join(app, name, 'User', 'globalStorage', extension, 'settings', file));

/** By the name of the format (`--from`), the files of a user; the first is the one that `connect` writes. */
const userPlaces: Readonly<Record<string, Places>> = {
  'claude-desktop': ({ app, join }, env) => [
    join(app, 'Claude', 'claude_desktop_config.json'),
    ...(env['LOCALAPPDATA']
      ? [
          join(
            env['LOCALAPPDATA'],
            'Packages',
            'Claude_*',
            'LocalCache',
            'Roaming',
            'Claude',
            'claude_desktop_config.json',
          ),
        ]
      : []),
  ],
  'claude-code': ({ home, join }, env) => [join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json')],
  cursor: ({ home, join }) => [join(home, '.cursor', 'mcp.json')],
  vscode: ({ app, home, join }) => [
    ...codeFolders.map(name => join(app, name, 'User', 'mcp.json')),
    ...codeFolders.flatMap(name => [
      join(app, name, 'User', 'profiles', '*', 'mcp.json'),
      join(app, name, 'User', 'settings.json'),
    ]),
    join(home, '.var', 'app', 'com.visualstudio.code', 'config', 'Code', 'User', 'mcp.json'),
  ],
  windsurf: ({ home, join }) => [
    join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    join(home, '.gemini', 'antigravity', 'mcp_config.json'),
  ],
  cline: inExtension('saoudrizwan.claude-dev', 'cline_mcp_settings.json'),
  roo: inExtension('rooveterinaryinc.roo-cline', 'mcp_settings.json'),
  zed: ({ home, config, app, isWindows, join }) => [
    isWindows ? join(app, 'Zed', 'settings.json') : join(config, 'zed', 'settings.json'),
    join(home, '.var', 'app', 'dev.zed.Zed', 'config', 'zed', 'settings.json'),
  ],
  codex: ({ home, join }, env) => [join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
  gemini: ({ home, join }) => [join(home, '.gemini', 'settings.json'), join(home, '.qwen', 'settings.json')],
  opencode: ({ config, join }) => [
    join(config, 'opencode', 'opencode.json'),
    join(config, 'opencode', 'opencode.jsonc'),
  ],
  continue: ({ home, join }) => [join(home, '.continue', 'config.yaml'), join(home, '.continue', 'mcpServers', '*')],
  goose: ({ config, app, isWindows, join }) => [
    isWindows ? join(app, 'Block', 'goose', 'config', 'config.yaml') : join(config, 'goose', 'config.yaml'),
  ],
  copilot: ({ home, join }, env) => [join(env['XDG_CONFIG_HOME'] ?? home, '.copilot', 'mcp-config.json')],
  kiro: ({ home, join }) => [join(home, '.kiro', 'settings', 'mcp.json')],
  'amazon-q': ({ home, join }) => [join(home, '.aws', 'amazonq', 'mcp.json')],
  crush: ({ config, join }) => [join(config, 'crush', 'crush.json')],
  amp: ({ config, join }) => [join(config, 'amp', 'settings.json')],
  'mcp-hub': ({ config, join }) => [join(config, 'mcphub', 'servers.json')],
  jetbrains: ({ config, join }) => [join(config, 'github-copilot', 'intellij', 'mcp.json')],
};

/** Files of a project, below its folder. */
const projectPlaces: readonly (readonly string[])[] = [
  ['.mcp.json'],
  ['.cursor', 'mcp.json'],
  ['.vscode', 'mcp.json'],
  ['.roo', 'mcp.json'],
  ['.kiro', 'settings', 'mcp.json'],
  ['.amazonq', 'mcp.json'],
  ['.gemini', 'settings.json'],
  ['.codex', 'config.toml'],
  ['.trae', 'mcp.json'],
  ['.zed', 'settings.json'],
  ['opencode.json'],
  ['opencode.jsonc'],
  ['crush.json'],
];

/** The files in which a client has servers of its user, from the likeliest; empty for a name that is none. Pure. */
export function clientPlaces(client: string, machine: Machine): readonly string[] {
  const { env, platform, homeDir } = machine;
  const { join } = platform === 'win32' ? win32 : posix;
  const config = env['XDG_CONFIG_HOME'] || join(homeDir, '.config');
  const app =
    platform === 'win32'
      ? env['APPDATA'] || join(homeDir, 'AppData', 'Roaming')
      : platform === 'darwin'
        ? join(homeDir, 'Library', 'Application Support')
        : config;
  return userPlaces[client]?.({ home: homeDir, app, config, isWindows: platform === 'win32', join }, env) ?? [];
}

/** Every file in which some client may have servers on this machine, and in that folder. */
export function allPlaces(machine: Machine, folder: string): readonly string[] {
  const { join } = machine.platform === 'win32' ? win32 : posix;
  return [
    ...Object.keys(userPlaces).flatMap(client => clientPlaces(client, machine)),
    ...projectPlaces.map(steps => join(folder, ...steps)),
  ];
}
