import { type AgentId, type InstanceId, sha256 } from '../core/ids.ts';

/** The two names of a docker-run server (R18): one for the first attempt over stdio, one after a switch to HTTP. */
export interface ContainerNames {
  readonly probe: string;
  readonly managed: string;
}

/** What names are made of. */
export interface NameParts {
  /** The saved name of the server. */
  readonly name: string;
  /** Our own process id. */
  readonly pid: number;
  readonly agentId: AgentId;
  readonly instance: InstanceId;
}

/** Names given out in this process, so that two starts never fight over one container. */
export interface NameBook {
  /** Both names, unlike any that is in use; `release` gives them back once their containers are gone. */
  take(parts: NameParts): ContainerNames & { release(): void };
}

const prefixes = { probe: 'rax-probe', managed: 'rax-mcp' } as const;

/** Keeps the names in use by this process. */
export function createNameBook(): NameBook {
  const inUse = new Set<string>();
  return {
    take(parts) {
      let attempt = 0;
      let names = containerNames(parts);
      while (inUse.has(names.managed)) {
        attempt += 1;
        names = containerNames(parts, attempt);
      }
      const { managed } = names;
      inUse.add(managed);
      return { ...names, release: () => void inUse.delete(managed) };
    },
  };
}

/**
 * `rax-probe-<name>-<pid>` and `rax-mcp-<name>-<pid>` (R18). A name that Docker would not take, one over 40
 * characters, or a further attempt gets `-<8 hex>` of agent, name and instance (R19).
 */
export function containerNames({ name, pid, agentId, instance }: NameParts, attempt = 0): ContainerNames {
  const plain = name.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 40);
  const seed = [agentId, name, instance, ...(attempt > 1 ? [attempt] : [])].join('\0');
  const suffix = plain !== name || attempt > 0 ? `-${sha256(seed).slice(0, 8)}` : '';
  return {
    probe: `${prefixes.probe}-${plain}-${pid}${suffix}`,
    managed: `${prefixes.managed}-${plain}-${pid}${suffix}`,
  };
}
