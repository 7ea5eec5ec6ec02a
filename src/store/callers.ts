import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type CallerScope, emptyScope, wholeScope } from '../core/caller-scope.ts';
import { LongshoreError } from '../core/errors.ts';
import { type AgentId, type Digest, sha256 } from '../core/ids.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { Caller } from '../core/words.ts';
import { isUniqueViolation } from './sqlite-errors.ts';
import type { Migration, Table } from './table.ts';

/** A client with a token of its own; times in milliseconds since 1970. */
export interface ClientCaller {
  readonly id: string;
  /** `[A-Za-z0-9_.-]`, unique among those that are not revoked. */
  readonly name: string;
  /** How the rest of the program names it: `client:<name>`. */
  readonly caller: Caller;
  /** On whose behalf it asks. */
  readonly agentId: AgentId;
  /** What it reaches; as it was when it was looked up. */
  readonly scope: CallerScope;
  readonly createdAt: number;
  /** To the minute; null if never. */
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** The tokens of clients (Claude, Cursor …). Of a token only its SHA-256 is kept. */
export interface Callers {
  /** Makes a caller and its token, which is shown this once. `usage` for a bad name, `name-in-use` for a taken one. */
  create(
    name: string,
    agentId: AgentId,
    scope?: CallerScope,
  ): Promise<{ readonly caller: ClientCaller; readonly token: string }>;
  /** Whose token this is, with its scope as it is now; undefined for an unknown or a revoked one. */
  find(token: string): Promise<ClientCaller | undefined>;
  /** What a caller that was made, found or listed reaches at this moment, without looking at the disk; nothing once it is revoked. */
  scopeOf(id: ClientCaller['id']): CallerScope;
  /** Gives a caller another scope, which holds at once; undefined if nobody of that name has a token. */
  setScope(name: string, scope: CallerScope): Promise<ClientCaller | undefined>;
  /** By time of creation, revoked ones included. */
  list(): Promise<readonly ClientCaller[]>;
  /** Takes a caller its token for good; undefined if nobody of that name has one. */
  revoke(name: string): Promise<ClientCaller | undefined>;
}

type CallersTables = {
  callers: {
    id: string;
    name: string;
    agent_id: string;
    token_sha256: string;
    scope_json: string | null;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
};

const create: Migration = {
  number: 9,
  async up(db) {
    await db.schema
      .createTable('callers')
      .addColumn('id', 'text', column => column.primaryKey())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('agent_id', 'text', column => column.notNull())
      .addColumn('token_sha256', 'text', column => column.notNull().unique())
      .addColumn('created_at', 'integer', column => column.notNull())
      .addColumn('last_used_at', 'integer')
      .addColumn('revoked_at', 'integer')
      .modifyEnd(sql`strict`)
      .execute();
    await sql`create unique index callers_name on callers (name) where revoked_at is null`.execute(db);
  },
};

/** Tokens from before there were scopes reach everything, as they did. */
const addScope: Migration = {
  number: 12,
  async up(db) {
    await db.schema.alterTable('callers').addColumn('scope_json', 'text').execute();
  },
};

/** A client that calls a thousand times a minute costs one write a minute. */
const lastUsedPrecision = 60_000;

/** Throws `usage` for what is no name of a caller. */
export function checkCallerName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) return;
  throw new LongshoreError(
    'usage',
    `A caller is named by 1 to 64 of the characters A-Z a-z 0-9 _ . - and begins with a letter or digit, not ${JSON.stringify(name)}.`,
  );
}

/** Callers with tokens, over restarts. */
export const callersTable: Table<Callers> = {
  migrations: [create, addScope],
  open({ db: untyped, clock, randomId }) {
    const db = untyped.$extendTables<CallersTables>();
    // Every call of a client asks who it is. The home's lock makes this process the only one that revokes.
    const known = new Map<Digest, ClientCaller>();
    const scopes = new Map<ClientCaller['id'], CallerScope>();
    let changes = 0;

    /** As it was read from the disk, unless something newer is known. */
    function seen(row: Selectable<CallersTables['callers']>): ClientCaller {
      const caller = asCaller(row);
      if (caller.revokedAt === null && !scopes.has(caller.id)) scopes.set(caller.id, caller.scope);
      return caller;
    }

    /** From now on: what a look-up that began earlier brings is of no use. */
    function changed(digest: string, id: string, scope: CallerScope): void {
      changes += 1;
      known.delete(digest as Digest);
      scopes.set(id, scope);
    }

    return {
      async create(name, agentId, scope = wholeScope) {
        checkCallerName(name);
        const token = `lsc_${randomBytes(32).toString('base64url')}`;
        const row: Selectable<CallersTables['callers']> = {
          id: randomId(),
          name,
          agent_id: agentId,
          token_sha256: sha256(token),
          scope_json: JSON.stringify(scope),
          created_at: clock.now(),
          last_used_at: null,
          revoked_at: null,
        };
        try {
          await db.insertInto('callers').values(row).execute();
        } catch (error) {
          if (!isUniqueViolation(error)) throw error;
          throw new LongshoreError(
            'name-in-use',
            `There is a caller ${name} already. Choose another name, or run: longshore token revoke ${name}`,
          );
        }
        return { caller: seen(row), token };
      },
      async find(token) {
        // Looking for a digest tells a listener nothing about the token, however it is compared.
        const digest = sha256(token);
        for (;;) {
          const now = clock.now();
          const caller = known.get(digest);
          if (caller?.lastUsedAt && now - caller.lastUsedAt < lastUsedPrecision) return caller;
          const changesBefore = changes;
          const row = await db
            .updateTable('callers')
            .set({ last_used_at: now })
            .where('token_sha256', '=', digest)
            .where('revoked_at', 'is', null)
            .returningAll()
            .executeTakeFirst();
          // A revocation or another scope that came meanwhile may be this one's.
          if (changes !== changesBefore) continue;
          if (row === undefined) return undefined;
          const found = seen(row);
          known.set(digest, found);
          return found;
        }
      },
      scopeOf: id => scopes.get(id) ?? emptyScope,
      async setScope(name, scope) {
        const row = await db
          .updateTable('callers')
          .set({ scope_json: JSON.stringify(scope) })
          .where('revoked_at', 'is', null)
          .where('name', '=', name)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        changed(row.token_sha256, row.id, scope);
        return asCaller(row);
      },
      async list() {
        return (await db.selectFrom('callers').selectAll().orderBy('created_at').orderBy('id').execute()).map(seen);
      },
      async revoke(name) {
        const row = await db
          .updateTable('callers')
          .set({ revoked_at: clock.now() })
          .where('revoked_at', 'is', null)
          .where('name', '=', name)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        changed(row.token_sha256, row.id, emptyScope);
        return asCaller(row);
      },
    };
  },
};

function asCaller(row: Selectable<CallersTables['callers']>): ClientCaller {
  return {
    id: row.id,
    name: row.name,
    caller: `client:${row.name}`,
    agentId: row.agent_id as AgentId,
    scope: scopeFrom(row.scope_json),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

/** What cannot be read reaches nothing: a scope may be damaged, or a newer version's. */
function scopeFrom(text: string | null): CallerScope {
  if (text === null) return wholeScope;
  const value = parsed(text);
  if (!isJsonObject(value)) return emptyScope;
  const { servers, tools, risk, list, manages } = value;
  return {
    servers: servers === null ? null : textsOf(servers),
    tools: tools === null ? null : textsOf(tools),
    risk: risk === 'all' ? 'all' : 'read-only',
    list: isJsonObject(list) ? { pins: textsOf(list['pins']) } : 'all',
    manages: manages === true,
  };
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : [];
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
