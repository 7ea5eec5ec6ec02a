import type { z } from 'zod';
import { LongshoreError } from '../core/errors.ts';

/**
 * Reads what `inspect --format '{{json .}}'` prints: docker one object a line, podman an array of them. Throws
 * `docker-failed` for what is neither, naming the part that was not understood.
 */
export function inspectedRows<Row>(schema: z.ZodType<Row>, stdout: string): readonly Row[] {
  return parsed(stdout.trim())
    .flatMap(found => (Array.isArray(found) ? found : [found]))
    .map(found => {
      const read = schema.safeParse(found);
      if (read.success) return read.data;
      const [issue] = read.error.issues;
      throw notUnderstood(`${issue?.path.join('.') || 'it'}: ${issue?.message}`);
    });
}

function parsed(text: string): readonly unknown[] {
  if (text === '') return [];
  try {
    return [JSON.parse(text)];
  } catch {
    // Several values, one a line.
  }
  try {
    return text.split('\n').flatMap(line => (line.trim() === '' ? [] : [JSON.parse(line)]));
  } catch (error) {
    throw notUnderstood(String(error));
  }
}

function notUnderstood(why: string): LongshoreError {
  return new LongshoreError(
    'docker-failed',
    `The container engine described an image or a container in a way that is not understood (${why}). Update the engine, or set the command to docker or podman itself.`,
  );
}
