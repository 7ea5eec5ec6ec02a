import type { CatalogAnswer, CatalogEntryView } from '../client/api-types.ts';
import type { Client } from '../client/client.ts';
import { LongshoreError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { tellPartial } from './load-answer.ts';
import { printTable } from './print.ts';
import type { CommandContext } from './program.ts';
import type { Column } from './table.ts';
import { withProgress } from './with-progress.ts';

const columns: readonly Column<CatalogEntryView>[] = [
  { header: 'NAME', text: ({ name }) => name },
  { header: 'FROM', text: ({ source }) => source },
  { header: 'RUNS AS', text: ({ kind }) => places[kind] },
  { header: 'NEEDS', text: ({ needs }) => needs.map(short).join(', '), shrinks: true },
  {
    header: 'DESCRIPTION',
    text: ({ title, description }) => (description ?? title ?? '').replaceAll(/\s+/g, ' '),
    shrinks: true,
  },
];

const places: Readonly<Record<CatalogEntryView['kind'], string>> = {
  image: 'container',
  remote: 'remote',
  command: 'process',
  none: '-',
};

const short = (need: string): string =>
  need.replace(/^longshore secret set /, 'secret ').replace(/^--set (.*)=VALUE$/, '$1');

/** Prints what the catalogs have; what could still be read where one of them could not be is printed before the error is told. */
export async function printCatalog(
  context: CommandContext,
  client: Client,
  json: true | undefined,
  work: Promise<CatalogAnswer>,
  none: string,
): Promise<void> {
  const { terminal } = context;
  let answer: CatalogAnswer;
  try {
    answer = await withProgress(client, terminal, work);
  } catch (error) {
    const matches = error instanceof LongshoreError && error.code === 'catalog-unreadable' ? matchesIn(error.data) : [];
    if (matches.length > 0 && json !== true) await printTable(terminal, undefined, matches, columns, none);
    throw error;
  }
  const { matches, catalogs } = answer.data;
  if (json) await terminal.out(`${JSON.stringify(answer.data)}\n`);
  else {
    await printTable(terminal, undefined, matches, columns, none);
    const counts = catalogs.map(({ id, definitions }) => `${id} ${definitions}`).join(', ');
    if (matches.length > 0) await terminal.err(`Definitions available: ${counts}. Load one: longshore load NAME\n`);
  }
  await tellPartial(context, answer, json);
}

function matchesIn(data: LongshoreError['data']): readonly CatalogEntryView[] {
  const inner = isJsonObject(data) && Array.isArray(data['matches']) ? data['matches'] : [];
  return inner as unknown as readonly CatalogEntryView[];
}
