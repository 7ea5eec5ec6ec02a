import type * as z from 'zod';
import { LongshoreError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Diagnostic } from '../core/words.ts';
import { configFields } from './config-schema.ts';
import { inferTransport, transportDiagnostics } from './infer-transport.ts';
import { foreignReferences } from './references.ts';
import type { MCPServerConfig } from './types.ts';

/** One entry read: the config and what is odd about it, or the error that names every wrong field. */
export type ParsedConfig =
  | { readonly config: MCPServerConfig; readonly diagnostics: readonly Diagnostic[] }
  | { readonly error: LongshoreError };

/** One thing that is wrong with one field, e.g. `args[2]`. */
interface Problem {
  readonly path: string;
  readonly message: string;
}

/**
 * Reads one entry: a body of the REST API, one server of a pasted file, a config from the library's caller (R21).
 * `url` is taken for `endpoint`, blank strings count as absent (R13), unknown fields are told and left out. The error is
 * `bad-config`; its `data.problems` lists each field's path and what is allowed, never a value.
 */
export function parseConfigBody(body: unknown): ParsedConfig {
  if (!isJsonObject(body)) return failed([{ path: '', message: 'A server must be a JSON object.' }]);
  const diagnostics: Diagnostic[] = [];
  const said = withAlias(body, diagnostics);
  const problems: Problem[] = [];
  const config: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(said)) {
    if (!isField(field)) {
      diagnostics.push({
        code: 'unknown-field',
        message: `The field ${field} is not known and was left out.`,
        data: { field },
      });
    } else if (isJsonObject(value) && Object.hasOwn(value, '__proto__')) {
      problems.push({ path: field, message: `${field} must not have a member named __proto__.` });
    } else {
      const parsed = configFields[field].safeParse(value);
      if (parsed.success) config[field] = parsed.data;
      else problems.push(...parsed.error.issues.map(issue => asProblem(field, issue)));
    }
  }
  if (said['name'] === undefined) problems.unshift({ path: 'name', message: 'name is missing.' });
  if (problems.length > 0) return failed(problems);
  // Every field was checked by the schema above, and a name is there.
  const whole = config as unknown as MCPServerConfig;
  const missing = missingPart(whole);
  if (missing !== undefined) return failed([missing]);
  return { config: whole, diagnostics: [...diagnostics, ...transportDiagnostics(whole), ...unusualReferences(whole)] };
}

function isField(field: string): field is keyof typeof configFields {
  return Object.hasOwn(configFields, field);
}

function withAlias(body: JsonObject, diagnostics: Diagnostic[]): Record<string, unknown> {
  const { url, ...said } = Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => value !== undefined && !(typeof value === 'string' && value.trim() === ''),
    ),
  );
  if (url === undefined) return said;
  if (said['endpoint'] === undefined) return { ...said, endpoint: url };
  if (said['endpoint'] !== url) {
    diagnostics.push({ code: 'ambiguous', message: 'Both endpoint and url are set and differ; url is not used.' });
  }
  return said;
}

/** A transport that is set wins (R13), so what it needs must be there. */
function missingPart(config: MCPServerConfig): Problem | undefined {
  if (config.command === undefined && config.endpoint === undefined) {
    return { path: 'command', message: 'The server needs a command to start or an endpoint to connect to.' };
  }
  const transport = inferTransport(config);
  const needed = transport === 'stdio' ? 'command' : 'endpoint';
  if (config[needed] !== undefined) return undefined;
  return { path: needed, message: `${needed} is missing: transport ${transport} needs it.` };
}

function unusualReferences(config: MCPServerConfig): readonly Diagnostic[] {
  const { name: _, deadlines: __, transport: ___, ...texts } = config;
  const found = new Set(
    Object.values(texts)
      .flatMap(value => (typeof value === 'string' ? [value] : Object.values(value)))
      .flatMap(foreignReferences),
  );
  return [...found].map(reference => ({
    code: 'unknown-reference',
    message: `${reference} is no reference that Longshore resolves; the server gets it as it stands. Write \${env:NAME} or \${secret:NAME}.`,
  }));
}

function asProblem(field: string, issue: z.core.$ZodIssue): Problem {
  if (issue.code === 'invalid_key') {
    // The name itself stays unsaid: what is no name may be a whole `NAME=value`.
    return { path: field, message: `${field} ${issue.issues[0]?.message ?? issue.message}.` };
  }
  const path = issue.path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    field,
  );
  return { path, message: issue.message.startsWith(field) ? issue.message : `${path} ${issue.message}.` };
}

function failed(problems: readonly Problem[]): ParsedConfig {
  const text = problems.map(problem => problem.message).join(' ');
  return {
    error: new LongshoreError('bad-config', text, {
      data: { problems: problems.map(({ path, message }) => ({ path, message })) },
    }),
  };
}
