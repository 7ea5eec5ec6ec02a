import { readFile } from 'node:fs/promises';
import { LongshoreError } from '../core/errors.ts';
import type { ResolvedConfig } from './resolve-references.ts';

/** The config with the variables of its `envFile`, read now; those of `env` win. Rejects with `bad-config`, quoting nothing of it. */
export async function withEnvFile(resolved: ResolvedConfig): Promise<ResolvedConfig> {
  const { envFile, ...config } = resolved.config;
  if (envFile === undefined) return resolved;
  let text: string;
  try {
    text = await readFile(envFile, 'utf8');
  } catch (cause) {
    throw new LongshoreError('bad-config', `The env file ${envFile} of server ${config.name} cannot be read.`, {
      cause,
    });
  }
  return { ...resolved, config: { ...config, env: { ...readEnvFile(text), ...config.env } } };
}

/** `NAME=value` lines: comments, `export`, and values in quotes, of which double ones may have `\n`. Other lines say nothing. */
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap(line => {
      const [, name, said = ''] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, valueOf(said)]];
    }),
  );
}

function valueOf(said: string): string {
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(said) ?? [];
  if (double !== undefined) return double.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
  const [, single] = /^'([^']*)'/.exec(said) ?? [];
  return single ?? said.replace(/\s+#.*$/, '');
}
