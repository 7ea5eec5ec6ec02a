import type { PlannedServer } from '../config/planned-server.ts';
import { secretValues } from '../config/secret-values.ts';
import type { AgentId } from '../core/ids.ts';
import type { Explanation } from '../runners/explanation.ts';
import { explainServer } from '../runners/index.ts';
import type { Surroundings } from '../runners/runner.ts';
import { knownSecrets } from '../secrets/known-secrets.ts';
import { serverSpec } from '../servers/server-spec.ts';

/** Explains a plan as it stands: references stay references, and values that look secret are masked. */
export async function explainPlanned(
  planned: PlannedServer,
  agentId: AgentId,
  around: Surroundings,
): Promise<Explanation> {
  const explanation = await explainServer(serverSpec(planned, planned.config), agentId, around);
  const secrets = secretValues({ config: planned.config, fromSecrets: [] });
  const known = knownSecrets();
  known.learn(secrets.filter(({ value }) => !value.includes('${')));
  const mask = (text: string) => known.mask(text);
  return {
    ...explanation,
    command: explanation.command.map(mask),
    url: explanation.url === undefined ? undefined : mask(explanation.url),
    notes: [...planned.diagnostics.map(({ message }) => message), ...explanation.notes].map(mask),
  };
}
