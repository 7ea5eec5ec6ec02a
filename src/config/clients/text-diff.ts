import { isSecretName } from '../../secrets/secret-names.ts';
import { maskShapes } from '../../secrets/secret-shapes.ts';

/** Lines around a change that are shown with it. */
const around = 2;

/**
 * The lines that differ between two texts with one change in it, in the manner of `diff -u`. Values under names of secrets,
 * and what looks like one, are `«secret»`. Empty for equal texts.
 */
export function textDiff(before: string, after: string, path: string): string {
  if (before === after) return '';
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - around);
  const shown = [
    ...old.slice(from, head).map(line => ` ${line}`),
    ...old.slice(head, old.length - tail).map(line => `-${line}`),
    ...now.slice(head, now.length - tail).map(line => `+${line}`),
    ...now.slice(now.length - tail, now.length - tail + around).map(line => ` ${line}`),
  ];
  return [`--- ${path}`, `+++ ${path}`, `@@ line ${from + 1} @@`, ...shown.map(masked)].join('\n');
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function masked(line: string): string {
  const named = line.replaceAll(
    /(["']?)([A-Za-z_][\w.-]*)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}[\]"']+)/g,
    (whole, quote: string, name: string, between: string) =>
      isSecretName(name) && !/\b(?:args|env_keys)\b/.test(name) ? `${quote}${name}${quote}${between}«secret»` : whole,
  );
  return maskShapes(named, () => '«secret»');
}
