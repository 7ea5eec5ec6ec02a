import { isOffered } from '../core/is-offered.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Era } from '../core/words.ts';

/** What a connection may count on. */
export interface Offer {
  readonly era: Era;
  /** The server's capabilities, verbatim. */
  readonly capabilities: JsonObject;
}

/** Features that need a revision, not only a capability. */
const modernOnly = new Set(['subscriptions.listen']);

/**
 * True if a feature may be used (R47): a dotted path into the server's capabilities, e.g. `tools.listChanged`, or
 * `subscriptions.listen`, which a server of 2026-07-28 has for whatever list it says can change.
 */
export function supports({ era, capabilities }: Offer, feature: string): boolean {
  if (modernOnly.has(feature)) return era === 'modern' && changingLists(capabilities).length > 0;
  const found = feature
    .split('.')
    .reduce<JsonValue | undefined>((value, name) => (isJsonObject(value) ? value[name] : undefined), capabilities);
  return isOffered(found);
}

/** The lists that a server can have. */
export const listNames = ['tools', 'resources', 'prompts'] as const;
export type ListName = (typeof listNames)[number];

/** The lists that a server has. */
export function listsOf(capabilities: JsonObject): readonly ListName[] {
  return listNames.filter(name => supports({ era: 'legacy', capabilities }, name));
}

/** The lists of which a server tells changes. */
export function changingLists(capabilities: JsonObject): readonly ListName[] {
  return listNames.filter(name => supports({ era: 'legacy', capabilities }, `${name}.listChanged`));
}
