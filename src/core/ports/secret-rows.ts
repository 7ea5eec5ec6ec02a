/** Where the values of secrets are kept: the operating system's keychain, or encrypted in the database. */
export type SecretProvider = 'keychain' | 'encrypted-file';

/** One secret by name; its value is elsewhere, or sealed. */
export interface SecretRow {
  readonly name: string;
  readonly provider: SecretProvider;
  /** Null where the keychain has the value. */
  readonly ciphertext: Uint8Array | null;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** What was chosen at the first use of secrets in this home. */
export interface VaultChoice {
  readonly provider: SecretProvider;
  /** Random; tells this home's entries in the keychain from another home's. */
  readonly vaultId: string;
}

/** The names of all secrets of this home, and the sealed values of those that no keychain keeps. */
export interface Secrets {
  /** By name. */
  list(): Promise<readonly SecretRow[]>;
  get(name: string): Promise<SecretRow | undefined>;
  put(row: Omit<SecretRow, 'updatedAt'>): Promise<void>;
  /** True if there was one. */
  remove(name: string): Promise<boolean>;
  choice(): Promise<VaultChoice | undefined>;
  /** Remembers a choice and returns the one that holds: the first that any process made. */
  choose(provider: SecretProvider): Promise<VaultChoice>;
}
