import { type HandleName, type ServerKey, sha256 } from '../../core/ids.ts';

const longest = 48;
const longestKeyPart = 32;
const joint = '__';

/**
 * The name under which a tool, resource or prompt is mounted: `<server key>__<wire name>`, `[A-Za-z0-9_-]`, at most 48
 * characters (R65, S13). A wire name that had to be changed or cut ends in `_` and 6 hex of its hash.
 * A pure function of its two arguments: no neighbour, load order or restart changes it.
 */
export function handleName(serverKey: ServerKey, wireName: string): HandleName {
  const prefix = keyPart(serverKey) + joint;
  return (prefix + fitted(wireName, longest - prefix.length)) as HandleName;
}

/**
 * The name under which it is mounted where the operator wants it without the server's in front: its own, fitted in the
 * same way. One that has the joint in it is cut, so that it never looks like another server's.
 */
export function plainHandleName(wireName: string): HandleName {
  const own = fitted(wireName, longest);
  return (
    own.includes(joint) ? cut(wireName.replaceAll(/[^A-Za-z0-9-]+/g, '_'), wireName, longest) : own
  ) as HandleName;
}

/**
 * The server key as it stands in handle names. It never holds `__` and never ends in `_`, so that the first `__` of a
 * name is always the joint: no server can name a tool so that it looks like another server's.
 */
function keyPart(serverKey: ServerKey): string {
  const plain = !serverKey.includes(joint) && !serverKey.endsWith('_') && serverKey.length <= longestKeyPart;
  return plain ? serverKey : cut(serverKey.replaceAll(/_{2,}/g, '_'), serverKey, longestKeyPart);
}

function fitted(wireName: string, room: number): string {
  const plain = /^[A-Za-z0-9_-]+$/.test(wireName) && wireName.length <= room;
  return plain ? wireName : cut(wireName.replaceAll(/[^A-Za-z0-9_-]+/g, '_'), wireName, room);
}

function cut(readable: string, original: string, room: number): string {
  const kept = readable.slice(0, room - 7).replaceAll(/^_+|_+$/g, '');
  return `${kept === '' ? 'x' : kept}_${sha256(original).slice(0, 6)}`;
}
