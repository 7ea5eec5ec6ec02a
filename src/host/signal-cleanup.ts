/** The signals by which a person or a supervisor ends a program. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts the cleanup when one of these signals arrives, and when it has settled raises the signal again, so that the
 * program ends as if it had no handler (R5). Where the embedding program listens itself, it has had the signal and decides.
 * Returns the way to stop listening.
 */
export function cleanUpOnSignals(process: NodeJS.Process, cleanUp: () => Promise<void>): () => void {
  let raised: NodeJS.Signals | undefined;
  const stop = () => {
    for (const signal of endings) process.removeListener(signal, onSignal);
  };
  function onSignal(signal: NodeJS.Signals): void {
    // A terminal's Ctrl-C and a supervisor's SIGTERM often come together, or twice: one cleanup serves all.
    if (raised !== undefined) return;
    raised = signal;
    // The failure belongs to whoever disposes the host; what is left is in the ledger and swept at the next start.
    void cleanUp()
      .catch(() => undefined)
      .then(() => {
        stop();
        if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
      });
  }
  for (const signal of endings) process.on(signal, onSignal);
  return () => {
    if (raised === undefined) stop();
  };
}
