import { styleText } from 'node:util';
import { cutText, textWidth, visibleText } from './visible-text.ts';

/** A column of a table of `Row`s. */
export interface Column<Row> {
  readonly header: string;
  /** May be anybody's text. */
  text(row: Row): string;
  readonly align?: 'left' | 'right';
  /** True for text that may be cut where the table is wider than the terminal; names and ids stay whole. */
  readonly shrinks?: boolean;
  /** The colour of a cell, where colour is asked for. */
  colour?(row: Row): TableColour | undefined;
}

export type TableColour = 'green' | 'yellow' | 'red' | 'dim';

export interface TableOptions {
  /** Columns of the terminal; nothing is cut without it, as for a pipe. */
  readonly width?: number;
  readonly colour: boolean;
}

/** Between two columns. */
const gap = '  ';
/** Below this a column that shrinks would say nothing. */
const leastWidth = 12;

/** A table as text, one line a row and one for the headers, without spaces at the ends of lines; '' for no rows. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], options: TableOptions): string {
  if (rows.length === 0) return '';
  const cells = rows.map(row => columns.map(column => visibleText(column.text(row)).trim()));
  const natural = columns.map(({ header }, at) =>
    Math.max(textWidth(header), ...cells.map(line => textWidth(line[at] ?? ''))),
  );
  const widths = fitWidths(natural, columns, options.width);
  const place = (text: string, at: number) => {
    const width = widths[at] ?? 0;
    const cut = cutText(text, width);
    const blank = ' '.repeat(width - textWidth(cut));
    return { cut, before: columns[at]?.align === 'right' ? blank : '', after: blank };
  };
  const lines = cells.map((line, index) =>
    line.map((text, at) => {
      const { cut, before, after } = place(text, at);
      const row = rows[index];
      const colour = options.colour && row !== undefined ? columns[at]?.colour?.(row) : undefined;
      return { text: before + (colour === undefined ? cut : paint(colour, cut)), after: before === '' ? after : '' };
    }),
  );
  const headers = columns.map(({ header }, at) => {
    const { cut, before, after } = place(header, at);
    return { text: before + (options.colour ? paint('dim', cut) : cut), after: before === '' ? after : '' };
  });
  return [headers, ...lines].map(joinCells).join('\n');
}

/** Takes what is too much from the widest column that shrinks, until the table fits or none can shrink. */
function fitWidths<Row>(
  natural: readonly number[],
  columns: readonly Column<Row>[],
  most: number | undefined,
): readonly number[] {
  const widths = [...natural];
  if (most === undefined) return widths;
  let surplus = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - most;
  while (surplus > 0) {
    let widest = -1;
    for (const [at, column] of columns.entries()) {
      const width = widths[at] ?? 0;
      if (column.shrinks && width > Math.max(leastWidth, widths[widest] ?? 0)) widest = at;
    }
    const width = widths[widest];
    if (width === undefined) return widths;
    widths[widest] = width - 1;
    surplus -= 1;
  }
  return widths;
}

function joinCells(cells: readonly { readonly text: string; readonly after: string }[]): string {
  const last = cells.findLastIndex(({ text }) => text !== '');
  return cells
    .slice(0, last + 1)
    .map(({ text, after }, at) => (at === last ? text : text + after))
    .join(gap);
}

function paint(colour: TableColour, text: string): string {
  return text === '' ? '' : styleText(colour, text, { validateStream: false });
}
