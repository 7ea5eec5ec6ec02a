import { posix, win32 } from 'node:path';
import { defaultDeadlines } from '../../core/deadlines.ts';
import type { Diagnostic } from '../../core/words.ts';
import { isSecretName } from '../../secrets/secret-names.ts';
import { isPlaceholder } from '../placeholders.ts';
import type { MCPServerConfig } from '../types.ts';
import type { ForeignInput, ForeignServer } from './types.ts';

/** The machine that a file is on. */
export interface Ground {
  readonly platform: NodeJS.Platform;
  /** The user's home. */
  readonly home: string;
  /** The folder that the file belongs to, absolute: what `${workspaceFolder}` and `./` mean; undefined for pasted text. */
  readonly folder: string | undefined;
  readonly inputs: ReadonlyMap<string, ForeignInput>;
}

/** A value that a server needs and that nobody has given yet. */
export interface NeededSecret {
  /** Its name in the secret store. */
  readonly name: string;
  /** What to ask a person for. */
  readonly prompt: string;
}

/** A foreign server as it may be saved here. */
export interface SettledServer {
  readonly config: MCPServerConfig;
  /** False where its file turns it off, or where it cannot run as it is. */
  readonly enabled: boolean;
  readonly notes: readonly Diagnostic[];
  readonly needs: readonly NeededSecret[];
}

/**
 * Gives every reference of a foreign server an owner: questions and placeholders become secrets, folders become paths, and
 * what belongs to another platform is saved turned off. Pure; nothing is looked up.
 */
export function settle(server: ForeignServer, ground: Ground): SettledServer {
  const needs = new Map<string, NeededSecret>();
  const notes: Diagnostic[] = [];
  const need = (name: string, prompt: string): string => {
    const plain = name
      .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
      .replace(/^(?![A-Za-z_])/, '_')
      .slice(0, 120);
    needs.set(plain, { name: plain, prompt });
    return `\${secret:${plain}}`;
  };
  const path = (text: string) => pathsIn(text, ground);
  const filled = (text: string) =>
    path(text).replaceAll(/\$\{input:([^{}]+)\}/g, (_, id: string) =>
      need(id, ground.inputs.get(id)?.description ?? id),
    );
  const entries = (record: Readonly<Record<string, string>> | undefined) =>
    record &&
    Object.fromEntries(
      Object.entries(record).map(([key, text]) => {
        if (!isSecretName(key) || !isPlaceholder(text)) return [key, filled(text)];
        const [scheme = ''] = /^(?:bearer|basic|token)\s+/i.exec(text) ?? [];
        return [key, scheme + need(`${server.shortName}.${key}`, `${key} of ${server.name}`)];
      }),
    );
  const { command, args, cwd, endpoint, envFile, description, transport, allowedTools, deniedTools } = server;
  const env = entries(server.env);
  const headers = entries(server.headers);
  const folder = cwd ?? (command !== undefined && isRelative([command, ...(args ?? [])]) ? ground.folder : undefined);
  const deadlines = deadlinesOf(server);
  const foreign = otherPlatform(server, ground.platform);
  if (foreign) notes.push(foreign);
  const config: MCPServerConfig = {
    name: server.name,
    ...(transport !== undefined && { transport }),
    ...(command !== undefined && { command: filled(command) }),
    ...(args && args.length > 0 && { args: args.map(filled) }),
    ...(env && { env }),
    ...(folder !== undefined && { cwd: absolute(filled(folder), ground) }),
    ...(envFile !== undefined && { envFile: absolute(filled(envFile), ground) }),
    ...(endpoint !== undefined && { endpoint: filled(endpoint) }),
    ...(headers && { headers }),
    ...(deadlines && { deadlines }),
    ...(allowedTools && { allowedTools }),
    ...(deniedTools && { deniedTools }),
    ...(description !== undefined && { description: Array.from(description).slice(0, 1_000).join('') }),
  };
  return { config, enabled: server.disabled !== true && foreign === undefined, notes, needs: [...needs.values()] };
}

function pathsIn(text: string, { folder, home, platform }: Ground): string {
  const { basename, sep } = platform === 'win32' ? win32 : posix;
  return text
    .replaceAll('${userHome}', home)
    .replaceAll('${pathSeparator}', sep)
    .replaceAll('${/}', sep)
    .replaceAll('${workspaceFolder}', folder ?? '${workspaceFolder}')
    .replaceAll('${workspaceFolderBasename}', folder === undefined ? '${workspaceFolderBasename}' : basename(folder));
}

function absolute(path: string, { folder, platform }: Ground): string {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  return folder === undefined || isAbsolute(path) || path.startsWith('${') ? path : join(folder, path);
}

/** `./x` and `../x` mean a file beside the one that names them. */
function isRelative(words: readonly string[]): boolean {
  return words.some(word => /^\.{1,2}[\\/]/.test(word));
}

/** Both time-outs in our own deadlines; the absolute ones only grow. */
function deadlinesOf({ callTimeoutMs: call, startTimeoutMs: start }: ForeignServer): MCPServerConfig['deadlines'] {
  if (call === undefined && start === undefined) return undefined;
  return {
    ...(call !== undefined && { callIdle: call, callTotal: Math.max(call, defaultDeadlines.callTotal) }),
    ...(start !== undefined && {
      open: start,
      openLauncher: Math.max(start, defaultDeadlines.openLauncher),
      launcherTotal: Math.max(start, defaultDeadlines.launcherTotal),
    }),
  };
}

/** What is written for Windows does not start elsewhere, and the other way round. */
function otherPlatform(server: ForeignServer, platform: NodeJS.Platform): Diagnostic | undefined {
  const { command } = server;
  if (command === undefined) return undefined;
  const words = [command, ...(server.args ?? []), server.cwd ?? ''];
  const isWindows =
    server.isForWindows === true ||
    words.some(word => /^[A-Za-z]:[\\/]/.test(word)) ||
    /(?:^|[\\/])(?:wsl|cmd|powershell)(?:\.exe)?$|\.(?:exe|bat|cmd)$/i.test(command);
  const isElsewhere = platform === 'win32' ? command.startsWith('/') : isWindows;
  if (!isElsewhere) return undefined;
  const where = platform === 'win32' ? 'another platform' : 'Windows';
  return {
    code: 'other-platform',
    message: `It is written for ${where}, so it is saved turned off. Change its command to one of this machine, and then: longshore enable ${JSON.stringify(server.name)}`,
    data: { field: 'command' },
  };
}
