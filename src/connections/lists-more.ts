import type { JsonObject } from '../core/json.ts';
import { listsOf } from './capabilities.ts';
import type { Discovery } from './connection.ts';

type Lists = Pick<Discovery, 'tools' | 'resources' | 'templates' | 'prompts'>;

const kinds = ['tools', 'resources', 'templates', 'prompts'] as const;

/** True if one listing has anything that the other one lacks. */
export function listsMore(one: Lists, other: Lists): boolean {
  return kinds.some(kind => {
    const names = new Set(other[kind].map(nameOf));
    return one[kind].some(definition => !names.has(nameOf(definition)));
  });
}

/** True for a server with a list, by its own word, in which nothing is. */
export function looksIncomplete(capabilities: JsonObject, lists: Lists): boolean {
  return listsOf(capabilities).some(name =>
    name === 'resources' ? lists.resources.length + lists.templates.length === 0 : lists[name].length === 0,
  );
}

function nameOf(definition: { readonly [member: string]: unknown }): unknown {
  return definition['uri'] ?? definition['uriTemplate'] ?? definition['name'];
}
