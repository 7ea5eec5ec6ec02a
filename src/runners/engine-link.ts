import type { EngineAddress } from '../core/ports/ledger.ts';
import { createDockerCli, type DockerCli } from '../docker/docker-cli.ts';
import { label } from '../docker/labels.ts';
import { lookUpCommand } from './command-lookup.ts';
import { type Environment, serverEnvironment } from './environment.ts';
import { loginPathOf } from './login-path.ts';
import type { Surroundings } from './runner.ts';

/** The way to one engine. */
export interface EngineLink {
  readonly address: EngineAddress;
  /** Its program is an absolute path; its environment names the engine in every command. */
  readonly cli: DockerCli;
}

/** Finds the command as a terminal would. Rejects with `command-not-found`, which says what to install. */
export async function linkEngine(address: EngineAddress, around: Surroundings): Promise<EngineLink> {
  const { env: ours, platform, homeDir } = around;
  const env = serverEnvironment(ours, platform, remoteAccess(ours), address.env);
  const found = await lookUpCommand({
    command: address.program,
    cwd: undefined,
    env,
    ours,
    platform,
    homeDir,
    loginPath: () => loginPathOf(around),
  });
  // docker looks for its helpers and plugins on the PATH as well.
  const whole = found.path === undefined ? env : serverEnvironment({}, platform, env, { PATH: found.path });
  return { address, cli: createDockerCli({ program: found.file, globals: address.globals, env: whole }) };
}

const engineNames =
  /^(DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS|TLS_VERIFY|API_VERSION)|CONTAINER_(HOST|CONNECTION|SSHKEY)|PATH|HOME|XDG_(RUNTIME|CONFIG|DATA)_(DIR|HOME))$/;

/** The part of a configured environment that decides which engine is spoken to; free of secrets, for the ledger. */
export function engineEnvironment(given: Environment): Environment {
  return Object.fromEntries(Object.entries(given).filter(([name]) => engineNames.test(name)));
}

/** What an engine on another machine is reached through (DOCKER_HOST=ssh://…); the servers' own processes never get it. */
function remoteAccess(ours: Surroundings['env']): Environment {
  const names = ['SSH_AUTH_SOCK', 'CONTAINER_HOST', 'CONTAINER_CONNECTION', 'CONTAINER_SSHKEY'];
  return Object.fromEntries(
    names.flatMap(name => {
      const value = ours[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** At our death, whatever of this run is on that engine goes too. To be called before anything is created there. */
export function guardAtDeath({ cli }: EngineLink, { watchdog, instance }: Surroundings): void {
  const { program, globals, env } = cli;
  watchdog.assign({ label: label('instance', instance), program, globals, env });
}
