import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentId, type ServerKey, sha256 } from '../core/ids.ts';

/**
 * Makes the folder that a server without a `cwd` is started in, and keeps what it leaves there: its own, so that a
 * server which is given `.` reaches nothing of ours and nothing of another server.
 */
export async function makeOwnFolder(folder: string, agentId: AgentId, serverKey: ServerKey): Promise<string> {
  const own = join(folder, `${serverKey}-${sha256(agentId).slice(0, 8)}`);
  await mkdir(own, { recursive: true, mode: 0o700 });
  return own;
}
