/** GET /api/health, without a token. */
export interface Health {
  readonly name: 'longshore';
  readonly version: string;
  /** True once what was saved is restored, and until the service begins to stop. */
  readonly ready: boolean;
}

/** GET /api/service: the running service itself. POST /api/service/stop stops it (202 `Done`). */
export interface ServiceView {
  readonly pid: number;
  readonly version: string;
  readonly url: string;
  readonly home: string;
  readonly startedAt: number;
  readonly ready: boolean;
  /** What the ledger has of ended runs and could not remove, and what failed to be removed in this one. */
  readonly leftovers: readonly Leftover[];
}

/** Something outside our process that should be gone. */
export interface Leftover {
  readonly kind: 'process' | 'container' | 'gateway';
  readonly server: string;
  /** Container name or id, or process-group id. */
  readonly id: string;
  readonly error: string | null;
}

/** POST /api/sign-in/links (201): the token goes into the fragment of the page's address. */
export interface SignInLink {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** Whatever was asked for was done. */
export interface Done {
  readonly ok: true;
}
