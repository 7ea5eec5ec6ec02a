/** How long each phase may take, in milliseconds. Each is its own phase (R49); every server may override its own. */
export interface Deadlines {
  /** Transport open and negotiation. */
  readonly open: number;
  /** Of a launcher that downloads packages first (npx, uvx, bunx …): how long it may go without any sign of work. */
  readonly openLauncher: number;
  /** Opening and negotiation where the command is such a launcher, however much it works. */
  readonly launcherTotal: number;
  /** Discovery with all its pages. */
  readonly discovery: number;
  readonly imagePull: number;
  readonly containerReady: number;
  readonly gatewayStart: number;
  /** A call without any progress for that long. */
  readonly callIdle: number;
  /** A call however much progress it makes. */
  readonly callTotal: number;
  /** Graceful closing; forced closing gets the same once more (R51, R52). */
  readonly close: number;
}

export const defaultDeadlines: Deadlines = {
  open: 15_000,
  openLauncher: 60_000,
  launcherTotal: 600_000,
  discovery: 60_000,
  imagePull: 600_000,
  containerReady: 30_000,
  gatewayStart: 180_000,
  callIdle: 60_000,
  callTotal: 900_000,
  close: 15_000,
};
