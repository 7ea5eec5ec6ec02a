import { LongshoreError } from '../core/errors.ts';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `500ms`, `30s`, `5m`, `1h`, or plain seconds, in milliseconds. Throws `usage`. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const milliseconds = match ? Number(match[1]) * units[(match[2] ?? 's') as keyof typeof units] : 0;
  if (milliseconds > 0) return milliseconds;
  throw new LongshoreError('usage', `A duration is written as 500ms, 30s, 5m or 1h, not ${JSON.stringify(text)}.`);
}
