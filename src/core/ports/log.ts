/** What the floors need of a logger; pino fits it. Fields come first, never secrets, then one sentence. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
