import type { Epoch, HandleName } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import { isLinkedResource } from '../../core/linked-resource.ts';
import type { Discovered } from '../../core/ports/mount.ts';
import type { Definition, Diagnostic, Handle, HandleKind } from '../../core/words.ts';
import { cut } from '../../lib/cut.ts';
import { definitionDigest } from './definition-digest.ts';
import { handleName, plainHandleName } from './handle-names.ts';

/** What a server offers, and on which connection; `epoch: null` for the cached definitions of a sleeping server. */
export type Offer = Omit<Discovered, 'epoch'> & { readonly epoch: Epoch | null };

/**
 * The handles of everything that a server offers, for `registry.replaceOwner`. A definition that cannot be mounted is
 * told as a diagnostic (`handle-name-clash`, `unusable-definition`) and costs no other its place.
 */
export function discoveredHandles(offer: Offer): {
  readonly handles: readonly Handle[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const named = new Map<string, Handle[]>();
  for (const [kind, definitions] of [
    ['tool', offer.tools],
    ['resource', offer.resources],
    ['template', offer.templates],
    ['prompt', offer.prompts],
  ] as const) {
    for (const definition of definitions) {
      const handle = handleOf(offer, kind, definition);
      if (handle === undefined) {
        diagnostics.push(unusable(kind, definition));
        continue;
      }
      const key = `${kind}\0${handle.handleName}`;
      named.set(key, [...(named.get(key) ?? []), handle]);
    }
  }
  const handles: Handle[] = [];
  for (const group of named.values()) {
    const [only] = group;
    if (group.length === 1 && only !== undefined) handles.push(only);
    else diagnostics.push(clash(group));
  }
  return { handles, diagnostics };
}

function handleOf(offer: Offer, kind: HandleKind, definition: Definition): Handle | undefined {
  const wireName = wireNameOf(kind, definition);
  if (typeof wireName !== 'string' || (wireName === '' && kind !== 'tool' && kind !== 'prompt')) return undefined;
  try {
    return Object.freeze({
      agentId: offer.agentId,
      ownerKey: offer.serverKey,
      handleName: nameIn(offer, kind, wireName, definition),
      kind,
      epoch: offer.epoch,
      wireName,
      definitionDigest: offer.digests?.get(definition) ?? definitionDigest(definition),
      ...(offer.program && { program: offer.program }),
      definition,
      protocolVersion: offer.protocolVersion,
    });
  } catch (error) {
    // Only a definition nested thousands deep gets here: the digest cannot be computed, so nothing could be bound to it.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The template for what is not listed has a name of its own, always with its server's before it. */
function nameIn({ serverKey, names }: Offer, kind: HandleKind, wireName: string, definition: Definition): HandleName {
  if (isLinkedResource({ kind, wireName, definition })) return handleName(serverKey, definition.name);
  return names === 'plain' ? plainHandleName(wireName) : handleName(serverKey, wireName);
}

function wireNameOf(kind: HandleKind, { name, uri, uriTemplate }: Definition): JsonValue | undefined {
  if (kind === 'resource') return uri;
  return kind === 'template' ? uriTemplate : name;
}

function unusable(kind: HandleKind, definition: Definition): Diagnostic {
  const name = cut(String(definition.name), 80);
  return {
    code: 'unusable-definition',
    message: `The ${kind} ${JSON.stringify(name)} is not mounted: it has no name or URI, or is nested too deeply.`,
  };
}

/** Which of the two a name means must not depend on their order, so none of them is mounted. */
function clash(group: readonly Handle[]): Diagnostic {
  const wireNames = group.map(handle => cut(handle.wireName, 80)).sort();
  return {
    code: 'handle-name-clash',
    message: `Not mounted, because their names cannot be told apart: ${wireNames.map(name => JSON.stringify(name)).join(', ')}.`,
  };
}
