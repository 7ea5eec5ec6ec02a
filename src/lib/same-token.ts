import { createHash, timingSafeEqual } from 'node:crypto';

/** True if both are the same text. How long it takes tells nothing about how much of them agrees. */
export function sameToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(given), digest(expected));
}
