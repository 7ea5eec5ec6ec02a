/** Collects the values of an option that may be repeated, in order. */
export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
