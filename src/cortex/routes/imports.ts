import { homedir } from 'node:os';
import type { AddRoute } from '../route-maker.ts';

/** Files of other clients (R20-R22). */
export function importRoutes(on: AddRoute): void {
  on('POST /api/imports', async ({ operator, body: { files, dryRun, home = homedir(), prefer } }) => {
    const { saved } = await operator();
    const options = { dryRun, home, platform: process.platform, ...(prefer !== undefined && { prefer }) };
    return { files: [...(await saved.importFiles(files, options))] };
  });
}
