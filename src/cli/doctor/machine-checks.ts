import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { asJson } from '../../client/problem.ts';
import type { Settings } from '../../config/settings.ts';
import { asLongshoreError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { createDockerCli } from '../../docker/docker-cli.ts';
import { dockerFailure } from '../../docker/docker-failure.ts';
import { lookUpCommand } from '../../runners/command-lookup.ts';
import { serverEnvironment, variable } from '../../runners/environment.ts';
import { type Finding, failing, fine, type Patient } from './finding.ts';

const dockerTime = 5_000;
const oldestNode = 24;

/** Node itself. */
export function checkNode({ nodeVersion }: Patient): Finding {
  const major = Number(/^v?(\d+)/.exec(nodeVersion)?.[1]);
  if (major >= oldestNode) return fine('node', `Node ${nodeVersion}.`);
  const sentence = `This is Node ${nodeVersion}, and Longshore needs ${oldestNode} or later.`;
  return { check: 'node', state: 'problem', sentence, action: `Install Node ${oldestNode} or later.` };
}

/** The programs that most servers are started with. */
export async function checkPrograms(patient: Patient): Promise<readonly Finding[]> {
  const remedies = [
    ['npx', 'Servers that are npm packages need it: install Node with npm.'],
    ['uvx', 'Servers that are Python packages need it: install uv (https://docs.astral.sh/uv).'],
  ] as const;
  return await Promise.all(remedies.map(([program, action]) => checkProgram(program, action, patient)));
}

async function checkProgram(program: string, action: string, patient: Patient): Promise<Finding> {
  try {
    const { file } = await findProgram(program, patient);
    const folders = (variable(patient.env, 'PATH', patient.platform) ?? '').split(
      patient.platform === 'win32' ? ';' : ':',
    );
    const elsewhere = folders.includes(dirname(file)) ? '' : ', which is not on the PATH but is searched too';
    return fine(program, `${program} is ${file}${elsewhere}.`);
  } catch {
    return { check: program, state: 'warning', sentence: `${program} was not found.`, action };
  }
}

function findProgram(program: string, { env: ours, platform, homeDir }: Patient) {
  const env = serverEnvironment(ours, platform);
  return lookUpCommand({ command: program, cwd: undefined, env, ours, platform, homeDir, loginPath: async () => [] });
}

/** The docker command and its engine; everything but containers works without. */
export async function checkDocker(patient: Patient): Promise<Finding> {
  const check = 'docker';
  const host = patient.env['DOCKER_HOST'];
  const context = patient.env['DOCKER_CONTEXT'];
  const tried = host ? `DOCKER_HOST ${host}` : context ? `DOCKER_CONTEXT ${context}` : 'the current docker context';
  try {
    const { file } = await findProgram('docker', patient);
    const cli = createDockerCli({ program: file, env: serverEnvironment(patient.env, patient.platform) });
    const result = await cli.run(['version', '--format', 'json'], { deadline: dockerTime });
    if (result.code !== 0) throw dockerFailure(`Asking the engine of ${tried} through ${file}`, result);
    return fine(check, `The Docker engine ${engineVersion(result.stdout)} answers (${tried}, ${file}).`);
  } catch (error) {
    if (asLongshoreError(error).code !== 'command-not-found') return failing(check, error, 'warning');
    const sentence = 'The docker command was not found, so servers in containers cannot be started.';
    return { check, state: 'warning', sentence, action: 'Install Docker (or podman) if you want them.' };
  }
}

function engineVersion(json: string): string {
  const answer = asJson(json);
  const server = isJsonObject(answer) ? answer['Server'] : undefined;
  return isJsonObject(server) && typeof server['Version'] === 'string' ? server['Version'] : '';
}

/** Whether the service could listen; only asked where it does not run. */
export async function checkPort({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<Finding> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return fine('port', port === 0 ? 'Any free port will be taken.' : `Port ${port} on ${host} is free.`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const sentence =
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is used by another program.`
        : `Port ${port} on ${host} cannot be listened on (${code}).`;
    return {
      check: 'port',
      state: 'problem',
      sentence,
      action: 'Choose another with LONGSHORE_PORT (0 takes a free one).',
    };
  } finally {
    server.close();
  }
}
