import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AgentId, HomeId, RandomId } from '../core/ids.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import { type CheckpointFile, checkpointFile } from '../store/checkpoint-file.ts';
import { didKey } from '../store/did-key.ts';
import { type Home, type HomeOptions, openHome } from '../store/home.ts';
import { type HomeLock, lockHome } from '../store/home-lock.ts';
import { readIdentity, resolveAgentId } from '../store/identity.ts';

/** Storage of a host: a locked home folder, or nothing that outlives it. */
export interface HomeStorage extends Disposable {
  /** Of the database; `:memory:` without a home. */
  readonly database: string;
  readonly homeId: HomeId;
  /** Before anything of the ledger is swept: what a copied home's ledger names is the original's, and forgotten here. */
  settle(ledger: Ledger): Promise<void>;
  readonly defaultAgent: AgentId;
  /** The home's files, and the way to say where it is served; only a home has them. */
  readonly home?: { readonly files: Home; readonly announce: HomeLock['announce'] };
  /** Where the audit's signed checkpoint is kept, and the key that signs it; only a home has them. */
  readonly checkpoint?: { readonly file: CheckpointFile; readonly key: KeyObject };
}

/** Who embeds the host, if anybody does (R66). */
export interface Embedder {
  readonly agentId?: unknown;
}

/** Opens and locks a home. Throws `home-in-use`, `invalid-identity`, `bad-setting` or `cannot-record`. */
export function homeStorage(options: HomeOptions, pid: number, embedder: Embedder): HomeStorage {
  const home = openHome(options);
  const lock = lockHome(home, pid);
  try {
    const own = readIdentity(home.identity);
    const defaultAgent = resolveAgentId(embedder, () => own.agentId);
    const { database, homeId } = home;
    const checkpoint = { file: checkpointFile(home.auditCheckpoint), key: own.privateKey };
    const access = { files: home, announce: lock.announce };
    return {
      database,
      homeId,
      settle: ledger => settle(home, ledger),
      defaultAgent,
      home: access,
      checkpoint,
      [Symbol.dispose]: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** No home: an identity for this host alone, and a database that nobody else sees. */
export function ephemeralStorage(randomId: RandomId, embedder: Embedder): HomeStorage {
  const defaultAgent = resolveAgentId(embedder, () => didKey(generateKeyPairSync('ed25519').publicKey));
  return {
    database: ':memory:',
    homeId: randomId() as HomeId,
    settle: async () => {},
    defaultAgent,
    [Symbol.dispose]() {},
  };
}

async function settle(home: Home, ledger: Ledger): Promise<void> {
  if (home.isCopy) for (const { id } of await ledger.list()) await ledger.forget(id);
  home.settle();
}
