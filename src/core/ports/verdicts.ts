import type { Brand } from '../brand.ts';
import type { JsonObject } from '../json.ts';

/** Digest over what identifies a server and the credential used with it; never shared between credentials. */
export type VerdictKey = Brand<string, 'VerdictKey'>;

/** Which era a server was found to speak. `discover` is its verbatim DiscoverResult. */
export type Verdict = { readonly era: 'modern'; readonly discover: JsonObject } | { readonly era: 'legacy' };

/** Remembers verdicts; they expire. A verdict that came from silence is never put here. */
export interface Verdicts {
  get(key: VerdictKey): Promise<Verdict | undefined>;
  put(key: VerdictKey, verdict: Verdict): Promise<void>;
  forget(key: VerdictKey): Promise<void>;
}

/** Verdicts for the life of one process. */
export function verdictsInMemory(): Verdicts {
  const verdicts = new Map<VerdictKey, Verdict>();
  return {
    get: key => Promise.resolve(verdicts.get(key)),
    put: (key, verdict) => Promise.resolve(void verdicts.set(key, verdict)),
    forget: key => Promise.resolve(void verdicts.delete(key)),
  };
}
