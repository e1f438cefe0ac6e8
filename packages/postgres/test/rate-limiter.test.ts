import type { RateLimiter } from '@chairside/core';
import { someTime } from '@chairside/testkit';
import { rateLimiterContract } from '@chairside/testkit/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { connectionString, newPlace, newPool, openNoting } from './helpers.ts';

const { schema, pool } = newPlace();
const opened = [
  await openPostgresStore(pool, { schema }),
  await openPostgresStore(connectionString, { schema }),
];
const stores = opened.map((each) => each._unsafeUnwrap());
afterAll(async () => {
  for (const store of stores) await store.close();
});

const quota = { limit: 3, windowMs: 60_000 };
let keys = 0;
const newKey = () => `key ${++keys}`;
const limiterOf = (node: number): RateLimiter => stores[node % 2]?.rateLimiter ?? never();

async function take(key: string, now = someTime, node = 0, policy = 'writes') {
  return (await limiterOf(node).take(policy, key, quota, now))._unsafeUnwrap();
}

async function emptied(): Promise<void> {
  await pool.query(`TRUNCATE "${schema}".chairside_rate_limits`);
}

rateLimiterContract('The PostgreSQL rate limiter', async () => {
  await emptied();
  return [limiterOf(0)];
});

rateLimiterContract('PostgreSQL rate limiters of two nodes', async () => {
  await emptied();
  return [limiterOf(0), limiterOf(1)];
});

describe('calls', () => {
  it('are counted for all nodes together', async () => {
    const key = newKey();
    const taken = [];
    for (let node = 0; node < 5; node += 1) taken.push(await take(key, someTime + node, node));
    expect(taken.map(({ allowed }) => allowed)).toStrictEqual([true, true, true, false, false]);
    expect(taken.map(({ remaining }) => remaining)).toStrictEqual([2, 1, 0, 0, 0]);
    expect(new Set(taken.map(({ resetsAt }) => resetsAt))).toStrictEqual(
      new Set([someTime + 60_000]),
    );
  });
});

it('deletes expired windows', async () => {
  const rows = async () => {
    const text = `SELECT 1 FROM "${schema}".chairside_rate_limits WHERE policy = 'old'`;
    return (await pool.query(text)).rowCount;
  };
  for (let n = 0; n < 20; n += 1) await take(newKey(), someTime, 0, 'old');
  expect(await rows()).toBe(20);
  const later = someTime + 10 * 60_000;
  await Promise.all(Array.from({ length: 300 }, () => take(newKey(), later)));
  // The deletion runs beside the calls.
  while ((await rows()) !== 0) await take(newKey(), later);
});

it('reports its failure with the reason if the database does not respond', async () => {
  const gone = newPool();
  const { store, errors } = await openNoting({}, gone);
  await gone.end();
  const answer = await store.rateLimiter.take('writes', 'key', quota, someTime);
  expect(answer._unsafeUnwrapErr()).toStrictEqual({ kind: 'limiterFailed' });
  expect(errors).toHaveLength(1);
});

function never(): never {
  throw new Error('There are two nodes');
}
