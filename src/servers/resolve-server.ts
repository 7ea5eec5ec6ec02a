import { selector } from '../config/selector.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import { imageServerId, normaliseImage } from '../docker/image-reference.ts';
import type { SavedMode } from '../store/servers.ts';
import { isLegacy } from './saved-plan.ts';

/** A saved server, by everything it can be called. */
export interface SavedNames {
  readonly agentId: AgentId;
  readonly serverId: string;
  readonly serverKey: ServerKey;
  /** The config's own name, or the full id of an image's container. */
  readonly name: string;
  readonly mode: SavedMode;
  /** With its tag explicit; null for a server with a config. */
  readonly image: string | null;
}

/** A server of the fleet, by everything it can be called. */
export interface RunningNames {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly planned: { readonly name: string; readonly image?: string };
}

/** What else a text may mean. */
export interface OtherNames {
  /** Ids of containers and process groups, by server key, as lists show them. */
  readonly holdings?: ReadonlyMap<ServerKey, readonly string[]>;
  /** Names of catalogs, and the image that each stands for. */
  readonly catalog?: ReadonlyMap<string, string>;
}

/** What a text means. Without `saved` and `running` nothing of it is here; then `image` may be loaded. */
export interface ResolvedServer<Saved, Running> {
  readonly saved: Saved | undefined;
  readonly running: Running | undefined;
  /** Of a text that is an image reference: with its tag explicit. */
  readonly image: string | undefined;
}

interface Candidate<Saved, Running> {
  readonly key: ServerKey;
  readonly saved: Saved | undefined;
  readonly running: Running | undefined;
}

/**
 * The one way from what a person typed to a server. In this order: an id of ours, a server key, a name, an image, the id of a
 * container or process, a catalog's name for an image. A text that is an image reference (it has `/`, `:` or `@`) and also
 * the name of a server is `ambiguous-ref`. Pure. Throws `usage` for an empty text or one with whitespace around it (R70); a
 * text that means nothing gives three times undefined.
 */
export function resolveServer<Saved extends SavedNames, Running extends RunningNames>(
  ref: string,
  saved: readonly Saved[],
  running: readonly Running[],
  { holdings, catalog }: OtherNames = {},
): ResolvedServer<Saved, Running> {
  selector(ref);
  const image = isExplicitImage(ref) ? imageIn(ref) : undefined;
  const candidates = candidatesOf(saved, running);
  const found =
    candidates.find(one => one.saved?.serverId === ref) ??
    candidates.find(one => one.key === ref) ??
    candidates.find(one => nameOf(one) === ref);
  if (found && image !== undefined) {
    throw ambiguous(ref, `the name of the server ${found.key}`, 'an image', `Say ${found.key} for the server.`);
  }
  const meant =
    found ??
    candidates.find(one => imageOf(one) !== undefined && imageOf(one) === (image ?? `${ref}:latest`)) ??
    candidates.find(one => isIdOf(one, ref, holdings?.get(one.key) ?? [])) ??
    candidates.find(one => isOffered(one, image === undefined ? catalog?.get(ref) : undefined));
  return { saved: meant?.saved, running: meant?.running, image };
}

/** True if it runs, or is saved with, the image that a catalog's name stands for. */
function isOffered(one: Candidate<SavedNames, RunningNames>, image: string | undefined): boolean {
  return image !== undefined && imageOf(one) === imageIn(image);
}

/** True for a ref that can only be an image. */
export function isExplicitImage(ref: string): boolean {
  return /[/:@]/.test(ref);
}

/** The error for a text that means nothing that is there, naming what is. */
export function unknownServer(
  ref: string,
  saved: readonly SavedNames[],
  running: readonly RunningNames[],
): LongshoreError {
  const names = candidatesOf(saved, running).map(one => (one.saved?.image === null ? one.saved.name : one.key));
  const there = names.length === 0 ? 'no server is saved or loaded' : `there are ${names.join(', ')}`;
  const asImage = isExplicitImage(ref) ? '' : ` An image is written with its tag or folder, such as ${ref}:latest.`;
  return new LongshoreError('unknown-server', `There is no server ${JSON.stringify(ref)}: ${there}.${asImage}`);
}

/** Saved and running servers of the same key are one. */
function candidatesOf<Saved extends SavedNames, Running extends RunningNames>(
  saved: readonly Saved[],
  running: readonly Running[],
): readonly Candidate<Saved, Running>[] {
  const keys = new Set([...saved, ...running].map(one => one.serverKey));
  return [...keys].map(key => ({
    key,
    saved: saved.find(one => one.serverKey === key),
    running: running.find(one => one.serverKey === key),
  }));
}

/** What is saved has the name that it is saved by. */
function nameOf({ saved, running }: Candidate<SavedNames, RunningNames>): string | undefined {
  if (saved) return saved.image === null ? saved.name : undefined;
  return running?.planned.image === undefined ? running?.planned.name : undefined;
}

function imageOf({ saved, running }: Candidate<SavedNames, RunningNames>): string | undefined {
  // The image of a legacy entry means a server of today (R59).
  if (saved && isLegacy(saved)) return undefined;
  return saved?.image ?? running?.planned.image;
}

/** By the full id of its container, of a legacy entry too (R32, R59), or by an id that lists show, cut or not. */
function isIdOf(one: Candidate<SavedNames, RunningNames>, ref: string, holdings: readonly string[]): boolean {
  const { saved, running } = one;
  if (saved?.name === ref) return true;
  const image = running?.planned.image;
  if (running && image !== undefined && imageServerId(running.agentId, image) === ref) return true;
  return holdings.some(id => id === ref || (ref.length >= 12 && id.startsWith(ref)));
}

function imageIn(ref: string): string | undefined {
  try {
    return normaliseImage(ref);
  } catch {
    // A name may have these characters too; whoever wants to load it as an image is told what is wrong with it.
    return undefined;
  }
}

function ambiguous(ref: string, one: string, other: string, how: string): LongshoreError {
  return new LongshoreError('ambiguous-ref', `${ref} is ${one} and also ${other}. ${how}`);
}
