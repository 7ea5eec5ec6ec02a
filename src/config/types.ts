import type { Deadlines } from '../core/deadlines.ts';
import type { TransportName } from '../core/words.ts';

/**
 * One server as a person or another client's file describes it (D1, R15). Every field but `name` is optional, and
 * `transport` is inferred where it is not set (R16). Values may hold references: `${env:NAME}`, `${secret:NAME}`.
 */
export interface MCPServerConfig {
  /** 1 to 64 characters, without surrounding whitespace or control characters. */
  readonly name: string;
  /** The program to start, e.g. `npx` or `docker`. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Added to the allow-listed environment of the program (R17). */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder to start the program in. */
  readonly cwd?: string;
  /** The address of a remote server, e.g. `https://example.com/mcp`; without a scheme it is `http://`. */
  readonly endpoint?: string;
  /** Sent with every request to the endpoint. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly transport?: TransportName;
  /** This server's own deadlines, in milliseconds, in place of the settings'. */
  readonly deadlines?: Partial<Deadlines>;
  /** The one revision to speak with it, such as `2025-11-25`; `auto` or absent: the newest that serves whoever is behind it. */
  readonly protocol?: string;
  /** `plain`: its tools are mounted under their own names, without the server's in front; default `prefixed`. */
  readonly names?: 'plain' | 'prefixed';
  /** A file of `NAME=value` lines, read at each start; `env` wins over it. */
  readonly envFile?: string;
  /** The server's own names of the tools that are mounted; an empty list means none, absent means all. */
  readonly allowedTools?: readonly string[];
  /** The server's own names of tools that are never mounted. */
  readonly deniedTools?: readonly string[];
  /** What a person says of it; up to 2000 characters. */
  readonly description?: string;
}
