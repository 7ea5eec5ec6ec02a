import type { AgentId, HandleName, ServerKey } from '../../core/ids.ts';
import type { MountReason } from '../../core/ports/mount.ts';
import type { Handle, HandleKind, WithdrawReason } from '../../core/words.ts';
import { Emitter } from '../../lib/emitter.ts';
import { type Holds, ownerHolds } from './owner-holds.ts';

/**
 * Why an owner's handles are replaced. Falling asleep and waking carry a handle with an unchanged definition over to
 * its successor; anything else withdraws each handle whose connection or definition is not the same any more.
 */
export type ReplaceReason = WithdrawReason | MountReason;

/** What one replacement changed. */
export interface Replaced {
  /** New in the registry: first mounts, changed definitions, new epochs. */
  readonly mounted: readonly Handle[];
  /** No longer callable; listeners were told (R41). */
  readonly withdrawn: readonly Handle[];
  /** Handles not mounted because another server of this agent already has the name. */
  readonly refused: readonly Handle[];
}

/** Told in the same tick in which handles stop being callable. */
export type OnWithdrawn = (handles: readonly Handle[], reason: WithdrawReason) => void;
/** Told after a replacement that changed an agent's list. */
export type OnChanged = (agentId: AgentId, ownerKey: ServerKey) => void;

/** All live handles, agent by agent. */
export interface Registry {
  /** The only write (R37): from now on the owner has exactly these handles. */
  replaceOwner(agentId: AgentId, ownerKey: ServerKey, handles: readonly Handle[], reason: ReplaceReason): Replaced;
  /** The handle of that name; each kind has names of its own, as in the protocol. */
  lookup(agentId: AgentId, handleName: string, kind?: HandleKind): Handle | undefined;
  /** Identity, not name (R40): true while this very object is the registered one. */
  isLive(handle: Handle): boolean;
  /** The live handle that this object stands for: itself, or what sleep and wake made of it with an unchanged definition. */
  successor(handle: Handle): Handle | undefined;
  /** In the order in which owners were first mounted, each owner's handles in its own order. */
  list(agentId: AgentId, filter?: { readonly ownerKey?: ServerKey; readonly kind?: HandleKind }): readonly Handle[];
  /** Marks the owner as used now, and as busy until disposed: it must not sleep meanwhile. */
  hold(agentId: AgentId, ownerKey: ServerKey): Disposable;
  readonly holds: Pick<Holds, 'busy' | 'idleSince'>;
  onWithdrawn(listener: OnWithdrawn): () => void;
  onChanged(listener: OnChanged): () => void;
}

interface Shelf {
  readonly owners: Map<ServerKey, readonly Handle[]>;
  readonly names: Map<string, Handle>;
}

/** An empty registry. */
export function createRegistry(options: { readonly now: () => number }): Registry {
  const shelves = new Map<AgentId, Shelf>();
  const successors = new WeakMap<Handle, Handle>();
  const holds = ownerHolds(options.now);
  const withdrawals = new Emitter<Parameters<OnWithdrawn>>();
  const changes = new Emitter<Parameters<OnChanged>>();

  function shelfOf(agentId: AgentId): Shelf {
    let shelf = shelves.get(agentId);
    if (shelf === undefined) {
      shelf = { owners: new Map(), names: new Map() };
      shelves.set(agentId, shelf);
    }
    return shelf;
  }

  function isLive(handle: Handle): boolean {
    return shelves.get(handle.agentId)?.names.get(nameKey(handle.kind, handle.handleName)) === handle;
  }

  /** Puts exactly these handles in the owner's place, synchronously: no reader ever sees a half of it. */
  function place(agentId: AgentId, ownerKey: ServerKey, handles: readonly Handle[], reason: ReplaceReason) {
    const shelf = shelfOf(agentId);
    const before = new Map<string, Handle>();
    for (const handle of shelf.owners.get(ownerKey) ?? []) {
      before.set(nameKey(handle.kind, handle.handleName), handle);
      shelf.names.delete(nameKey(handle.kind, handle.handleName));
    }
    const mounted: Handle[] = [];
    const refused: Handle[] = [];
    for (const handle of handles) {
      const key = nameKey(handle.kind, handle.handleName);
      if (handle.agentId !== agentId || handle.ownerKey !== ownerKey || shelf.names.has(key)) {
        refused.push(handle);
        continue;
      }
      const old = before.get(key);
      const same = old !== undefined && isSameTool(old, handle);
      if (same && old.epoch === handle.epoch) {
        shelf.names.set(key, old);
        before.delete(key);
        continue;
      }
      if (same && continues(old, reason)) {
        successors.set(old, handle);
        before.delete(key);
      }
      mounted.push(handle);
      shelf.names.set(key, handle);
    }
    const placed = [...handles].flatMap(handle => shelf.names.get(nameKey(handle.kind, handle.handleName)) ?? []);
    const own = placed.filter(handle => handle.ownerKey === ownerKey);
    // Whoever comes back after a crash keeps its place among the others: of two with one URI the same is meant.
    if (own.length === 0 && isFarewell(reason)) shelf.owners.delete(ownerKey);
    else shelf.owners.set(ownerKey, [...new Set(own)]);
    const withdrawn = [...before.values()];
    return { mounted, withdrawn, refused };
  }

  function tell(withdrawn: readonly Handle[], reason: ReplaceReason) {
    if (withdrawn.length === 0) return;
    const why = reason === 'load' || reason === 'sleep' || reason === 'wake' ? 'list-changed' : reason;
    withdrawals.emit(withdrawn, why);
  }

  return {
    replaceOwner(agentId, ownerKey, handles, reason) {
      const placed = place(agentId, ownerKey, handles, reason);
      tell(placed.withdrawn, reason);
      if (placed.mounted.length > 0) holds.touch(agentId, ownerKey);
      if (placed.mounted.length > 0 || placed.withdrawn.length > 0) {
        changes.emit(agentId, ownerKey);
      }
      return placed;
    },
    lookup: (agentId, name, kind = 'tool') => shelves.get(agentId)?.names.get(nameKey(kind, name as HandleName)),
    isLive,
    successor(handle) {
      for (let at: Handle | undefined = handle; at !== undefined; at = successors.get(at)) if (isLive(at)) return at;
      return undefined;
    },
    list(agentId, filter = {}) {
      const shelf = shelves.get(agentId);
      if (shelf === undefined) return [];
      const owned =
        filter.ownerKey === undefined ? [...shelf.owners.values()].flat() : (shelf.owners.get(filter.ownerKey) ?? []);
      return filter.kind === undefined ? owned : owned.filter(handle => handle.kind === filter.kind);
    },
    hold: (agentId, ownerKey) => holds.hold(agentId, ownerKey),
    holds,
    onWithdrawn: listener => withdrawals.on(listener),
    onChanged: listener => changes.on(listener),
  };
}

/** With the same definition, of a server that is started from the same program. */
function isSameTool(old: Handle, handle: Handle): boolean {
  return (
    old.definitionDigest === handle.definitionDigest &&
    old.program?.digest === handle.program?.digest &&
    old.wireName === handle.wireName
  );
}

/** True where a server goes for good. */
function isFarewell(reason: ReplaceReason): boolean {
  return reason === 'unload' || reason === 'shutdown';
}

function nameKey(kind: HandleKind, name: HandleName): string {
  return `${kind}\0${name}`;
}

/** A dormant handle was never bound to a connection, so whatever wakes it continues it; a live one only by going to sleep. */
function continues(old: Handle, reason: ReplaceReason): boolean {
  return old.epoch === null || reason === 'sleep';
}
