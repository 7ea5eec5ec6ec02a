/**
 * A close that many may ask for: they join one run; after a failed one the next call runs again (R54); after a
 * successful one there is nothing to do.
 */
export function joinedClose<Value>(run: () => Promise<Value>): () => Promise<Value> {
  let current: Promise<Value> | undefined;
  return () => {
    current ??= run().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  };
}
