import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { splitWords } from '../shell-words.ts';

/**
 * What READMEs have, as the JSON of a file: a command line (`npx …`, `docker run …`, `NAME=value command`),
 * `claude mcp add …`, `code --add-mcp …`, install links of Cursor and VS Code, and JSON without its outer braces. Any other
 * text comes back as it is. Nothing is run.
 */
export function pastedAsJson(text: string): string {
  const line = text.trim().replace(/^\$\s+/, '');
  if (/^"[^"\n]*"\s*:/.test(line)) return `{${line.replace(/,$/, '')}}`;
  const found = fromLink(line) ?? fromCommand(line);
  return found === undefined ? text : JSON.stringify({ mcpServers: found });
}

function fromLink(line: string): JsonObject | undefined {
  const [, cursor] =
    /^(?:cursor:\/\/anysphere\.cursor-deeplink|https:\/\/cursor\.com(?:\/[a-z-]+)?)\/(?:mcp\/install|install-mcp)\?(\S+)$/i.exec(
      line,
    ) ?? [];
  if (cursor !== undefined) {
    const query = new URLSearchParams(cursor);
    const config = objectOf(Buffer.from((query.get('config') ?? '').replaceAll(' ', '+'), 'base64').toString('utf8'));
    return config && { [query.get('name') ?? 'server']: config };
  }
  const [, vscode] = /^vscode(?:-insiders)?:mcp\/install\?(\S+)$/i.exec(line) ?? [];
  return vscode === undefined ? undefined : namedObject(decoded(vscode));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function namedObject(json: string): JsonObject | undefined {
  const { name, ...config } = objectOf(json) ?? {};
  return typeof name === 'string' ? { [name]: config } : undefined;
}

function objectOf(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const launchers = /^(?:npx|bunx|pnpx|uvx|uv|pipx|docker|podman|node|python3?|deno|dnx|go|cargo|java)$/;

function fromCommand(line: string): JsonObject | undefined {
  // A whole file is no command.
  if (line.length > 20_000 || /^[[{<#]/.test(line)) return undefined;
  const words = splitWords(line);
  const env: Record<string, string> = {};
  let at = 0;
  for (; /^[A-Za-z_]\w*=/.test(words[at] ?? ''); at += 1) {
    const [name = '', value = ''] = splitOnce(words[at] ?? '', '=');
    env[name] = value;
  }
  const [command = '', ...args] = words.slice(at);
  if (command === 'claude' && args[0] === 'mcp' && args[1] === 'add') return claudeAdd(args.slice(2), env);
  if (/^claude$/.test(command) && args[0] === 'mcp' && args[1] === 'add-json') {
    const [name, json] = args.slice(2).filter(word => !word.startsWith('-'));
    const config = objectOf(json ?? '');
    return name !== undefined && config ? { [name]: config } : undefined;
  }
  if (/^code(?:-insiders)?$/.test(command) && args[0] === '--add-mcp') return namedObject(args[1] ?? '');
  if (!launchers.test(command) || args.length === 0) return undefined;
  return { [nameOf(args)]: { command, args, ...(Object.keys(env).length > 0 && { env }) } };
}

/** The last part of what looks like a package or image: `@acme/notes-mcp@1` is `notes-mcp`. */
function nameOf(args: readonly string[]): string {
  const words = args.filter(
    (word, index) =>
      !word.startsWith('-') &&
      !/^(?:run|exec|tool|x)$/.test(word) &&
      !/^(?:-e|--env|-v|--volume|--mount|-p|--name|--network)$/.test(args[index - 1] ?? ''),
  );
  const last = (words[0] ?? 'server').split(/[/\\]/).at(-1) ?? '';
  return last.replace(/[@:].*$/, '').replace(/\.(?:m?js|ts|py)$/, '') || 'server';
}

function claudeAdd(args: readonly string[], env: Record<string, string>): JsonObject | undefined {
  const headers: Record<string, string> = {};
  const rest: string[] = [];
  let type: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const next = args[at + 1] ?? '';
    if (word === '--') {
      rest.push(...args.slice(at + 1));
      break;
    }
    // Behind a command they are the command's own.
    const isOption = word.startsWith('-') && (rest.length < 2 || /^https?:/.test(rest[1] ?? ''));
    if (isOption) at += 1;
    if (!isOption) rest.push(word);
    else if (/^(?:-t|--transport)$/.test(word)) type = next;
    else if (/^(?:-e|--env)$/.test(word)) {
      const [name = '', value = ''] = splitOnce(next, '=');
      env[name] = value;
    } else if (/^(?:-H|--header)$/.test(word)) {
      const [name = '', value = ''] = splitOnce(next, ':');
      headers[name.trim()] = value.trim();
    }
  }
  const [name, target, ...more] = rest;
  if (name === undefined || target === undefined) return undefined;
  const said = type === undefined ? {} : { type };
  if (/^https?:\/\//.test(target)) return { [name]: { ...said, url: target, headers } };
  return { [name]: { ...said, command: target, args: more, env } };
}

function splitOnce(text: string, by: string): readonly string[] {
  const at = text.indexOf(by);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
