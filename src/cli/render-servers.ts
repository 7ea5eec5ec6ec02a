import type { ServerView, StatusAnswer } from '../client/api-types.ts';
import type { HealthState } from '../core/server-health.ts';
import { type Column, renderTable, type TableColour } from './table.ts';
import type { Terminal } from './terminal.ts';
import { visibleText } from './visible-text.ts';

const colours: Readonly<Partial<Record<HealthState, TableColour>>> = {
  connected: 'green',
  stopped: 'dim',
  disabled: 'dim',
  starting: 'yellow',
  restarting: 'yellow',
  stopping: 'yellow',
};

const columns: readonly Column<ServerView>[] = [
  { header: 'SERVER', text: ({ server }) => server },
  {
    header: 'STATE',
    text: ({ state }) => state,
    colour: ({ state, needsAttention }) => (needsAttention ? 'red' : colours[state]),
  },
  { header: 'TOOLS', align: 'right', text: ({ tools }) => String(tools.length) },
  { header: 'TOKENS', align: 'right', text: ({ tokenCost }) => (tokenCost === 0 ? '' : String(tokenCost)) },
  { header: 'PROTOCOL', text: ({ protocol_version }) => protocol_version ?? '' },
  { header: 'KIND', text: ({ kind }) => kind },
  { header: 'CONTAINER', text: containerOf },
  { header: 'WHAT', shrinks: true, text: whatOf },
];

/** All servers as a table, and below it what needs the person's attention, each with the command that mends it. */
export function renderServers(
  { servers, legacy, docker }: StatusAnswer,
  { colour, width }: Pick<Terminal, 'colour' | 'width'>,
): string {
  const table = renderTable(servers, columns, { colour, ...(width !== undefined && { width }) });
  const attention = servers.filter(server => server.needsAttention).map(attentionText);
  const revisions = servers.flatMap(({ server, protocol_reason: why }) =>
    why === null ? [] : [`${server}: ${visibleText(why)}`],
  );
  const old = legacy.map(({ name, sentence }) => `${visibleText(name)}: ${visibleText(sentence)}`);
  const wantsDocker = docker.state === 'unavailable' && servers.some(({ kind }) => kind.startsWith('docker-'));
  return [table, ...attention, ...revisions, ...old, ...(wantsDocker ? [visibleText(docker.sentence)] : [])]
    .filter(part => part !== '')
    .join('\n\n');
}

function attentionText({ server, sentence, action }: ServerView): string {
  const remedy = action.command === undefined ? action.label : `${action.label}: ${action.command}`;
  return `${server}: ${visibleText(sentence)}\n  ${remedy}`;
}

function containerOf({ kind, holdings }: ServerView): string {
  return kind === 'docker-run' || kind === 'docker-image' ? holdings.map(id => id.slice(0, 12)).join(' ') : '';
}

/** What it is made of, as far as one line can tell. */
function whatOf({ config, image }: ServerView): string {
  if (image !== null) return image;
  const { command, args, endpoint } = config;
  if (typeof endpoint === 'string' && typeof command !== 'string') return endpoint;
  return [command, ...(Array.isArray(args) ? args : [])].filter(word => typeof word === 'string').join(' ');
}
