import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { signInAddress } from '../client/sign-in-address.ts';
import { readSettings, type Settings } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { asLongshoreError, LongshoreError } from '../core/errors.ts';
import type { Log } from '../core/ports/log.ts';
import { homeFiles } from '../core/service-note.ts';
import type { Bind, Tls } from '../cortex/bind.ts';
import { type Served, serveHost } from '../cortex/serve-host.ts';
import { openHost } from '../host/open-host.ts';
import { cleanUpOnSignals } from '../host/signal-cleanup.ts';
import { createRedactor } from '../secrets/redact.ts';
import { homeGone } from './home-watch.ts';
import { lastResort } from './last-resort.ts';
import { createLogFile } from './log-file.ts';
import { openBrowser } from './open-browser.ts';
import type { Terminal } from './terminal.ts';

/** What `serve` was asked for. */
export interface ServeOptions {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly allowHost: readonly string[];
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly insecureHttp?: true | undefined;
  readonly open?: true | undefined;
  readonly json?: true | undefined;
  /** Started by a client: nobody reads what it says, and any free port will do. */
  readonly background?: true | undefined;
}

/** A log of more than this becomes the one before; bytes. */
const mostLogBytes = 10 * 1024 * 1024;

/** Runs the service until it is stopped, and gives the exit code. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  const { env } = terminal;
  const { settings } = readSettings({ env, platform: process.platform, homeDir: homedir() });
  const redactor = createRedactor();
  const logPath = join(settings.home, 'logs', 'longshore.log');
  const file = createLogFile({ path: logPath, mostBytes: mostLogBytes, mask: redactor.text });
  const log = pino({ level: settings.log, base: null, timestamp: pino.stdTimeFunctions.isoTime }, file);
  const stopAsked = Promise.withResolvers<void>();

  const host = await openHost({
    home: settings.home,
    env,
    log,
    redactor,
    handleSignals: false,
    relaysInput: true,
    ownFolders: true,
  });
  let served: Served;
  try {
    const start = (bind: Bind) =>
      serveHost({
        host,
        bind,
        log,
        mcp: settings,
        closeBudget: settings.deadlines.close,
        onStopAsked: stopAsked.resolve,
      });
    served = await listenSomewhere(
      bindOf(options, settings),
      start,
      options.background === true && !isPortSet(options, env),
    );
  } catch (error) {
    await host.dispose();
    throw error;
  }
  let closing: Promise<number> | undefined;
  const close = () => (closing ??= closeService(served, log));
  const stopListening = cleanUpOnSignals(process, async () => void (await close()));
  let isBroken = false;
  const stopCatching = lastResort(process, log, () => {
    isBroken = true;
    stopAsked.resolve();
  });
  if (!options.background) await greet(served, options, terminal);
  const watching = new AbortController();
  const gone = homeGone(join(settings.home, homeFiles.serviceNote), process.pid, systemClock, watching.signal);
  await Promise.race([stopAsked.promise, gone.then(() => terminal.err(homeGoneText(settings.home)))]);
  watching.abort();
  const code = await close();
  stopListening();
  stopCatching();
  return isBroken ? 1 : code;
}

function homeGoneText(home: string): string {
  return `longshore: the home ${home} is gone, so nobody can reach this service. It ends its servers and itself.\n`;
}

/** Stops everything; 1 if something is left. */
async function closeService(served: Served, log: Log): Promise<number> {
  try {
    await served.close();
    return 0;
  } catch (error) {
    log.error({ err: error }, 'Not everything could be stopped. The next start tries again.');
    return asLongshoreError(error).row.exit;
  }
}

/** A service in the background is found by its home, so another program on the usual port does not matter. */
async function listenSomewhere(bind: Bind, start: (bind: Bind) => Promise<Served>, anyPort: boolean): Promise<Served> {
  try {
    return await start(bind);
  } catch (error) {
    const isTaken = error instanceof LongshoreError && error.data?.['code'] === 'EADDRINUSE';
    if (!isTaken || !anyPort) throw error;
    return await start({ ...bind, port: 0 });
  }
}

function isPortSet({ port }: ServeOptions, env: Terminal['env']): boolean {
  return port !== undefined || env['LONGSHORE_PORT'] !== undefined;
}

function bindOf(options: ServeOptions, settings: Settings): Bind {
  const tls = tlsOf(options);
  return {
    host: options.host ?? settings.host,
    port: options.port ?? settings.port,
    allowedHosts: options.allowHost,
    ...(tls && { tls }),
    insecureHttp: options.insecureHttp === true,
  };
}

function tlsOf({ tlsCert, tlsKey }: ServeOptions): Tls | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new LongshoreError('usage', '--tls-cert and --tls-key belong together: give both, as files in PEM form.');
  }
  return { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) };
}

function readPem(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new LongshoreError('bad-setting', `The file of ${flag}, ${path}, cannot be read.`, { cause: error });
  }
}

async function greet(served: Served, options: ServeOptions, terminal: Terminal): Promise<void> {
  const { url } = served;
  const signIn = signInAddress(url, served.signInToken());
  if (options.json) {
    await terminal.out(`${JSON.stringify({ url, signIn, pid: process.pid })}\n`);
  } else {
    await terminal.out(`Longshore is ready at ${url}\nSign in with this link, once, within 5 minutes: ${signIn}\n`);
    await terminal.err('Stop it with Ctrl-C, or from elsewhere with: longshore stop\n');
  }
  if (!options.open) return;
  if (terminal.interactive) openBrowser(signIn, process.platform);
  else await terminal.err('--open is for a terminal: nothing was opened.\n');
}
