/** Longer names are not compared, and no more than so many: what it costs must not depend on who asks. */
const longestName = 100;
const mostCompared = 1_000;

/**
 * The candidate that somebody who typed `name` most likely meant, or undefined if none is near: at most one slip
 * (a character too many, too few, wrong, or two exchanged) for every three characters. Only ever for suggesting, so names
 * of more than 100 characters and candidates after the first thousand are left out.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  const typed = name.toLowerCase();
  let best: { readonly candidate: string; readonly slips: number } | undefined;
  let compared = 0;
  for (const candidate of candidates) {
    const most = Math.floor(Math.max(typed.length, candidate.length) / 3);
    if (candidate.length > longestName || Math.abs(typed.length - candidate.length) > most) continue;
    compared += 1;
    if (compared > mostCompared) break;
    const slips = countSlips(typed, candidate.toLowerCase());
    if (slips <= most && (best === undefined || slips < best.slips)) best = { candidate, slips };
  }
  return best?.candidate;
}

/** Optimal string alignment distance, keeping three rows. */
function countSlips(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let slips = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const exchanged = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (exchanged) slips = Math.min(slips, (beforeLast[column - 2] ?? 0) + 1);
      current.push(slips);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
