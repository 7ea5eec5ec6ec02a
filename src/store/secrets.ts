import { sql } from 'kysely';
import type { SecretProvider, Secrets, VaultChoice } from '../core/ports/secret-rows.ts';
import type { Migration, Table } from './table.ts';

type SecretsTables = {
  secrets: { name: string; provider: SecretProvider; ciphertext: Uint8Array | null; updated_at: number };
  secret_vault: { only_row: 1; provider: SecretProvider; vault_id: string };
};

const create: Migration = {
  number: 5,
  async up(db) {
    await db.schema
      .createTable('secrets')
      .addColumn('name', 'text', column => column.primaryKey())
      .addColumn('provider', 'text', column => column.notNull())
      .addColumn('ciphertext', 'blob')
      .addColumn('updated_at', 'integer', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
    await db.schema
      .createTable('secret_vault')
      .addColumn('only_row', 'integer', column => column.primaryKey().check(sql`only_row = 1`))
      .addColumn('provider', 'text', column => column.notNull())
      .addColumn('vault_id', 'text', column => column.notNull())
      .modifyEnd(sql`strict`)
      .execute();
  },
};

/** Names of secrets, and the sealed values (docs/security.md). */
export const secretsTable: Table<Secrets> = {
  migrations: [create],
  open({ db: untyped, clock, randomId }) {
    const db = untyped.$extendTables<SecretsTables>();
    const columns = ['name', 'provider', 'ciphertext', 'updated_at as updatedAt'] as const;

    async function choice(): Promise<VaultChoice | undefined> {
      const row = await db.selectFrom('secret_vault').select(['provider', 'vault_id']).executeTakeFirst();
      return row && { provider: row.provider, vaultId: row.vault_id };
    }

    return {
      list: () => db.selectFrom('secrets').select(columns).orderBy('name').execute(),
      get: name => db.selectFrom('secrets').select(columns).where('name', '=', name).executeTakeFirst(),
      async put({ name, provider, ciphertext }) {
        const row = { name, provider, ciphertext, updated_at: clock.now() };
        await db
          .insertInto('secrets')
          .values(row)
          .onConflict(conflict => conflict.column('name').doUpdateSet(row))
          .execute();
      },
      async remove(name) {
        const { numDeletedRows } = await db.deleteFrom('secrets').where('name', '=', name).executeTakeFirst();
        return numDeletedRows > 0n;
      },
      choice,
      async choose(provider) {
        const mine = { provider, vaultId: randomId() };
        await db
          .insertInto('secret_vault')
          .values({ only_row: 1, provider, vault_id: mine.vaultId })
          .onConflict(conflict => conflict.doNothing())
          .execute();
        return (await choice()) ?? mine;
      },
    };
  },
};
