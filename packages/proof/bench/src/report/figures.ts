import type { Outcome } from '../job.ts';
import { median } from './stats.ts';

/** The outcomes of every round, by name. */
export type Rounds = ReadonlyMap<string, readonly Outcome[]>;

/** The medians of the rounds. */
export interface Figures {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly wrong: number;
  /** Of the server, for one request: comparable even while other processes use the machine. */
  readonly cpuMicroseconds: number;
  /** Requests that share one flush to the disk. */
  readonly perFlush: number;
  /** Round trips to PostgreSQL, for one request. */
  readonly roundTrips: number;
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const of = (pick: (outcome: Outcome) => number) => median(outcomes.map(pick));
  return {
    rate: of(({ load }) => load.rate),
    p50: of(({ load }) => load.p50),
    p99: of(({ load }) => load.p99),
    cpuMicroseconds: of(({ cpuMicroseconds }) => cpuMicroseconds),
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
