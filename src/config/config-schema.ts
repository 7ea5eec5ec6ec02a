import * as z from 'zod';
import { defaultDeadlines } from '../core/deadlines.ts';
import { LongshoreError } from '../core/errors.ts';
import { legacyVersions, modernVersions } from '../core/protocol-versions.ts';
import { endpointUrl } from './endpoint.ts';
import { previewReferences } from './references.ts';
import { hasSurroundingWhitespace } from './selector.ts';

const transports = ['stdio', 'streamable-http', 'sse'] as const;

/** Names and values that a process or an HTTP request can carry at all; also checked once references are resolved. */
export const carriable = {
  text: (text: string) => !text.includes('\0'),
  envName: (name: string) => /^[^=\0]+$/.test(name),
  headerName: (name: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name),
  // Anything else would be refused by fetch with a message that repeats the value.
  headerValue: (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
};

const revisions = ['auto', ...modernVersions, ...legacyVersions] as const;

const text = z.string('must be a string').refine(carriable.text, 'must not contain a NUL character');

const name = z
  .string('must be a string')
  .refine(value => value !== '' && Array.from(value).length <= 64, 'must have 1 to 64 characters')
  .refine(value => !hasSurroundingWhitespace(value), 'must not begin or end with whitespace')
  .refine(value => value.isWellFormed() && !/\p{Cc}/u.test(value), 'must not contain control characters');

const transport = z
  .string('must be a string')
  .transform(value => value.trim().toLowerCase())
  .pipe(
    z.enum(transports, {
      error: ({ input }) =>
        input === 'websocket' || input === 'ws'
          ? 'websocket is no transport of MCP; use streamable-http with an http or https endpoint'
          : `must be one of ${transports.join(', ')}, or be left out`,
    }),
  );

const endpoint = text.superRefine((value, context) => {
  try {
    endpointUrl(previewReferences(value));
  } catch (error) {
    context.addIssue(error instanceof LongshoreError ? error.message : String(error));
  }
});

const toolNames = z.array(text, 'must be a list of names of tools').max(10_000, 'must have at most 10000 names');

const milliseconds = z
  .number('must be a number of milliseconds')
  .positive('must be more than 0')
  .max(2_147_483_647, 'must be at most 2147483647 milliseconds');

const deadlines = z.strictObject(
  Object.fromEntries(Object.keys(defaultDeadlines).map(key => [key, milliseconds.optional()])),
  `must be an object of ${Object.keys(defaultDeadlines).join(', ')}, in milliseconds`,
);

/** Each field of a config, for values that are there (a blank string is not). Messages say what is allowed. */
export const configFields = {
  name,
  command: text,
  args: z.array(text, 'must be a list of strings'),
  env: z.record(
    z.string().refine(carriable.envName, 'has a name that no variable can have'),
    text,
    'must be an object of strings',
  ),
  cwd: text,
  endpoint,
  headers: z.record(
    z.string().refine(carriable.headerName, 'has a name that no header can have'),
    z.string('must be a string').refine(carriable.headerValue, 'must be one line of Latin-1 characters'),
    'must be an object of strings',
  ),
  transport,
  deadlines,
  protocol: z.enum(revisions, `must be one of ${revisions.join(', ')}`),
  names: z.enum(['plain', 'prefixed'], 'must be plain or prefixed'),
  envFile: text,
  allowedTools: toolNames,
  deniedTools: toolNames,
  description: text.max(2_000, 'must have at most 2000 characters'),
};
