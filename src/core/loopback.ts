import { isIPv4 } from 'node:net';

/** True for a host, as a URL has it, that is this machine itself whatever the resolver says. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host === '0.0.0.0') return true;
  return isIPv4(host) && host.startsWith('127.');
}
