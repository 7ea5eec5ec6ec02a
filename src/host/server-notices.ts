import type { Notice } from '../connections/connection.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';

/** What one server of a home said unasked. */
export interface ServerNotice extends Notice {
  readonly agentId: AgentId;
  readonly server: ServerKey;
}

/** Everything that the servers of a home say unasked, of all agents. */
export interface ServerNotices {
  /** Returns the way to stop listening. */
  on(listener: (notice: ServerNotice) => void): () => void;
}

/** A hub for them. */
export function createServerNotices(): ServerNotices & { tell(notice: ServerNotice): void } {
  const listeners = new Set<(notice: ServerNotice) => void>();
  return {
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(notice) {
      for (const listener of [...listeners]) listener(notice);
    },
  };
}
