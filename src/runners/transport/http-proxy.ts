import { BlockList, isIP, isIPv6 } from 'node:net';
import { isLoopbackHost } from '../../core/loopback.ts';

/** The proxy that requests to a server go through. */
export interface HttpProxy {
  readonly uri: string;
  /** The variable that names it. */
  readonly variable: string;
  /** Host and port, without a user name and password. */
  readonly place: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for that URL, as curl and others read it: `https_proxy` for https, `http_proxy`
 * for http, else `all_proxy`, in either case of letters; none for what `no_proxy` lists, and never one for this machine
 * itself. A value that is no http or https URL names none.
 */
export function proxyFor(url: URL, env: Variables): HttpProxy | undefined {
  if (isLoopbackHost(url.hostname) || isExcepted(url, variable(env, 'no_proxy')?.value ?? '')) return undefined;
  const named = variable(env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') ?? variable(env, 'all_proxy');
  if (named === undefined) return undefined;
  const text = named.value.includes('://') ? named.value : `http://${named.value}`;
  const proxy = URL.parse(text);
  if (proxy === null || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) return undefined;
  const port = proxy.port || (proxy.protocol === 'https:' ? '443' : '80');
  return { uri: proxy.href, variable: named.name, place: `${proxy.hostname}:${port}` };
}

function variable(env: Variables, name: string): { readonly name: string; readonly value: string } | undefined {
  for (const written of [name, name.toUpperCase()]) {
    const value = env[written]?.trim();
    if (value !== undefined && value !== '') return { name: written, value };
  }
  return undefined;
}

function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bare(hostname.toLowerCase()).replace(/\.$/, '');
  const own = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some(entry => {
      if (entry === '*') return true;
      if (isIP(host) !== 0 && entry.includes('/')) return isInNetwork(host, entry);
      const [, name = '', wanted] = /^(\[[^\]]+\]|[^:]*|[^[].*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const wanting = bare(name)
        .replace(/^\*?\./, '')
        .replace(/\.$/, '');
      if (wanting === '' || (wanted !== undefined && wanted !== own)) return false;
      return host === wanting || (isIP(host) === 0 && host.endsWith(`.${wanting}`));
    });
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits] = network.split('/');
  if (isIP(address) === 0 || isIP(address) !== isIP(host) || bits === undefined) return false;
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const prefix = Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > (family === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(address, prefix, family);
  return list.check(host, family);
}

function bare(host: string): string {
  return host.replace(/^\[(.+)\]$/, '$1');
}
