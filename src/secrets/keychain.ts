import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A place outside our files that keeps texts for us. */
export interface Keychain {
  set(account: string, value: string): Promise<void>;
  get(account: string): Promise<string | undefined>;
  /** True if there was one. */
  remove(account: string): Promise<boolean>;
}

/** What one run of the keychain program is told, as one line on its stdin. */
export type KeychainRequest =
  | { readonly op: 'set'; readonly account: string; readonly value: string }
  | { readonly op: 'get' | 'remove'; readonly account: string };

/** What it answers, as one line on its stdout. */
export type KeychainAnswer =
  | { readonly ok: true; readonly value: string | null; readonly removed: boolean }
  | { readonly ok: false; readonly why: string };

export interface KeychainOptions {
  /** Environment of the program: on Linux it says where the desktop's secret service is. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds for one request. A locked keychain may be asking the person for a password. */
  readonly limit: number;
}

/**
 * The operating system's keychain. Each request runs in a program of its own, because the system's call can block for
 * ever, in native code that nothing inside a process can interrupt. Rejects with an Error that holds no value.
 */
export function osKeychain(options: KeychainOptions): Keychain {
  return {
    async set(account, value) {
      await ask({ op: 'set', account, value }, options);
    },
    async get(account) {
      return (await ask({ op: 'get', account }, options)).value ?? undefined;
    },
    async remove(account) {
      return (await ask({ op: 'remove', account }, options)).removed;
    },
  };
}

/** The program's file, beside this one: TypeScript in the sources, JavaScript in the package. */
const program = fileURLToPath(new URL(`./keychain-program${extname(import.meta.filename)}`, import.meta.url));

async function ask(request: KeychainRequest, options: KeychainOptions): Promise<KeychainAnswer & { ok: true }> {
  const { NODE_OPTIONS: _, ...env } = options.env;
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
  const timer = setTimeout(() => child.kill('SIGKILL'), options.limit);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A program that ended before it read the request says why by its exit.
  child.stdin.on('error', () => {});
  // The pipe stays open: its end tells the program that nobody waits for it any more.
  child.stdin.write(`${JSON.stringify(request)}\n`);
  const ended = await new Promise<string>(resolve => {
    child.on('error', error => resolve(`its program could not be started (${error.message})`));
    child.on('close', (code, signal) => {
      const late = signal === 'SIGKILL' ? `it did not answer within ${options.limit / 1000} s` : undefined;
      resolve(late ?? `its program ended with code ${code}`);
    });
  });
  clearTimeout(timer);
  child.stdin.destroy();
  const answer = parse(Buffer.concat(chunks).toString('utf8'));
  if (answer?.ok) return answer;
  const why = answer?.why ?? ended;
  throw new Error(request.op === 'set' ? why.replaceAll(request.value, '***') : why);
}

function parse(line: string): KeychainAnswer | undefined {
  try {
    return JSON.parse(line) as KeychainAnswer;
  } catch {
    return undefined;
  }
}

/**
 * Why the keychain cannot be used, seen in a real round trip (set, get, delete) with a throw-away entry; undefined if it
 * can. Never rejects.
 */
export async function keychainFault(keychain: Keychain, account: string): Promise<string | undefined> {
  try {
    await keychain.set(account, account);
    const kept = await keychain.get(account);
    const removed = await keychain.remove(account);
    return kept === account && removed ? undefined : 'it did not give back what it was given';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
