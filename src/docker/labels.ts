import type { AgentId, HomeId, InstanceId, ServerKey } from '../core/ids.ts';

/** Which of a server's containers: the first attempt, the one behind a published port, or a `docker-image` server's only one. */
export type ContainerPhase = 'probe' | 'managed' | 'image';

/** What every container of ours tells about itself: whose it is, and which start made it. */
export interface ContainerLabels {
  readonly home: HomeId;
  readonly agent: AgentId;
  readonly server: ServerKey;
  readonly kind: 'docker-run' | 'docker-image';
  /** The run of the host that made it; the home's lock proves older ones dead. */
  readonly instance: InstanceId;
  /** One start; random, never reused. */
  readonly marker: string;
  readonly phase: ContainerPhase;
  /** Our process id: for a person who reads `docker inspect`, never a proof. */
  readonly pid: number;
  /** Image reference with its tag explicit. */
  readonly image: string;
}

const namespace = 'dev.longshore';

/** One fact as the engine's filter wants it: `dev.longshore.home=…`. */
export function label(fact: keyof ContainerLabels, value: string): `${string}=${string}` {
  return `${namespace}.${fact}=${value}`;
}

/** The labels as the engine keeps them. */
export function writeLabels(labels: ContainerLabels): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([fact, value]) => [`${namespace}.${fact}`, String(value)]));
}

/** What our labels say on a container; facts that are missing are missing. */
export function readLabels(
  labels: Readonly<Record<string, string>>,
): Readonly<Partial<Record<keyof ContainerLabels, string>>> {
  const facts = Object.entries(labels).flatMap(([key, value]) =>
    key.startsWith(`${namespace}.`) ? [[key.slice(namespace.length + 1), value] as const] : [],
  );
  return Object.fromEntries(facts);
}

/** Whose a container is, told by its labels alone (R19, R57). */
export type Ownership = 'ours' | 'other-agent' | 'other-home' | 'nobody';

/** Nothing is removed or reused unless this says `ours`; a name proves nothing. */
export function ownership(
  labels: Readonly<Record<string, string>>,
  us: { readonly home: HomeId; readonly agent: AgentId },
): Ownership {
  const facts = readLabels(labels);
  if (facts.home === undefined) return 'nobody';
  if (facts.home !== us.home) return 'other-home';
  return facts.agent === us.agent ? 'ours' : 'other-agent';
}
