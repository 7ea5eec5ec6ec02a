// Not by name: an older Node lacks `hash`.
import crypto from 'node:crypto';

/** True if both are the same text. How long it takes tells nothing about how much of them agrees. */
export function sameToken(given: string, expected: string): boolean {
  const digest = (text: string) => crypto.hash('sha256', text, 'buffer');
  return crypto.timingSafeEqual(digest(given), digest(expected));
}
