/** The handle on the tiny program that cleans up after our death (R5). */
export interface Watchdog extends AsyncDisposable {
  /** Environment to add to every process we start: the marker by which the watchdog knows ours. */
  markerEnv(marker: string): Readonly<Record<string, string>>;
}
