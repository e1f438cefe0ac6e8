import { err, ok, type RateLimiter, ResultAsync } from '@chairside/core';
import type { Pool } from 'pg';
import { createGroups } from './groups.ts';
import { jsonLiteral } from './literal.ts';
import { withoutValues } from './postgres-error.ts';
import type { Sized } from './queue.ts';
import { inSchema } from './schema.ts';

/** One call in this many also deletes old windows, so that they do not accumulate. */
const callsPerSweep = 256;

const limits = { maxGroups: 1, maxJobs: 100, maxCharacters: 1_000_000 };

interface Taking extends Sized {
  readonly text: string;
  readonly sweeps: boolean;
}

type Taken = readonly [taken: number, resetsAt: number];

/**
 * Counts calls in fixed windows, for all nodes together. Simultaneous calls share one round trip.
 * The counts are not flushed, because counting may begin anew after a crash. It uses the nodes'
 * clocks, which should agree to about a second: a fast clock begins and ends its windows too early.
 */
export function createRateLimiter(
  pool: Pool,
  schema: string,
  deadlineMs: number,
  report: (error: unknown) => void,
): RateLimiter {
  const call = inSchema('@take_v1', schema);
  let calls = 0;
  const ask = createGroups<Taking, Taken>(pool, deadlineMs, {
    limits,
    messageOf: (takings, access) => {
      const sweeps = takings.some((taking) => taking.sweeps);
      return `BEGIN ISOLATION LEVEL READ COMMITTED${access};
SELECT ${call}(${jsonLiteral(`[${takings.map(({ text }) => text)}]`)}, ${sweeps}) AS answers;
COMMIT`;
    },
    lastCommand: 'COMMIT',
    valuesOf: takenOf,
  });

  return {
    take(policy, key, { limit, windowMs }, now) {
      calls += 1;
      const text = JSON.stringify({ policy, key, limit, windowMs, now });
      const taking: Taking = {
        text,
        characters: text.length,
        sweeps: calls % callsPerSweep === 0,
      };
      return ResultAsync.fromSafePromise(ask(taking)).andThen((answer) => {
        if (answer.isErr()) {
          report(withoutValues(answer.error.error, 'take'));
          return err({ kind: 'limiterFailed' } as const);
        }
        const [taken, resetsAt] = answer.value;
        const remaining = Math.max(0, limit - taken);
        return ok({ policy, limit, windowMs, remaining, resetsAt, allowed: taken <= limit });
      });
    },
  };
}

/** The result of each call. The server's function returns an object with the calls' places. */
function takenOf(answers: unknown, count: number): readonly Taken[] | undefined {
  const taken = new Map(Object.entries(answers ?? {}));
  const all = Array.from({ length: count }, (_, place): unknown => taken.get(`${place}`));
  return all.every(isTaken) ? all : undefined;
}

function isTaken(value: unknown): value is Taken {
  return (
    Array.isArray(value) && value.length === 2 && value.every((each) => Number.isInteger(each))
  );
}
