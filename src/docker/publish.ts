/** One `-p` taken apart; host parts are '' where the user left them out. */
export interface Publish {
  readonly hostAddress: string;
  readonly hostPort: string;
  /** One port, or a range `3000-3005`. */
  readonly containerPort: string;
  readonly protocol: string;
}

/** Reads the value of `-p`: `[[address:][hostPort]:]containerPort[/protocol]`, or docker's `target=…,published=…`. */
export function parsePublish(value: string): Publish {
  if (value.includes('=')) return parseLongForm(value);
  const slash = value.lastIndexOf('/');
  const protocol = slash === -1 ? 'tcp' : value.slice(slash + 1).toLowerCase();
  const parts = (slash === -1 ? value : value.slice(0, slash)).split(':');
  const containerPort = parts.pop() ?? '';
  const hostPort = parts.pop() ?? '';
  // What is left is the address; an IPv6 one has colons of its own, and may stand in brackets.
  const hostAddress = parts.join(':').replace(/^\[(.*)\]$/, '$1');
  return { hostAddress, hostPort, containerPort, protocol };
}

function parseLongForm(value: string): Publish {
  const fields = new Map(
    value.split(',').map(field => {
      const [key = '', ...rest] = field.split('=');
      return [key.trim().toLowerCase(), rest.join('=').trim()] as const;
    }),
  );
  return {
    hostAddress: '',
    hostPort: fields.get('published') ?? '',
    containerPort: fields.get('target') ?? '',
    protocol: fields.get('protocol') ?? 'tcp',
  };
}

/** The value for `-p` again. */
export function printPublish({ hostAddress, hostPort, containerPort, protocol }: Publish): string {
  const address = hostAddress.includes(':') ? `[${hostAddress}]` : hostAddress;
  return `${address}:${hostPort}:${containerPort}${protocol === 'tcp' ? '' : `/${protocol}`}`;
}

/** The same port on this machine only, where the user named no address (R11). */
export function onLoopback(publish: Publish): Publish {
  return publish.hostAddress === '' || publish.hostAddress === 'localhost'
    ? { ...publish, hostAddress: '127.0.0.1' }
    : publish;
}

/** False where other machines could reach the port. */
export function isLoopback({ hostAddress }: Publish): boolean {
  return /^127(\.\d{1,3}){3}$/.test(hostAddress) || hostAddress === '::1';
}

/** True if this publish already gives the container's TCP port a port on 127.0.0.1, where we ask (R11); another address needs ours beside it. */
export function covers(publish: Publish, port: number): boolean {
  const [first = Number.NaN, last = first] = publish.containerPort.split('-').map(Number);
  return publish.hostAddress === '127.0.0.1' && publish.protocol === 'tcp' && first <= port && port <= last;
}
