import { isOffered } from '../../core/is-offered.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/**
 * The least that the SDK accepts as an answer to a request whose real answer we keep ourselves. It parses what it
 * gets, drops unknown members and rejects a whole list for one bad tool; of these
 * there is nothing to drop or reject.
 */
const least: Readonly<Record<string, JsonObject>> = {
  'tools/list': { tools: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [] },
  'tools/call': { content: [] },
  'resources/read': { contents: [] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
};

/** The SDK's copy of a followed request's result, whatever the server sent. */
export function resultForSdk(method: string): JsonObject {
  return { ...least[method], resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
}

/** The SDK's copy of an InitializeResult: what it reads of it, in the types it insists on. */
export function initializeForSdk(initialize: JsonObject): JsonObject {
  return {
    protocolVersion: initialize.protocolVersion,
    capabilities: capabilitiesForSdk(initialize.capabilities),
    serverInfo: identityForSdk(initialize.serverInfo),
  };
}

/**
 * The SDK's copy of a DiscoverResult. One that does not say which versions it supports is passed as it is, because the
 * SDK then rightly takes the server for a legacy one.
 */
export function discoverForSdk(discover: JsonObject): JsonObject {
  const { supportedVersions } = discover;
  if (!Array.isArray(supportedVersions)) return discover;
  return {
    supportedVersions: supportedVersions.filter(version => typeof version === 'string'),
    capabilities: capabilitiesForSdk(discover.capabilities),
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
  };
}

/** Only which lists exist: everything else about capabilities we read ourselves. */
function capabilitiesForSdk(capabilities: JsonValue | undefined): JsonObject {
  if (!isJsonObject(capabilities)) return {};
  const known = ['tools', 'resources', 'prompts'].filter(name => isOffered(capabilities[name]));
  return Object.fromEntries(known.map(name => [name, {}]));
}

function identityForSdk(serverInfo: JsonValue | undefined): JsonObject {
  const said = isJsonObject(serverInfo) ? serverInfo : {};
  return { name: text(said.name), version: text(said.version) };
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : 'unknown';
}
