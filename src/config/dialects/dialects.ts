import { LongshoreError } from '../../core/errors.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { amazonQ } from './formats/amazon-q.ts';
import { amp } from './formats/amp.ts';
import { claudeCode } from './formats/claude-code.ts';
import { claudeDesktop } from './formats/claude-desktop.ts';
import { cline } from './formats/cline.ts';
import { codex } from './formats/codex.ts';
import { continueDev } from './formats/continue.ts';
import { copilot } from './formats/copilot.ts';
import { crush } from './formats/crush.ts';
import { cursor } from './formats/cursor.ts';
import { fastAgent } from './formats/fast-agent.ts';
import { gemini } from './formats/gemini.ts';
import { generic } from './formats/generic.ts';
import { goose } from './formats/goose.ts';
import { hubServer } from './formats/hub-server.ts';
import { jetbrains } from './formats/jetbrains.ts';
import { kiro } from './formats/kiro.ts';
import { librechat } from './formats/librechat.ts';
import { mcpHub } from './formats/mcp-hub.ts';
import { opencode } from './formats/opencode.ts';
import { roo } from './formats/roo.ts';
import { trae } from './formats/trae.ts';
import { vscode } from './formats/vscode.ts';
import { windsurf } from './formats/windsurf.ts';
import { zed } from './formats/zed.ts';
import type { Dialect } from './types.ts';

/** Every format, those with the longer ends of paths first where two would fit. */
export const dialects: readonly Dialect[] = [
  claudeDesktop,
  cursor,
  vscode,
  windsurf,
  cline,
  hubServer,
  roo,
  kiro,
  amazonQ,
  copilot,
  gemini,
  trae,
  jetbrains,
  mcpHub,
  zed,
  opencode,
  crush,
  codex,
  goose,
  continueDev,
  librechat,
  fastAgent,
  amp,
  claudeCode,
  generic,
];

/** The format that a person names. Throws `usage`, naming all. */
export function namedDialect(name: string): Dialect {
  const found = dialects.find(dialect => dialect.name === name);
  if (found) return found;
  const names = dialects.map(dialect => dialect.name).join(', ');
  throw new LongshoreError('usage', `There is no format ${JSON.stringify(name)}; there is ${names}.`);
}

/** The format of a file by the end of its path; undefined where that says nothing. */
export function dialectOfPath(path: string): Dialect | undefined {
  const steps = path.replaceAll('\\', '/').toLowerCase().split('/');
  return dialects.find(({ tails }) => tails.some(tail => endsWith(steps, tail.split('/'))));
}

function endsWith(steps: readonly string[], tail: readonly string[]): boolean {
  if (steps.length < tail.length) return false;
  const end = steps.slice(-tail.length);
  return tail.every((step, index) => {
    const said = end[index] ?? '';
    return step === '*' || step === said || (step === '.code-workspace' && said.endsWith(step));
  });
}

/** The format that the content of a file gives away, where its path does not. */
export function dialectOfContent(value: JsonValue | undefined): Dialect {
  if (!isJsonObject(value)) return generic;
  if (isJsonObject(value['context_servers'])) return zed;
  if (isJsonObject(value['mcp_servers'])) return codex;
  if (isJsonObject(value['amp.mcpServers'])) return amp;
  if (isJsonObject(value['extensions']) && value['mcpServers'] === undefined) return goose;
  if (isJsonObject(value['mcp'])) return ofMcpKey(value['mcp']);
  if (isJsonObject(value['servers']) && Array.isArray(value['inputs'])) return vscode;
  return generic;
}

function ofMcpKey(mcp: { readonly [key: string]: JsonValue | undefined }): Dialect {
  const { servers } = mcp;
  if (isJsonObject(servers)) return Array.isArray(mcp['inputs']) ? vscode : fastAgent;
  const isList = Object.values(mcp).some(
    entry => isJsonObject(entry) && (Array.isArray(entry['command']) || entry['type'] === 'remote'),
  );
  return isList ? opencode : crush;
}

/** Keys beside the servers that only a hub for many users has. */
const hubKeys = ['users', 'bearerKeys', 'systemConfig', 'groups'];

/** The format of a file: by its path first, by its content second. */
export function dialectOf(path: string | undefined, value: JsonValue | undefined): Dialect {
  const byPath = path === undefined ? undefined : dialectOfPath(path);
  if (byPath === roo && isJsonObject(value) && hubKeys.some(key => value[key] !== undefined)) return hubServer;
  return byPath ?? dialectOfContent(value);
}
