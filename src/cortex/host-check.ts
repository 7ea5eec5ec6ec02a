import { LongshoreError } from '../core/errors.ts';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Throws `wrong-host` or `wrong-origin` for the headers Host and Origin of a request. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => void;

/**
 * Refuses requests that come for another host than ours, so that no web page can reach us by a name of its own (DNS
 * rebinding), and requests of pages from elsewhere. Any port is fine: a tunnel may change it. The refusal names what was
 * seen and what to set.
 */
export function hostCheck(allowedHosts: readonly string[]): HostCheck {
  const allowed = allowedHosts.map(host => host.toLowerCase());
  const known = new Set([...loopbackNames, ...allowed]);
  return (host, origin) => {
    const name = host === undefined ? undefined : authority(`http://${host}`)?.hostname;
    if (name === undefined || !known.has(name)) throw refusal('wrong-host', host ?? '', name, known);
    if (origin !== undefined && !isOurs(origin, host ?? '', allowed)) {
      throw refusal('wrong-origin', origin, authority(origin)?.hostname, known);
    }
  };
}

/** A page is ours if it came from where its request goes, or from a name that was allowed: a proxy may change the host. */
function isOurs(origin: string, host: string, allowed: readonly string[]): boolean {
  const page = authority(origin);
  if (page === undefined) return false;
  return page.host === authority(`${page.protocol}//${host}`)?.host || allowed.includes(page.hostname);
}

function authority(url: string): URL | undefined {
  const parsed = URL.parse(url);
  const isPlain = parsed !== null && parsed.username === '' && parsed.password === '' && parsed.pathname === '/';
  return isPlain && /^https?:$/.test(parsed.protocol) && parsed.search + parsed.hash === '' ? parsed : undefined;
}

function refusal(
  code: 'wrong-host' | 'wrong-origin',
  seen: string,
  name: string | undefined,
  known: ReadonlySet<string>,
): LongshoreError {
  const shown = seen.slice(0, 255);
  const what = `${code === 'wrong-host' ? 'for the host' : 'from a page of'} ${JSON.stringify(shown)}`;
  // To allow loopback by name would let every page on this machine in, on whatever port.
  const remedy =
    name === undefined || loopbackNames.includes(name)
      ? ''
      : ` If that is on purpose, start Longshore with --allow-host ${name.slice(0, 255)}`;
  return new LongshoreError(code, `The request came ${what}, and expected is only ${[...known].join(', ')}.${remedy}`, {
    data: { seen: shown, expected: [...known], setting: '--allow-host' },
  });
}
