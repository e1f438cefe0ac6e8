import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { getTerminal, now, problem, putBarber, value } from '../../test/support.ts';
import { type ClientOperation, operations } from '../chairside.ts';
import type { RateLimiter } from '../ports/ports.ts';
import { retryAfterSeconds, toProblem } from '../problems/problem.ts';
import { errAsync } from '../values/result.ts';
import { admit, type Call, countCall, defaultRateLimits } from './access.ts';

const ada = { subject: 'user-1', barberId: 'barber-1' };
const calledBy = (auth: Call['auth'], over: Partial<Call> = {}): Call => ({
  auth,
  facts: {},
  ...over,
});
const oneEach = Object.fromEntries(
  Object.entries(defaultRateLimits).map(([name, quota]) => [name, { ...quota, limit: 1 }]),
) as typeof defaultRateLimits; // cast: built from the entries of one

describe('an admitted caller', () => {
  it('is within its limit, and gets the state of its quota', async () => {
    const { ports } = testPorts();
    const call = calledBy(ada);
    expect(value(await admit(ports, getTerminal, call))).toBe(ada);
    expect(call.facts.rateLimit).toEqual({
      policy: 'reads',
      limit: 300,
      windowMs: 60_000,
      remaining: 299,
      resetsAt: now + 60_000,
      allowed: true,
      countedAt: now,
    });
  });

  it('is within the limit: later ones are rejected', async () => {
    const { ports } = testPorts({ rateLimits: oneEach });
    value(await admit(ports, getTerminal, calledBy(ada)));
    const call = calledBy(ada);
    const refused = problem(await admit(ports, getTerminal, call));
    expect(refused).toEqual({
      type: 'tooManyRequests',
      detail: 'At most 1 such calls in 60 s.',
      recovery: {
        outcome: 'notApplied',
        retry: 'retrySameRequestAfterDelay',
        rateLimit: { limit: 1, remaining: 0, resetsAt: '2026-11-21T09:01:00.000Z' },
      },
    });
    expect(call.facts.rateLimit?.allowed).toBe(false);
    const sent = toProblem(refused, { newId: () => 'prb_1', at: now });
    expect(retryAfterSeconds(sent)).toBe(60);
  });

  it('is counted by class of operation and by subject', async () => {
    const { ports } = testPorts({ rateLimits: oneEach });
    const isIn = async (name: ClientOperation, subject = 'user-1') => {
      const { limit } = operations[name];
      return (await admit(ports, { limit }, calledBy({ subject }))).isOk();
    };
    expect(await isIn('listTerminals')).toBe(true);
    expect(await isIn('registerTerminal')).toBe(true);
    expect(await isIn('createTerminalConnectionToken')).toBe(true);
    expect(await isIn('listTerminals', 'user-2')).toBe(true);
    expect(await isIn('listContactlessPayments')).toBe(false);
    expect(await isIn('deleteTerminal')).toBe(false);
    expect(await isIn('createTerminalConnectionToken')).toBe(false);
  });

  it('is the host, without a limit', async () => {
    const { ports } = testPorts({ rateLimits: oneEach });
    for (let i = 0; i < 3; i += 1) {
      const call = calledBy(ada);
      expect((await admit(ports, putBarber, call)).isOk()).toBe(true);
      expect(call.facts).toEqual({});
    }
  });

  it('is every caller if limits are off', async () => {
    const { ports, seen } = testPorts({ rateLimits: undefined });
    const call = calledBy(ada);
    expect(value(await admit(ports, getTerminal, call))).toBe(ada);
    expect(call.facts).toEqual({});
    const rejected = calledBy('rejectedToken', { clientAddress: '192.0.2.1' });
    expect(problem(await admit(ports, getTerminal, rejected)).type).toBe('unauthorized');
    expect(seen).toEqual([]);
  });
});

