// Run by keychain.ts as a program of its own, one request each. A worker thread makes the system's call, so that the main
// thread can still end the program when whoever asked is gone, however long the call blocks.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { KeychainAnswer, KeychainRequest } from './keychain.ts';

/** The name under which a keychain shows our entries. */
const owner = 'longshore';

if (isMainThread) await supervise();
else parentPort?.postMessage(await answer(workerData as KeychainRequest));

async function supervise(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  // Nothing short of this ends a process whose thread hangs in a system call.
  lines.on('close', () => process.kill(process.pid, 'SIGKILL'));
  const [line] = (await once(lines, 'line')) as [string];
  const worker = new Worker(new URL(import.meta.url), { workerData: JSON.parse(line) as KeychainRequest });
  const [said] = (await once(worker, 'message')) as [KeychainAnswer];
  process.stdout.write(JSON.stringify(said), () => process.exit());
}

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  try {
    const { Entry } = await import('@napi-rs/keyring');
    // The kernel's own keyring, to which the binding falls back by itself, forgets everything at a restart.
    const entry = new Entry(owner, request.account, { linux: { store: 'secret-service' } });
    if (request.op === 'set') entry.setPassword(request.value);
    return {
      ok: true,
      value: request.op === 'get' ? entry.getPassword() : null,
      removed: request.op === 'remove' && entry.deletePassword(),
    };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}
