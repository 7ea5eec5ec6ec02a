const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A span of milliseconds as a person says it: `2 h`, `12 min`; below a second it is `0 s`. */
export function timeText(milliseconds: number): string {
  const [unit, size] = units.find(([, least]) => milliseconds >= least) ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(milliseconds / size))} ${unit}`;
}

/** A point in time, to the second, in UTC: `2026-08-01 12:30:00`. */
export function dateText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19);
}
