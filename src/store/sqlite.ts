import type * as sqlite from 'node:sqlite';

/** Not imported, so that an older Node, which lacks the module, gets as far as saying what is needed (core/required-node.ts). */
export const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
export type DatabaseSync = sqlite.DatabaseSync;
