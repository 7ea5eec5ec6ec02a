import type { Connection, Discovery } from '../connections/connection.ts';
import { LongshoreError } from '../core/errors.ts';
import type { AgentId, ServerKey } from '../core/ids.ts';
import type { Mount, MountReason } from '../core/ports/mount.ts';
import type { Diagnostic, Program, WithdrawReason } from '../core/words.ts';

/** Whose listing it is, and how its names are made. */
export interface ListingOwner {
  readonly agentId: AgentId;
  readonly serverKey: ServerKey;
  readonly names: 'plain' | 'prefixed' | undefined;
  /** What it is started from. */
  readonly program: Program;
  /** Which of its tools are mounted; all if not said. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly deniedTools?: readonly string[] | undefined;
}

const nothing: Discovery = { tools: [], resources: [], templates: [], prompts: [], diagnostics: [] };

/** What one server offers, as it is mounted: by its live connection, or dormant while it has none. */
export class ServerListing {
  readonly #mount: Mount;
  readonly #owner: () => ListingOwner;
  #discovery: Discovery | undefined;
  #isDormant = false;
  #mounting: readonly Diagnostic[] = [];

  constructor(mount: Mount, owner: () => ListingOwner) {
    this.#mount = mount;
    this.#owner = owner;
  }

  /** What it offers, or offered when it was last seen; undefined if it never was. */
  get discovery(): Discovery | undefined {
    return this.#discovery;
  }

  /** What of its lists could not be read or mounted. */
  get diagnostics(): readonly Diagnostic[] {
    return [...(this.#discovery?.diagnostics ?? []), ...this.#mounting];
  }

  /** Lists a live server and mounts what it offers. Rejects as `Connection.discover`, or if it ended meanwhile. */
  async read(connection: Connection, signal: AbortSignal, reason?: 'list-changed'): Promise<void> {
    const discovery = await connection.discover(signal);
    const { epoch, protocolVersion, serverKey } = connection;
    if (connection.state.name !== 'ready') {
      throw new LongshoreError('connection-lost', `${serverKey} stopped while it was listed.`);
    }
    this.#put(discovery, epoch, protocolVersion, reason ?? (this.#isDormant ? 'wake' : 'load'));
    this.#isDormant = false;
  }

  /** Mounts dormant handles of what it offered when it was last seen, so that it can be listed and called without running. */
  offerDormant(protocolVersion: string, reason: MountReason, discovery = this.#discovery ?? nothing): void {
    this.#isDormant = true;
    this.#put(discovery, null, protocolVersion, reason);
  }

  /** The same, unless that is done already. */
  keepDormant(protocolVersion: string): void {
    if (this.#discovery && !this.#isDormant) this.offerDormant(protocolVersion, 'load');
  }

  /** Withdraws all of its handles and returns how many there were (R41). What it offered stays known. */
  withdraw(reason: WithdrawReason): number {
    const { agentId, serverKey } = this.#owner();
    return this.#mount.withdraw(agentId, serverKey, reason);
  }

  /** Forgets what it offered: the next start lists it as a new one. */
  forget(): void {
    this.#discovery = undefined;
    this.#isDormant = false;
    this.#mounting = [];
  }

  #put(discovery: Discovery, epoch: Connection['epoch'] | null, protocolVersion: string, reason: MountReason): void {
    this.#discovery = discovery;
    const { allowedTools, deniedTools, ...owner } = this.#owner();
    const tools = discovery.tools.filter(({ name }) => {
      return (allowedTools?.includes(name) ?? true) && deniedTools?.includes(name) !== true;
    });
    this.#mounting = this.#mount.mount({ ...owner, epoch, protocolVersion, ...discovery, tools }, reason);
  }
}
