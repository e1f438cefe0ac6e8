import cliui from 'cliui';

export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'warning' | 'bad';

/** Marks a text with its tone, by colours where the terminal has them. */
export type Paint = (tone: Tone, text: string) => string;

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

type Value = string | Cell | undefined;

interface Layout {
  readonly align?: 'right';
  readonly wraps?: boolean;
}

export interface Column<Row> extends Layout {
  readonly head: string;
  readonly cell: (row: Row) => Value;
}

export function col<Row>(head: string, cell: Column<Row>['cell']): Column<Row> {
  return { head, cell };
}

/** Such as an amount. */
export function right<Row>(head: string, cell: Column<Row>['cell']): Column<Row> {
  return { head, cell, align: 'right' };
}

/** Its text may take several lines, where the table is too wide. */
export function wide<Row>(head: string, cell: Column<Row>['cell']): Column<Row> {
  return { head, cell, wraps: true };
}

/** What a command prints for a person. Every line fits the width. */
export interface Screen {
  line(text: string, tone?: Tone): void;
  /** A title above a part. */
  part(title: string): void;
  /** A name and a value in each row; rows without a value are left out. */
  facts(rows: readonly (readonly [name: string, value: Value])[]): void;
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void;
  /** A part with a table, if there are rows. */
  list<Row>(title: string, rows: readonly Row[], columns: readonly Column<Row>[]): void;
  text(): string;
}

/** Between two columns. */
const gap = 2;

export function createScreen(width: number, paint: Paint): Screen {
  const parts: string[] = [];

  function draw(columns: readonly Layout[], given: readonly (readonly Cell[])[]): void {
    const rows = given.map((cells) => cells.map((cell) => ({ ...cell, text: show(cell.text) })));
    const widths = fit(columns, rows, width);
    const ui = cliui({ width, wrap: true });
    for (const row of rows) {
      const cells = row.map(({ text, tone = 'plain' }, at) => ({
        text: paint(tone, text),
        width: (widths[at] ?? 0) + (at < row.length - 1 ? gap : 0),
        padding: [0, at < row.length - 1 ? gap : 0, 0, 0] as const,
        ...(columns[at]?.align === 'right' && { align: 'right' as const }),
      }));
      ui.div(...cells);
    }
    parts.push(...ui.toString().split('\n'));
  }

  const screen: Screen = {
    line(text, tone = 'plain') {
      draw([{ wraps: true }], [[{ text, tone }]]);
    },
    part(title) {
      if (parts.length > 0) parts.push('');
      screen.line(title, 'strong');
    },
    facts(rows) {
      const given = rows.flatMap(([name, value]) =>
        value === undefined ? [] : [[{ text: name, tone: 'faint' } as const, toCell(value)]],
      );
      if (given.length > 0) draw([{}, { wraps: true }], given);
    },
    table(rows, columns) {
      const heads = columns.map(({ head }) => ({ text: head, tone: 'faint' }) as const);
      const isHeaded = heads.some(({ text }) => text !== '');
      const cells = rows.map((row) => columns.map(({ cell }) => toCell(cell(row))));
      draw(columns, [...(isHeaded ? [heads] : []), ...cells]);
    },
    list(title, rows, columns) {
      if (rows.length === 0) return;
      screen.part(title);
      screen.table(rows, columns);
    },
    text: () => `${parts.map((line) => line.trimEnd()).join('\n')}\n`,
  };
  return screen;
}

/**
 * Makes control and format characters and line ends visible, such as `\u001b`: a name in a record must not write to the
 * terminal, forge a line or reverse a text.
 */
export function show(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped);
}

/** The same for a text of several lines. JSON keeps its value. */
export function showLines(text: string): string {
  return text.replaceAll(/(?!\r?\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(character: string): string {
  const codes = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return codes.map((code) => `\\u${code}`).join('');
}

const toCell = (value: Value): Cell => (typeof value === 'object' ? value : { text: value ?? '' });

/** Each column's width: its longest text, and less for columns that wrap, where the table is too wide. */
function fit(
  columns: readonly Layout[],
  rows: readonly (readonly Cell[])[],
  width: number,
): readonly number[] {
  const natural = columns.map((_, at) =>
    Math.max(1, ...rows.map((row) => [...(row[at]?.text ?? '')].length)),
  );
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const isSoft = (at: number) => columns[at]?.wraps === true;
  const hard = natural.filter((_, at) => !isSoft(at));
  let left = Math.max(1, width - sum(hard) - gap * (columns.length - 1));
  // The narrowest first: it may need less than its part, and leaves the rest to the others.
  const soft = natural
    .map((wanted, at) => ({ wanted, at }))
    .filter(({ at }) => isSoft(at))
    .sort((a, b) => a.wanted - b.wanted);
  const widths = [...natural];
  for (const [index, { wanted, at }] of soft.entries()) {
    const given = Math.max(1, Math.min(wanted, Math.floor(left / (soft.length - index))));
    widths[at] = given;
    left -= given;
  }
  return widths;
}
