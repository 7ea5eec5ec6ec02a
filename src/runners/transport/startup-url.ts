/** Where a server may be reached inside its container. Only a hint: nothing is believed before MCP answers there (R9). */
export interface HttpHint {
  /** Inside the container. */
  readonly port: number;
  /** As the server named it, `/mcp` if it named none. */
  readonly path: string;
}

/** Hosts that mean "this very container"; any other is somebody else's address and is passed over. */
const localHost = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[(?:::1?|0:0:0:0:0:0:0:[01])\]|\*)`;
const localUrl = new RegExp(
  String.raw`(?<![\w./:@-])http:\/\/${localHost}(?::(\d{1,5}))?(\/[^\s"'<>\x60)\]}|,;]*)?(?![\w@:]|\.\w)`,
  'i',
);
const localAddress = new RegExp(
  String.raw`(?<![\w./:@-])(?:${localHost}|:::?)(?::(\d{1,5}))(\/[^\s"'<>\x60)\]}|,;]*)?(?![\w@:]|\.\w)`,
  'i',
);
const barePort = /\b(?:on|at|via)\s+(?:tcp\s+)?(?:(?:http\s+)?port\s*[:=]?\s*|:)(\d{2,5})(?![\w:.-])/i;

/** A server that tells of itself … */
const listens = /\b(?:listen(?:s|ing)?|serv(?:es|ing)|running|started|starting|available|accessible|bound|ready|up)\b/i;
/** … and one that tells of others; `listens` outweighs it where the line has both. */
const callsOthers =
  /\b(?:connect\w*|prox(?:y|ies)|upstream|backend|database|db|redis|postgres\w*|mysql|mongo\w*|elasticsearch|kafka|fetch\w*|request\w*|forward\w*|call\w*|get|post|put|patch|delete|head|options|debugger|inspector|metrics|prometheus)\b/i;
/** What listens in the same process without being the server. */
const sideServices = /\b(?:debugger|inspector|metrics|prometheus|database|redis|postgres\w*|mysql|mongo\w*)\b/i;

/**
 * Finds in one line of a server's log where it says that it serves HTTP (R9). The host is never given back: it only
 * decides whether the line is about this container. Lines about other hosts, proxies, clock times and calls to others
 * are no hints.
 */
export function startupHint(line: string): HttpHint | undefined {
  const tellsOfItself = listens.test(line) && !sideServices.test(line);
  if (!tellsOfItself && callsOthers.test(line)) return undefined;
  const url = localUrl.exec(line);
  if (url !== null && !isInside(url.index, line)) return hint(url[1] ?? '80', url[2]);
  if (!tellsOfItself) return undefined;
  const address = localAddress.exec(line);
  if (address !== null) return hint(address[1] ?? '', address[2]);
  // An address of somebody else in the same line is what the port belongs to.
  if (/:\/\//.test(line)) return undefined;
  return hint(barePort.exec(line)?.[1] ?? '', undefined);
}

/** True where the text before, without a space between, is another URL: what follows is a part of that one. */
function isInside(index: number, line: string): boolean {
  return /:\/\/\S*$/.test(line.slice(Math.max(0, index - 2048), index));
}

function hint(port: string, path: string | undefined): HttpHint | undefined {
  const number = Number(port);
  if (port === '' || number < 1 || number > 65_535) return undefined;
  // A sentence may end right behind the URL, and a template or a query is no path.
  const named = (path ?? '').replace(/[?#{].*$/, '').replace(/[.!:]+$/, '');
  return { port: number, path: named.replace(/\/+$/, '') || '/mcp' };
}
