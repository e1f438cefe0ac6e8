import type { Request } from '../load/request.ts';

interface Subject {
  /** Transactions committed so far. */
  readonly commits: () => number | Promise<number>;
  /** For a store in a separate server: the number of its requests so far. */
  readonly roundTrips?: () => Promise<number>;
  /** CPU time in other processes. */
  readonly cpuMicroseconds?: () => Promise<number>;
  /** Differences between stored records and responses; empty if they agree. */
  readonly verify: (answered: number) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/** A server with its requests. */
export interface Served extends Subject {
  /** The port of each of its processes. */
  readonly ports: readonly number[];
  readonly requests: readonly Request[];
  /** Whether the requests may be repeated. */
  readonly repeats: boolean;
}

/** A target that is called in its own process. */
export interface Driven extends Subject {
  /** One caller's next step. */
  readonly step: () => Promise<void>;
  /** The number of requests in one step. */
  readonly requestsPerStep: number;
}

export type Target = Served | Driven;

/** The input of a scenario. */
export interface Setting {
  readonly folder: string;
  /** The number of requests to prepare. */
  readonly wanted: number;
  readonly database: string | undefined;
  /** The folder for CPU profiles of other processes. */
  readonly profile: string | undefined;
}

/** Compares two counts, by name. */
export function differences(
  found: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
): string[] {
  return Object.keys({ ...found, ...expected }).flatMap((name) => {
    const [is, shouldBe] = [found[name] ?? 0, expected[name] ?? 0];
    return is === shouldBe ? [] : [`${name}: ${is}, not ${shouldBe}`];
  });
}
