import { isIP, isIPv6 } from 'node:net';
import { LongshoreError } from '../core/errors.ts';

/** Certificate chain and private key, as PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** Where Cortex is asked to listen. */
export interface Bind {
  /** `127.0.0.1` by default (LONGSHORE_HOST, --host). */
  readonly host: string;
  /** 0 takes a free one (LONGSHORE_PORT, --port). */
  readonly port: number;
  /** Names by which it may be reached besides loopback (--allow-host). */
  readonly allowedHosts: readonly string[];
  readonly tls?: Tls;
  /** True if tokens may cross the network unencrypted, because something else encrypts (--insecure-http). */
  readonly insecureHttp: boolean;
}

/** True for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** How a program on this machine reaches what listens there, whatever names others know it by. */
export function localUrl({ host, tls }: Pick<Bind, 'host' | 'tls'>, port: number): string {
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const address = everywhere[host] ?? host;
  return `${tls ? 'https' : 'http'}://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

/**
 * Refuses to be reachable from elsewhere by mistake: anything but loopback needs names, and TLS or the explicit will to
 * do without. Throws `bad-setting` with what is missing.
 */
export function checkBind(bind: Bind): void {
  if (isLoopback(bind.host)) return;
  const missing = [
    ...(bind.allowedHosts.length === 0 ? ['--allow-host with the names by which it will be reached'] : []),
    ...(bind.tls === undefined && !bind.insecureHttp ? ['--tls-cert and --tls-key (or --insecure-http)'] : []),
  ];
  if (missing.length === 0) return;
  throw new LongshoreError(
    'bad-setting',
    `Listening on ${bind.host} lets other machines reach Longshore, which runs programs for whoever has its token. That needs ${missing.join(', and ')}.`,
    { data: { host: bind.host, missing } },
  );
}
