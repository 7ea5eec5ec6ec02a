import type { MCPServerConfig } from '../config/types.ts';

/** True for what connects a client to Longshore itself: taken over, it would call itself. */
export function isOwnEntry({ command, args = [], endpoint }: MCPServerConfig): boolean {
  if (endpoint !== undefined) return /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):7411\/mcp(?:\/|$)/i.test(endpoint);
  const words = [command ?? '', ...args];
  const at = words.findIndex(word => /(?:^|[\\/])longshore(?:\.js|\.cmd|\.exe)?$/i.test(word));
  return at !== -1 && words.slice(at + 1).includes('mcp');
}
