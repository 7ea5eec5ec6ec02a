import { isJsonObject, type JsonValue } from './json.ts';

/**
 * What was learned about the 2025 side of a server that speaks 2026-07-28; kept with its lists.
 * - `absent`: it has none
 * - `same`: it has one, which offers no more
 * - `beside`: it is spoken to on both at once, by whichever its client needs (HTTP)
 * - the others say why it is spoken to on its older side alone
 */
export interface OlderEra {
  readonly found: 'absent' | 'same' | 'beside' | 'client' | 'refused' | 'lists-more';
}

const reasons: Readonly<Record<OlderEra['found'], string | undefined>> = {
  absent: undefined,
  same: undefined,
  beside: 'Clients of 2025 that can be asked for input speak to it on a 2025 revision, which it also has.',
  client:
    'It also speaks 2026-07-28, but a client of 2025 that can be asked for input uses it, and only on this revision can it ask that client.',
  refused:
    'It also speaks 2026-07-28, but one of its tools wanted to ask its client for input, which it can only do on this revision.',
  'lists-more': 'It also speaks 2026-07-28, but lists less there.',
};

/** Why a server is spoken to on that revision, in one sentence; undefined where it is the newest one that both speak. */
export function protocolReason(pinned: string | undefined, olderEra: OlderEra | undefined): string | undefined {
  if (pinned !== undefined && pinned !== 'auto') return `Its protocol setting says ${pinned}.`;
  return olderEra && reasons[olderEra.found];
}

/** True for a server that is spoken to on its older side alone. */
export function isOlderOnly(olderEra: OlderEra | undefined): boolean {
  return olderEra !== undefined && ['client', 'refused', 'lists-more'].includes(olderEra.found);
}

/** Reads what was kept; undefined for anything else. */
export function readOlderEra(kept: JsonValue | undefined): OlderEra | undefined {
  const found = isJsonObject(kept) ? kept.found : undefined;
  return typeof found === 'string' && Object.hasOwn(reasons, found) ? { found: found as OlderEra['found'] } : undefined;
}
