import {
  type AuthContext,
  type ChairsideOptions,
  createChairside,
  errAsync,
} from '@chairside/core';
import { type Processor, problemSchema } from '@chairside/core/ports';
import { aBarber, aBusiness, createMapStore, someTime } from '@chairside/testkit';
import { parse } from 'valibot';
import { expect } from 'vitest';
import { type ChairsideHandlerOptions, chairsideHandler } from '../src/index.ts';

export const problemBase = 'https://api.example.com';

export const barber: AuthContext = {
  subject: 'user-1',
  barberId: 'barber-1',
  entitlements: ['contactlessPayments'],
};

const notSetUp = () => errAsync({ kind: 'notSetUp' } as const);

/** A processor that has no account. */
export const noProcessor: Processor = {
  deadlineMs: 1000,
  openPayment: notSetUp,
  readPayment: notSetUp,
  capturePayment: notSetUp,
  cancelPayment: notSetUp,
  createConnectionToken: notSetUp,
  listPayments: notSetUp,
  readReceipt: notSetUp,
  openSetup: notSetUp,
  readSetup: notSetUp,
  cancelSetup: notSetUp,
  refunds: { refund: notSetUp, list: notSetUp, listRecent: notSetUp },
  disputes: { list: notSetUp, listRecent: notSetUp },
  parseEvent: notSetUp,
};

/** A handler over a real chairside with one barber, whose token is `good`; `now` can be moved. */
export async function createWorld(
  options: Partial<ChairsideHandlerOptions> = {},
  more: Partial<ChairsideOptions> = {},
) {
  const clock = { at: someTime, now: () => clock.at };
  const store = createMapStore();
  const seen: string[] = [];
  const chairside = createChairside({
    store,
    processor: noProcessor,
    clock,
    observe: ({ requestId, ...seenOf }) => {
      if (seenOf.kind === 'operation') seen.push(`${seenOf.name} ${seenOf.outcome} ${requestId}`);
    },
    ...more,
  });
  for (const put of [
    await chairside.records.putBusiness({ id: 'business-1', name: aBusiness().name }),
    await chairside.records.putBarber(aBarber()),
  ]) {
    if (put.isErr()) throw new Error(put.error.detail);
  }
  const failures: unknown[] = [];
  const app = chairsideHandler(chairside, {
    authenticate: (token) => (token === 'good' ? barber : undefined),
    problemBase,
    publicUrl: 'https://api.shop.example',
    onFailure: (thrown) => failures.push(thrown),
    ...options,
  });
  return { app, chairside, clock, failures, seen };
}

export const good = { authorization: 'Bearer good' };
export const json = { ...good, 'content-type': 'application/json' };
export const device = JSON.stringify({ platform: 'ios', deviceIdentifier: 'd-1' });

/** The headers of every response, and an exact problem. */
export async function problemOf(response: Response, status: number, name: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(requestId).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const problem = parse(problemSchema, await response.json());
  expect(problem).toMatchObject({ type: `${problemBase}/problems/${name}`, status });
  expect(problem.recovery).toBeDefined();
  if (problem.instance !== undefined) {
    expect(problem.instance).toMatch(absoluteUri);
    expect(problem.instance.endsWith(`#${requestId}`)).toBe(true);
  }
  return problem;
}

const absoluteUri = /^https:\/\/[a-z.]+\/(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*#[\w.-]+$/;
