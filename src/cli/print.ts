import { type Column, renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Prints a result: as JSON, or as the text that `render` makes of it, which may hold what a server said. */
export async function printResult(
  terminal: Terminal,
  json: true | undefined,
  result: unknown,
  render: () => string,
): Promise<void> {
  if (json) return await terminal.out(`${JSON.stringify(result, null, 2)}\n`);
  const text = render();
  if (text !== '') await terminal.show(`${text}\n`);
}

/** The same for a text with our own colours, in which nothing of anybody else is left that a terminal would obey. */
export async function printStyled(
  terminal: Terminal,
  json: true | undefined,
  result: unknown,
  render: () => string,
): Promise<void> {
  const plain: Terminal = { ...terminal, show: terminal.out };
  await printResult(plain, json, result, render);
}

/** Prints rows as JSON or as a table, and where there are none says what that means, on stderr. */
export async function printTable<Row>(
  terminal: Terminal,
  json: true | undefined,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  ifNone?: string,
): Promise<void> {
  const { colour, width } = terminal;
  const options = { colour, ...(width !== undefined && { width }) };
  await printStyled(terminal, json, rows, () => renderTable(rows, columns, options));
  if (!json && rows.length === 0 && ifNone !== undefined) await terminal.err(`${ifNone}\n`);
}

/** Says on stderr what is odd. */
export async function tellNotes(terminal: Terminal, notes: readonly { readonly message: string }[]): Promise<void> {
  for (const { message } of notes) await terminal.err(`note: ${message}\n`);
}