describe('a rejected caller', () => {
  it('without a token must sign in, with a bad one must refresh it (D29)', async () => {
    const { ports } = testPorts();
    const refusal = async (auth: Call['auth']) =>
      problem(await admit(ports, putBarber, calledBy(auth)));
    const recovery = { outcome: 'notApplied', retry: 'retrySameRequest' };
    expect(await refusal(undefined)).toMatchObject({
      type: 'unauthorized',
      detail: 'Send an access token: Authorization: Bearer <ACCESS_TOKEN>.',
      recovery: { ...recovery, sessionAction: 'signIn' },
    });
    expect(await refusal('rejectedToken')).toMatchObject({
      type: 'unauthorized',
      detail: 'The access token is invalid or has expired.',
      recovery: { ...recovery, sessionAction: 'refresh' },
    });
  });

  it('is counted by address, and against no other caller (D31)', async () => {
    const { ports } = testPorts({ rateLimits: oneEach });
    const type = async (auth: Call['auth'], clientAddress?: string) => {
      const call = calledBy(auth, clientAddress === undefined ? {} : { clientAddress });
      const refused = problem(await admit(ports, getTerminal, call));
      expect(call.facts).toEqual({});
      return refused.type;
    };
    expect(await type('rejectedToken', '192.0.2.1')).toBe('unauthorized');
    expect(await type(undefined, '192.0.2.1')).toBe('tooManyRequests');
    expect(await type('rejectedToken', '192.0.2.2')).toBe('unauthorized');
    expect(await type('rejectedToken', '2001:db8::1')).toBe('unauthorized');
    expect(await type('rejectedToken', '2001:db8::2')).toBe('tooManyRequests');
    expect(await type(undefined)).toBe('unauthorized');
    expect(await type(undefined)).toBe('unauthorized');
    const known = calledBy(ada, { clientAddress: '192.0.2.1' });
    expect((await admit(ports, getTerminal, known)).isOk()).toBe(true);
  });
});

describe('a limiter that fails', () => {
  const throwing = () => {
    throw new Error('the limiter is down');
  };
  const limiters: [string, RateLimiter['take']][] = [
    ['fails', () => errAsync({ kind: 'limiterFailed' })],
    ['throws', throwing],
  ];

  it.each(limiters)('lets calls pass when it %s, and is reported (D31)', async (_how, take) => {
    const { ports, seen } = testPorts({ rateLimiter: { take } });
    const call = calledBy(ada);
    expect(value(await admit(ports, getTerminal, call))).toBe(ada);
    expect(call.facts).toEqual({});
    const rejected = calledBy('rejectedToken', { clientAddress: '192.0.2.1' });
    expect(problem(await admit(ports, getTerminal, rejected)).type).toBe('unauthorized');
    const failure = { kind: 'failure', name: 'rateLimiter', outcome: 'limiterFailed' };
    expect(seen).toEqual(Array(2).fill({ ...failure, startedAt: now, endedAt: now }));
  });

  it('receives the quota and the time, under the name of the class', async () => {
    const asked: unknown[] = [];
    const { ports } = testPorts({
      rateLimiter: {
        take(...question) {
          asked.push(question);
          return errAsync({ kind: 'limiterFailed' });
        },
      },
    });
    await countCall(ports, 'challengeTargets', 'target-1');
    const quota = { limit: 5, windowMs: 60_000 };
    expect(asked).toEqual([['challengeTargets', 'target-1', quota, now]]);
  });
});

it('use cases of the interface are counted by their effect', () => {
  expect(operations).toMatchObject({
    createContactlessPayment: { limit: 'writes' },
    listContactlessPayments: { limit: 'reads' },
    getContactlessPayment: { limit: 'reads' },
    captureContactlessPayment: { limit: 'writes' },
    registerTerminal: { limit: 'writes' },
    listTerminals: { limit: 'reads' },
    getTerminal: { limit: 'reads' },
    deleteTerminal: { limit: 'writes' },
    createTerminalConnectionToken: { limit: 'connectionTokens' },
    preparePaymentMethod: { limit: 'writes' },
    removeFinancialAccount: { limit: 'writes' },
    deleteBarberSchedule: { limit: 'writes' },
    listChallengeMethods: { limit: 'challengeMethods' },
    getPayoutPreferences: { limit: 'reads' },
  });
});
