import { homedir } from 'node:os';
import type { AddRoute } from '../route-maker.ts';

/** Files of other clients (R20-R22). */
export function importRoutes(on: AddRoute): void {
  on('POST /api/imports', async ({ operator, body: { files, dryRun, home = homedir(), prefer } }) => {
    const { saved } = await operator();
    const options = { dryRun, home, platform: process.platform, ...(prefer !== undefined && { prefer }) };
    return { files: [...(await saved.importFiles(files, options))] };
  });
  on('GET /api/imports', async ({ operator }) => {
    const clients = Object.entries(await (await operator()).saved.importedFrom());
    return { clients: Object.fromEntries(clients.map(([client, keys]) => [client, [...keys]])) };
  });
  on('DELETE /api/imports/last', async ({ operator }) => {
    const { removed, restored, left } = await (await operator()).saved.undoImport();
    return { removed: [...removed], restored: [...restored], left: [...left] };
  });
}
