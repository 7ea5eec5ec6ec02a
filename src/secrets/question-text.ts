import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { isSecretName } from './secret-names.ts';
import { maskShapes } from './secret-shapes.ts';

/** A value as the person reads it who decides about it, and how much of it that is. */
export interface QuestionText {
  /** JSON; known secrets stand in it by their names. */
  readonly text: string;
  /** How many texts and numbers are folded because they merely look like secrets: `[masked: 43 characters]`. */
  readonly folded: number;
  /** How many characters at the end are left out. */
  readonly cut: number;
}

/**
 * What is decided about must be seen: nothing is taken out but known secrets, and those are named. What looks like a secret
 * is folded at its place, so that whoever looks over a shoulder learns nothing; with `unfolded` it is there.
 */
export function questionText(
  value: JsonValue,
  known: Pick<KnownSecrets, 'maskByName'>,
  { limit, unfolded }: { readonly limit: number; readonly unfolded: boolean },
): QuestionText {
  let folded = 0;

  function fold(secret: string): string {
    folded += 1;
    return `[masked: ${secret.length} ${secret.length === 1 ? 'character' : 'characters'}]`;
  }

  function textOf(text: string, isSecret: boolean): string {
    const named = known.maskByName(text);
    if (unfolded || named === '') return named;
    if (isSecret) return named === text ? fold(text) : named;
    return maskShapes(named, fold);
  }

  function write(inner: JsonValue, isSecret: boolean): string {
    if (typeof inner === 'string') return JSON.stringify(textOf(inner, isSecret));
    if (isJsonObject(inner)) {
      const members = Object.entries(inner).flatMap(([name, member]) =>
        member === undefined
          ? []
          : [`${JSON.stringify(known.maskByName(name))}:${write(member, isSecret || isSecretName(name))}`],
      );
      return `{${members.join(',')}}`;
    }
    if (Array.isArray(inner)) {
      const items: readonly JsonValue[] = inner;
      return `[${items.map((item, index) => write(item, isSecret || isSecretFlag(items[index - 1]))).join(',')}]`;
    }
    const text = JSON.stringify(inner);
    const seen = typeof inner === 'number' ? textOf(text, isSecret) : text;
    return seen === text ? text : JSON.stringify(seen);
  }

  const whole = write(value, false);
  if (whole.length <= limit) return { text: whole, folded, cut: 0 };
  const text = whole.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '');
  return { text: `${text}…`, folded, cut: whole.length - text.length };
}

/** `--token` before its value. */
function isSecretFlag(before: JsonValue | undefined): boolean {
  return typeof before === 'string' && /^--?[A-Za-z][\w-]*$/.test(before) && isSecretName(before);
}
