import type { JsonValue } from '../../core/json.ts';
import type { Diagnostic, Handle, RawResult } from '../../core/words.ts';
import { compiledSchemas } from '../../schema/compiled-schemas.ts';

/** Compares results with the output schema of their tool. */
export interface OutputCheck {
  /** Warnings; a result is never lost because it is not what its server promised. */
  check(handle: Handle, result: RawResult): Promise<readonly Diagnostic[]>;
}

/** A check that has looked at no schema yet. */
export function outputCheck(): OutputCheck {
  const schemas = compiledSchemas('outputSchema');
  return {
    async check(handle, result) {
      if (handle.kind !== 'tool' || handle.definition['outputSchema'] === undefined || result['isError'] === true)
        return [];
      const structured = result['structuredContent'];
      if (structured === undefined) {
        return [warning(`${handle.handleName} promised structured content and gave none.`)];
      }
      const compiledSchema = await schemas.of(handle);
      if (!('validator' in compiledSchema)) return [];
      const problems = compiledSchema.validator.check(structured, sizeOf(structured));
      if (problems.length === 0) return [];
      return [
        warning(
          `The result of ${handle.handleName} is not what its schema promises: ${problems.slice(0, 5).join('; ')}.`,
        ),
      ];
    },
  };
}

function warning(message: string): Diagnostic {
  return { code: 'output-mismatch', message };
}

/** Counts no further than any check would go. */
function sizeOf(value: JsonValue): { values: number; depth: number } {
  let values = 0;
  let depth = 0;
  let level: readonly JsonValue[] = [value];
  while (level.length > 0 && values < 1_000_000) {
    values += level.length;
    depth += 1;
    level = level.flatMap(one => (typeof one === 'object' && one !== null ? (Object.values(one) as JsonValue[]) : []));
  }
  return { values, depth };
}
