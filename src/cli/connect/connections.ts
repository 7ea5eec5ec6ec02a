import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LongshoreError } from '../../core/errors.ts';
import { randomId, sha256 } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';

/** What was done to one client's file, so that it can be undone to the byte. */
interface Written {
  readonly path: string;
  /** Digest of the text that was written. */
  readonly after: string;
  /** The file as it was; null where there was none. */
  readonly backup: string | null;
}

/** The files of clients that this home has written, kept in the home itself. */
export class Connections {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /**
   * Puts a text in the place of a client's file: a copy of the old one is kept in the home, and the new one appears whole
   * (a rename), with the old one's rights. Throws `usage` if the file changed since it was read, or cannot be written.
   */
  write(client: string, path: string, before: string | undefined, after: string): void {
    const target = existsSync(path) ? realpathSync(path) : path;
    const backup =
      before === undefined ? null : join(this.#backups(), `${client}-${randomId().slice(0, 12)}-${basename(path)}`);
    if (backup !== null) {
      copyFileSync(target, backup);
      if (readFileSync(backup, 'utf8') !== before) throw changed(path);
    }
    replace(target, after);
    this.#keep(client, { path, after: sha256(after), backup });
  }

  /** The text that a client's file had before, if nobody changed it since; null where there was no file; undefined if not known. */
  original(client: string, path: string, text: string): string | null | undefined {
    const written = this.#all()[client];
    if (!isJsonObject(written) || written['path'] !== path || written['after'] !== sha256(text)) return undefined;
    const { backup } = written;
    if (backup === null) return null;
    try {
      return typeof backup === 'string' ? readFileSync(backup, 'utf8') : undefined;
    } catch {
      return undefined;
    }
  }

  /** Puts a text in the place of a client's file again, or removes the file for null. */
  restore(client: string, path: string, text: string | null): void {
    const target = realpathSync(path);
    if (text === null) rmSync(target);
    else replace(target, text);
    this.#keep(client, undefined);
  }

  get #file(): string {
    return join(this.#home, 'connected.json');
  }

  #backups(): string {
    const folder = join(this.#home, 'backups');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  #all(): Readonly<Record<string, unknown>> {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return isJsonObject(value) ? value : {};
    } catch {
      // Without it a file is taken back to what it was by an edit.
      return {};
    }
  }

  #keep(client: string, written: Written | undefined): void {
    const { [client]: _old, ...others } = this.#all();
    mkdirSync(this.#home, { recursive: true, mode: 0o700 });
    replace(
      this.#file,
      `${JSON.stringify(written === undefined ? others : { ...others, [client]: written }, null, 2)}\n`,
      0o600,
    );
  }
}

function changed(path: string): LongshoreError {
  return new LongshoreError('usage', `The file ${path} was changed by another program just now. Try again.`);
}

/** The whole new file or the whole old one: never a part. */
function replace(path: string, text: string, mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o600): void {
  const draft = join(dirname(path), `.${basename(path)}.${randomId().slice(0, 12)}`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true });
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new LongshoreError('usage', `The file ${path} cannot be written; it was left as it is.`, { cause });
  }
}
