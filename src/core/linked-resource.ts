import type { Definition, Handle } from './words.ts';

/**
 * Stands for everything that a server lets read but does not list, such as what its results link to: one template per
 * server with resources, governed like any other. Lists that clients see leave it out.
 */
export const linkedResource: Definition = {
  name: 'linked_resource',
  uriTemplate: '{+uri}',
  description: 'Resources of this server that it links to but does not list.',
};

/** True for the handle of that template. */
export function isLinkedResource({
  kind,
  wireName,
  definition,
}: Pick<Handle, 'kind' | 'wireName' | 'definition'>): boolean {
  return kind === 'template' && wireName === linkedResource['uriTemplate'] && definition.name === linkedResource.name;
}
