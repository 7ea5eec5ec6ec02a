/** A service that is to be asked, and as whom. */
export interface Target {
  /** Without a slash at the end, e.g. `http://127.0.0.1:7411`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; absent for what needs none. */
  readonly token?: string;
  /** What the Host header says where the URL's own name is not one that the service expects. */
  readonly host?: string;
  /** PEM of the only certificate that is trusted; the system's authorities where it is absent. */
  readonly certificate?: string;
}
