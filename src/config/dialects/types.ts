import type { JsonObject } from '../../core/json.ts';
import type { TransportName } from '../../core/words.ts';
import type { EntryPlace } from '../expand-mcp-configs.ts';

/**
 * One server as another client's file describes it, in our own words. What is absent is not said. Texts keep their references
 * in one form: `${env:NAME}`, `${env:NAME:-default}`, `${input:ID}`, `${workspaceFolder}`, `${userHome}`; none is resolved.
 */
export interface ForeignServer {
  /** As the file names it, cut to 64 characters. */
  readonly name: string;
  /** The name in `[A-Za-z0-9_.-]`, unique within its file: what warnings call it. */
  readonly shortName: string;
  readonly place: EntryPlace;
  /** Only where the file says it. */
  readonly transport?: TransportName;
  readonly command?: string;
  /** Always there beside a command. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A file of `NAME=value` lines; unread. */
  readonly envFile?: string;
  readonly cwd?: string;
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: true;
  /** Windows' own shell stood before its command. */
  readonly isForWindows?: true;
  readonly callTimeoutMs?: number;
  readonly startTimeoutMs?: number;
  /** The server's own names of the tools that may be used; an empty list means none. */
  readonly allowedTools?: readonly string[];
  readonly deniedTools?: readonly string[];
  readonly description?: string;
}

/** Something that a person should know of a file: about the file itself, or about the server of that short name. */
export interface ImportWarning {
  /** Kebab-case, stable: docs/import.md lists them. `rejected-…`: the entry is no server. */
  readonly code: string;
  readonly server?: string;
  /** Where in the entry, e.g. `env.TOKEN`, `args[3]`; never a value. */
  readonly field?: string;
}

/** A question that a file wants asked (VS Code's `inputs`). */
export interface ForeignInput {
  readonly description?: string;
}

/** What a file came to. */
export interface ForeignFile {
  readonly dialect: string;
  readonly servers: readonly ForeignServer[];
  readonly warnings: readonly ImportWarning[];
  readonly inputs: ReadonlyMap<string, ForeignInput>;
}

/** Tells something of the entry that is being read. */
export type Warn = (code: string, field?: string) => void;

/** Why an entry is no server: the end of its `rejected-…` code. */
export class Rejected extends Error {
  readonly why: string;
  constructor(why: string) {
    super(why);
    this.why = why;
  }
}

/** How a format differs from the others; what is absent is as in most of them. */
export interface Dialect {
  /** What `--from` takes. */
  readonly name: string;
  /** What a person calls the client. */
  readonly title: string;
  /** Ends of paths of its files, lower-case, `/` between; `*` is one step. */
  readonly tails: readonly string[];
  /** Where in the file servers are, in this order; `['mcpServers']` if absent. */
  readonly roots?: readonly (readonly string[])[];
  /** Servers may also stand at the root itself, if each entry there is one. */
  readonly flatRoot?: true;
  /** The unit of `timeout`; absent: guessed. */
  readonly timeout?: 'seconds' | 'milliseconds';
  /** True where the client hands `${NAME}` to the server as it stands. */
  readonly expandsNothing?: true;
  /** `$NAME` is a variable: anywhere, or as a whole argument. */
  readonly dollarNames?: 'anywhere' | 'argument';
  /** `{env:NAME}` is a variable. */
  readonly bracedEnv?: true;
  /** `${{ secrets.NAME }}` is a secret. */
  readonly secretTemplates?: true;
  /** `$(command)` is run by the client. */
  readonly runsCommands?: true;
  /** An empty or null variable is taken from the client's own environment. */
  readonly inheritsEmpty?: true;
  /** The key names the server whatever its entry says. */
  readonly keyNames?: true;
  /** Fields that mean nothing to another client and are left out without a word. */
  readonly silent?: readonly string[];
  /** Brings an entry into the common form; throws `Rejected` for one that is no server. */
  readonly prepare?: (entry: JsonObject, warn: Warn) => JsonObject;
}
