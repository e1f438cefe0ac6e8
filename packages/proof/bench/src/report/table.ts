import { scenarios } from '../scenarios.ts';
import { figuresOf, type Rounds, ratio } from './figures.ts';
import { checkTargets } from './targets.ts';

/** All measurements as a table. */
export function table(rounds: Rounds): string {
  const rows = [...rounds].flatMap(([name, outcomes]) => {
    if (outcomes.every(({ load }) => load.answered === 0)) return [];
    const { rate, p50, p99, wrong, cpuMicroseconds, perFlush, roundTrips } = figuresOf(outcomes);
    const [scenario = '', count = ''] = name.split(' ');
    const isSize = scenario === 'size';
    return [
      [
        isSize ? `create, ${count} payments stored` : (scenarios[scenario]?.title ?? scenario),
        isSize ? '8' : count,
        rate.toFixed(0),
        p50.toFixed(2),
        p99.toFixed(2),
        cpuMicroseconds.toFixed(0),
        perFlush === 0 ? '' : perFlush.toFixed(1),
        roundTrips === 0 ? '' : roundTrips.toFixed(1),
        String(wrong),
        percent(ratio(rounds, name, `echo ${count}`)),
        percent(ratio(rounds, name, `grouped ${count}`)),
      ],
    ];
  });
  const head = [
    '',
    'at once',
    'req/s',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'req/flush',
    'trips/req',
    'wrong',
    'echo',
    'grouped',
  ];
  return aligned([head, ...rows]);
}

export function targetTable(rounds: Rounds): string {
  return aligned(
    checkTargets(rounds).map(({ what, found, wanted, isMet }) => [
      what,
      found.toFixed(found < 100 ? 2 : 0),
      wanted,
      isMet ? 'met' : 'MISSED',
    ]),
  );
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(share * 100).toFixed(0)} %`;
}

/** Aligns the first column to the left, all others to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
