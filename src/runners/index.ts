import type { Deadlines } from '../core/deadlines.ts';
import type { JsonObject } from '../core/json.ts';
import { type DockerImageSpec, dockerImageRunner } from './docker-image.ts';
import { type DockerRunSpec, dockerRunRunner } from './docker-run.ts';
import { isPackageLauncher } from './package-launcher.ts';
import { type ProcessSpec, processRunner } from './process.ts';
import { type RemoteSpec, remoteRunner } from './remote.ts';
import type { Opened, OpenRequest, Runner } from './runner.ts';

/** What a server of each kind is started from; a new kind is a new file and a line here and in `runners`. */
interface Specs {
  readonly process: ProcessSpec;
  readonly 'docker-run': DockerRunSpec;
  readonly 'docker-image': DockerImageSpec;
  readonly remote: RemoteSpec;
}

/** What one server is started from, its references resolved. */
export type ServerSpec = Specs[keyof Specs];

const runners: { readonly [Kind in keyof Specs]: Runner<Specs[Kind]> } = {
  process: processRunner,
  'docker-run': dockerRunRunner,
  'docker-image': dockerImageRunner,
  remote: remoteRunner,
};

/** Opens a server with the runner of its kind. */
export function openServer(spec: ServerSpec, request: OpenRequest): Promise<Opened> {
  return (runners[spec.kind] as Runner<ServerSpec>).open(spec, request);
}

/**
 * Milliseconds for opening and negotiation together (R49): longer where the command downloads packages first, and where a
 * container has to come up before it can say in which way it speaks.
 */
export function openWithin(
  spec: ServerSpec,
  deadlines: Deadlines,
): { readonly openWithin: number; readonly deadlineName: keyof Deadlines } {
  switch (spec.kind) {
    case 'process': {
      const deadlineName = isPackageLauncher(spec.command, spec.args) ? 'openLauncher' : 'open';
      return { openWithin: deadlines[deadlineName], deadlineName };
    }
    case 'docker-run':
    case 'docker-image':
      return { openWithin: deadlines.containerReady + deadlines.open, deadlineName: 'containerReady' };
    case 'remote':
      return { openWithin: deadlines.open, deadlineName: 'open' };
  }
}

/** See `ConnectionRequest.olderSide`: a container has one name, so that there cannot be two of it. */
export function olderSideOf({ kind }: ServerSpec): 'beside' | 'instead' | 'next-start' {
  if (kind === 'remote') return 'beside';
  return kind === 'process' ? 'instead' : 'next-start';
}

/** What identifies a server, and apart from it the credential that it is asked with: verdicts are kept by both. */
export function verdictSubject(spec: ServerSpec): { readonly server: JsonObject; readonly credential: JsonObject } {
  switch (spec.kind) {
    case 'process':
    case 'docker-run':
      return {
        server: { kind: spec.kind, command: spec.command, args: spec.args, cwd: spec.cwd },
        credential: spec.env,
      };
    case 'docker-image': {
      const { env, ...server } = spec;
      return { server, credential: env };
    }
    case 'remote':
      return { server: { kind: spec.kind, url: spec.url }, credential: spec.headers };
  }
}
