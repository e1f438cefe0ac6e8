import { figuresOf, type Rounds, ratio } from './figures.ts';

/** A promise, and the measured value. */
export interface Checked {
  readonly what: string;
  readonly found: number;
  readonly wanted: string;
  readonly isMet: boolean;
}

/** Compares the figures with the promises; omits jobs that did not run. */
export function checkTargets(rounds: Rounds): Checked[] {
  const checked: Checked[] = [];

  function check(what: string, found: number | undefined, sign: '≥' | '≤', bound: number): void {
    if (found === undefined) return;
    const isMet = sign === '≥' ? found >= bound : found <= bound;
    checked.push({ what, found, wanted: `${sign} ${bound}`, isMet });
  }

  const figure = (name: string, pick: 'perFlush' | 'tail' | 'cpu') => {
    const outcomes = rounds.get(name);
    if (outcomes === undefined) return undefined;
    const { perFlush, p50, p99, cpuMicroseconds } = figuresOf(outcomes);
    return { perFlush, tail: p99 / p50, cpu: cpuMicroseconds }[pick];
  };

  for (const operation of ['create', 'capture']) {
    for (const connections of [8, 64]) {
      const name = `${operation} ${connections}`;
      const what = `${operation} to two grouped commits by hand, ${connections} connections`;
      check(what, ratio(rounds, name, `grouped ${connections}`), '≥', 0.6);
    }
    const name = `${operation} 64`;
    check(`${operation}: requests a flush, 64 connections`, figure(name, 'perFlush'), '≥', 16);
    check(`${operation}: p99 to p50, 64 connections`, figure(name, 'tail'), '≤', 4);
  }
  check('get to h3 echo, 64 connections', ratio(rounds, 'get 64', 'echo 64'), '≥', 0.7);
  check('replay to h3 echo, 64 connections', ratio(rounds, 'replay 64', 'echo 64'), '≥', 0.6);
  check('in process to the store alone', ratio(rounds, 'inProcess 64', 'store 64'), '≥', 0.5);
  check('in process to SQLite in batches', ratio(rounds, 'inProcess 64', 'batches 1'), '≥', 0.5);

  const postgres = 'create + capture over PostgreSQL';
  const byHand = ratio(rounds, 'postgres 64', 'postgresByHand 64');
  check(`${postgres} to by hand, 64 connections`, byHand, '≥', 2);
  const grouped = ratio(rounds, 'postgres 64', 'postgresGrouped 64');
  check(`${postgres} to grouped by hand, 64 connections`, grouped, '≥', 0.6);
  check(`${postgres}: CPU µs of the node a request`, figure('postgres 64', 'cpu'), '≤', 150);
  check(`${postgres}: requests a flush, 64 connections`, figure('postgres 64', 'perFlush'), '≥', 6);
  check(`${postgres}: p99 to p50, 64 connections`, figure('postgres 64', 'tail'), '≤', 4);
  for (const nodes of [2, 4]) {
    const cpu = ratio(rounds, `postgres${nodes} 64`, 'postgres 64', (one) => one.cpuMicroseconds);
    check(`${postgres}: CPU a request of ${nodes} nodes to one`, cpu, '≤', 1.3);
  }

  const sizes = [...rounds.keys()].filter((name) => name.startsWith('size '));
  for (const name of sizes.slice(1)) {
    const slower = ratio(rounds, name, sizes[0] ?? '', ({ load }) => load.p50);
    check(`create with ${name.slice(5)} payments to an empty one, p50`, slower, '≤', 1.3);
  }
  check('bytes a captured payment', rounds.get('space')?.[0]?.bytesPerPayment, '≤', 900);
  return checked;
}
