import type { PlannedServer } from '../config/planned-server.ts';
import { sha256 } from '../core/ids.ts';
import { canonicalJson } from '../core/json.ts';
import type { Program } from '../core/words.ts';
import { fullImage } from '../docker/image-reference.ts';
import { cut } from '../lib/cut.ts';
import { maskShapes } from '../secrets/secret-shapes.ts';

/** Characters that a person is shown. */
const longest = 500;

/**
 * What a planned server is started from, references unresolved: its image with the registry, its address, or its command
 * line and folder. Environment, headers and limits are not part of it: a new key of the same service asks nothing anew.
 */
export function programOf({ image, config }: PlannedServer): Program {
  const { command, args = [], cwd, endpoint } = config;
  const parts =
    image !== undefined
      ? [fullImage(image), ...args]
      : endpoint !== undefined && command === undefined
        ? [endpoint]
        : [command ?? '', ...args];
  const words = parts.map(part => (/^[\w@%+=:,./\\-]+$/.test(part) ? part : JSON.stringify(part)));
  const text = cwd === undefined ? words.join(' ') : `${words.join(' ')} (in ${cwd})`;
  return { digest: sha256(canonicalJson([parts, cwd ?? null])), text: cut(maskShapes(text), longest, '…') };
}
