import type { ErrorObject } from 'ajv';
import { plainNumbers } from '../core/exact-json.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { cut } from '../lib/cut.ts';
import type { ArgumentsSize } from './argument-snapshot.ts';
import { safeSchema, UnusableSchema } from './schema-copy.ts';
import { affordable } from './schema-cost.ts';

/** Checks values against one schema. */
export interface SchemaValidator {
  /** What is wrong, for a person or a model to put right, free of the values themselves; nothing if all is well. */
  check(value: JsonValue, size: ArgumentsSize): readonly string[];
}

/** A validator, or why there is none: then only what does not need the schema is checked. */
export type Compiled = { readonly validator: SchemaValidator } | { readonly unusable: string };

/**
 * Compiles a server's schema by the draft it names (2020-12 if none). Loads the compiler at the first use: a program that
 * calls nothing never pays for it. `whole` is what a value that is wrong as a whole is called.
 */
export async function compileSchema(source: JsonValue | undefined, whole = 'arguments'): Promise<Compiled> {
  try {
    const safe = safeSchema(source);
    const isAffordable = affordable(safe);
    const draft = isJsonObject(source) ? source['$schema'] : undefined;
    const validate = await compile(safe.schema, draft);
    return {
      validator: {
        check(value, size) {
          if (!isAffordable(size)) return [];
          try {
            return validate(plainNumbers(value)) ? [] : (validate.errors ?? []).map(error => problemOf(error, whole));
          } catch (error) {
            // A schema that runs in circles on one spot: the server may know what it means, we need not.
            if (error instanceof RangeError) return [];
            throw error;
          }
        },
      },
    };
  } catch (error) {
    if (error instanceof UnusableSchema) return { unusable: error.message };
    return { unusable: error instanceof Error ? cut(error.message, 200) : 'it cannot be compiled' };
  }
}

/**
 * The settings under which a stranger's schema is harmless: nothing fetched, no formats, no values changed, no noise, and
 * no argument taken for given because every object has something of its name (`constructor`).
 */
const settings = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  messages: true,
  ownProperties: true,
} as const;

async function compile(schema: object, draft: JsonValue | undefined) {
  const named = typeof draft === 'string' ? draft.replace(/#$/, '') : undefined;
  const { $schema: _, ...body } = schema as { $schema?: unknown };
  // A fresh compiler for each schema: it never forgets what it has compiled, and tools come and go.
  if (named === undefined || /\/2020-12\//.test(named)) {
    const { Ajv2020 } = await import('ajv/dist/2020.js');
    try {
      return new Ajv2020(settings).compile(body);
    } catch (error) {
      if (named !== undefined) throw error;
    }
  }
  if (named !== undefined && /\/2019-09\//.test(named)) {
    const { Ajv2019 } = await import('ajv/dist/2019.js');
    return new Ajv2019(settings).compile(body);
  }
  if (named === undefined || /\/draft-0[67]\//.test(named)) {
    const { Ajv } = await import('ajv');
    return new Ajv(settings).compile(body);
  }
  throw new UnusableSchema(`its dialect ${cut(named, 100)} is not known`);
}

function problemOf({ instancePath, keyword, message, params }: ErrorObject, whole: string): string {
  const where = instancePath === '' ? whole : instancePath.slice(1).replaceAll('/', '.');
  const extra: unknown =
    keyword === 'enum' ? params['allowedValues'] : keyword === 'const' ? params['allowedValue'] : undefined;
  const allowed = extra === undefined ? '' : `: ${cut(JSON.stringify(extra), 300)}`;
  return `${where} ${message ?? 'is not valid'}${allowed}`;
}
