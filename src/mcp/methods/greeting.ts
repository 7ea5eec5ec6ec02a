import type { ServerKey } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { legacyVersions, modernVersions } from '../../core/protocol-versions.ts';
import { version } from '../../core/version.ts';
import { cut } from '../../lib/cut.ts';

/** How Longshore introduces itself to clients. */
export const serverInfo = { name: 'longshore', title: 'Longshore', version } as const;

/** The same for every client, because servers come and go while it is connected. */
export const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
} as const;

/** What one server wants its clients to know. */
export interface ServerInstructions {
  readonly server: ServerKey;
  readonly instructions: string | undefined;
}

/** Characters of one server's instructions, and of all together: they are read with every conversation. */
const mostOfOne = 8 * 1024;
const mostOfAll = 32 * 1024;

/** All servers' instructions under a heading each, cut where they grow too long; undefined if none has any. */
export function mergedInstructions(servers: readonly ServerInstructions[]): string | undefined {
  const sections: string[] = [];
  const left: string[] = [];
  let length = 0;
  for (const { server, instructions } of servers) {
    const text = instructions?.trim() ?? '';
    if (text === '') continue;
    const section = `# ${server}\n\n${shortened(text)}`;
    if (length + section.length > mostOfAll) left.push(server);
    else sections.push(section);
    length += section.length;
  }
  if (left.length > 0) sections.push(`The instructions of ${left.join(', ')} are left out here; they were too long.`);
  return sections.length === 0 ? undefined : sections.join('\n\n').toWellFormed();
}

function shortened(text: string): string {
  return text.length <= mostOfOne ? text : `${cut(text, mostOfOne)}… (cut after ${mostOfOne} characters)`;
}

/** The result of `initialize`: the revision that was asked for if we speak it, else the newest of its kind. */
export function initializeResult(
  params: JsonObject,
  instructions: string | undefined,
): JsonObject & { protocolVersion: string } {
  const asked = params.protocolVersion;
  const known = legacyVersions.find(one => one === asked);
  return {
    protocolVersion: known ?? legacyVersions[0],
    capabilities,
    serverInfo,
    ...(instructions !== undefined && { instructions }),
  };
}

/** The result of `server/discover`, but for what every result of 2026-07-28 has. */
export function discoverResult(instructions: string | undefined): JsonObject {
  return {
    supportedVersions: [...modernVersions, ...legacyVersions],
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ...freshness,
  };
}

/** Nothing may be reused where nobody promised it, and nothing by others: rules and scopes decide for each caller. */
export const freshness = { ttlMs: 0, cacheScope: 'private' } as const;
