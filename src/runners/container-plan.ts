import type { Digest } from '../core/ids.ts';
import type { Diagnostic } from '../core/words.ts';
import type { ImageFacts } from '../docker/images.ts';
import type { OurFlags } from '../docker/shape-run.ts';
import type { ContainerStart } from './container.ts';
import type { EngineLink } from './engine-link.ts';
import type { Environment } from './environment.ts';
import type { OpenRequest } from './runner.ts';
import type { HttpHint } from './transport/startup-url.ts';

/** All that is to be known of a container server before its first container: the two classes differ in nothing else. */
export interface ContainerPlan {
  readonly kind: 'docker-run' | 'docker-image';
  readonly link: EngineLink;
  /** With its tag explicit. */
  readonly image: string;
  readonly facts: ImageFacts;
  /** Over the image's id and everything that it is started with. */
  readonly startDigest: Digest;
  readonly names: { readonly probe: string; readonly managed: string };
  readonly args: (ours: OurFlags) => readonly string[];
  /** The values of `-e NAME`. */
  readonly env: Environment;
  readonly cwd: string | undefined;
  readonly hide: (text: string) => string;
  /** Paths to be asked on a hinted port, most likely first. */
  readonly pathsOf: (hint: HttpHint) => readonly string[];
  /** `container`: removed first, then the transport is closed (D1). `session`: politely ended first (D2). */
  readonly endsFirst: 'container' | 'session';
  /** A container whose start failed stays, stopped, until it is unloaded (R58). */
  readonly keepsFailed: boolean;
  /** Where somebody who knows the image says that it serves HTTP. */
  readonly expected: readonly HttpHint[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The part of a start that both containers of a server have in common. */
export function startOf(
  plan: ContainerPlan,
  request: OpenRequest,
): Pick<ContainerStart, 'link' | 'request' | 'kind' | 'image' | 'args' | 'env' | 'cwd' | 'hide'> {
  const { link, kind, image, args, env, cwd, hide } = plan;
  return { link, request, kind, image, args, env, cwd, hide };
}
