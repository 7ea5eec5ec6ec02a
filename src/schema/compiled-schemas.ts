import { LRUCache } from 'lru-cache';
import type { Digest } from '../core/ids.ts';
import type { Handle } from '../core/words.ts';
import { type Compiled, compileSchema } from './schema-validator.ts';

/** The compiled schemas of handles: each compiled at its first use, once for all handles with the same definition. */
export interface CompiledSchemas {
  of(handle: Handle): Promise<Compiled> | Compiled;
  /** Without compiling: `undefined` if that was not done yet. */
  known(handle: Handle): Compiled | undefined;
}

/** So many are kept; a tool that was not called for long is compiled anew. */
const mostKept = 1000;

const wholes = { inputSchema: 'arguments', outputSchema: 'structuredContent' } as const;

/** Compiles that schema of each handle's definition. */
export function compiledSchemas(which: 'inputSchema' | 'outputSchema'): CompiledSchemas {
  const compiled = new LRUCache<Digest, Promise<Compiled> | Compiled>({ max: mostKept });
  return {
    of({ definitionDigest, definition }) {
      const before = compiled.get(definitionDigest);
      if (before !== undefined) return before;
      const made = compileSchema(definition[which], wholes[which]).then(result => {
        if (compiled.has(definitionDigest)) compiled.set(definitionDigest, result);
        return result;
      });
      compiled.set(definitionDigest, made);
      return made;
    },
    known(handle) {
      const found = compiled.get(handle.definitionDigest);
      return found instanceof Promise ? undefined : found;
    },
  };
}
