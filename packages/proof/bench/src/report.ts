import type { Outcome } from './job.ts';
import { median } from './load.ts';
import { scenarios } from './scenarios.ts';

/** The outcomes of every round, by name. */
export type Rounds = ReadonlyMap<string, readonly Outcome[]>;

/** The medians of the rounds. */
function figuresOf(outcomes: readonly Outcome[]) {
  const of = (pick: (outcome: Outcome) => number) => median(outcomes.map(pick));
  return {
    rate: of(({ load }) => load.rate),
    p50: of(({ load }) => load.p50),
    p99: of(({ load }) => load.p99),
    /** Comparable even while other processes use the machine. */
    cpu: of(({ cpuMicroseconds }) => cpuMicroseconds),
    wrong: outcomes.reduce((sum, { load, faults }) => sum + load.wrong + faults.length, 0),
    perFlush: of(({ load, commits }) => (commits === 0 ? 0 : load.answered / commits)),
    roundTrips: of(({ roundTrips = 0 }) => roundTrips),
  };
}

/**
 * The median ratio of two jobs over the rounds; both ran in the same minute. `undefined` if one of
 * them did not run, or never came to be measured.
 */
export function ratio(
  rounds: Rounds,
  name: string,
  to: string,
  pick: (outcome: Outcome) => number = ({ load }) => load.rate,
): number | undefined {
  const [ours, theirs] = [rounds.get(name) ?? [], rounds.get(to) ?? []];
  const ratios = ours.flatMap((outcome, index) => {
    const [is, other] = [pick(outcome), theirs[index] === undefined ? 0 : pick(theirs[index])];
    return is === 0 || other === 0 ? [] : [is / other];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

const head = ['', 'at once', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'req/flush', 'trips/req'];

/** All measurements as a table. */
export function table(rounds: Rounds): string {
  const rows = [...rounds].flatMap(([name, outcomes]) => {
    if (outcomes.every(({ load }) => load.answered === 0)) return [];
    const { rate, p50, p99, wrong, cpu, perFlush, roundTrips } = figuresOf(outcomes);
    const [scenario = '', count = ''] = name.split(' ');
    const isSize = scenario === 'size';
    const share = (floor: string) => {
      const found = ratio(rounds, name, `${floor} ${count}`);
      return found === undefined ? '' : `${(found * 100).toFixed(0)} %`;
    };
    return [
      [
        isSize ? `create, ${count} payments stored` : (scenarios[scenario]?.title ?? scenario),
        isSize ? '8' : count,
        rate.toFixed(0),
        p50.toFixed(2),
        p99.toFixed(2),
        cpu.toFixed(0),
        perFlush === 0 ? '' : perFlush.toFixed(1),
        roundTrips === 0 ? '' : roundTrips.toFixed(1),
        String(wrong),
        share('echo'),
        share('grouped'),
      ],
    ];
  });
  return aligned([[...head, 'wrong', 'echo', 'grouped'], ...rows]);
}

/** Compares the figures with the goals; omits jobs that did not run. */
export function goalTable(rounds: Rounds): string {
  const rows: string[][] = [];

  function check(what: string, found: number | undefined, sign: '≥' | '≤', bound: number): void {
    if (found === undefined) return;
    const isMet = sign === '≥' ? found >= bound : found <= bound;
    const shown = found.toFixed(found < 100 ? 2 : 0);
    rows.push([what, shown, `${sign} ${bound}`, isMet ? 'met' : 'MISSED']);
  }

  /** Of 64 connections. */
  function checkFigures(what: string, name: string, perFlush: number): void {
    const outcomes = rounds.get(`${name} 64`);
    if (outcomes === undefined) return;
    const figures = figuresOf(outcomes);
    check(`${what}: requests a flush`, figures.perFlush, '≥', perFlush);
    check(`${what}: p99 to p50`, figures.p99 / figures.p50, '≤', 4);
  }

  for (const name of ['create', 'capture']) {
    for (const at of [8, 64]) {
      const what = `${name} to two grouped commits by hand, ${at} connections`;
      check(what, ratio(rounds, `${name} ${at}`, `grouped ${at}`), '≥', 0.55);
    }
    checkFigures(name, name, 16);
  }
  check('get to h3 echo', ratio(rounds, 'get 64', 'echo 64'), '≥', 0.7);
  check('replay to h3 echo', ratio(rounds, 'replay 64', 'echo 64'), '≥', 0.6);

  const ours = 'PostgreSQL';
  check(`${ours} to by hand`, ratio(rounds, 'postgres 64', 'postgresByHand 64'), '≥', 1.8);
  const alone = ratio(rounds, 'postgres 1', 'postgresByHand 1');
  check(`${ours} to by hand, one caller`, alone, '≥', 0.75);
  const toGrouped = ratio(rounds, 'postgres 64', 'postgresGrouped 64');
  check(`${ours} to grouped by hand`, toGrouped, '≥', 0.75);
  checkFigures(ours, 'postgres', 6);
  const cpu = ({ cpuMicroseconds }: Outcome) => cpuMicroseconds;
  const cpuToGrouped = ratio(rounds, 'postgres 64', 'postgresGrouped 64', cpu);
  check(`${ours}: CPU of the node to grouped by hand`, cpuToGrouped, '≤', 2);
  for (const nodes of [2, 4]) {
    const toOne = ratio(rounds, `postgres${nodes} 64`, 'postgres 64', cpu);
    check(`${ours}: CPU a request of ${nodes} nodes to one`, toOne, '≤', 1.3);
  }

  const sizes = [...rounds.keys()].filter((name) => name.startsWith('size '));
  for (const name of sizes.slice(1)) {
    const slower = ratio(rounds, name, sizes[0] ?? '', ({ load }) => load.p50);
    check(`create with ${name.slice(5)} payments to an empty one, p50`, slower, '≤', 1.3);
  }
  return aligned(rows);
}

/** Aligns the first column to the left, all others to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
  return rows.map((row) => line(row).join('  ').trimEnd()).join('\n');
}
