import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { getTerminal, now, problem, putBarber, value } from '../../test/support.ts';
import { type ClientOperation, operations } from '../chairside.ts';
import type { AuthContext, Ports, RateLimiter } from '../ports/ports.ts';
import { retryAfterSeconds, toProblem } from '../problems/problem.ts';
import { errAsync, okAsync } from '../values/result.ts';
import {
  admit,
  type Call,
  countCall,
  createMemoryRateLimiter,
  defaultRateLimits,
  isAuthContext,
  networkOf,
  toCall,
} from './access.ts';
import { perform } from './perform.ts';

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
  const down = new Error('the limiter is down');
  const throwing = () => {
    throw down;
  };
  const limiters: [string, RateLimiter['take']][] = [
    ['fails', () => errAsync({ kind: 'limiterFailed' })],
    ['throws', throwing],
    // cast: as a limiter without types may
    ['says nothing', () => okAsync({}) as never],
  ];

  it.each(limiters)('lets calls pass when it %s, and is reported (D31)', async (_how, take) => {
    const thrown: unknown[] = [];
    const onFailure: Ports['onFailure'] = (...what) => thrown.push(what);
    const { ports, seen } = testPorts({ rateLimiter: { take }, onFailure });
    const call = calledBy(ada);
    expect(value(await admit(ports, getTerminal, call))).toBe(ada);
    expect(call.facts).toEqual({});
    const rejected = calledBy('rejectedToken', { clientAddress: '192.0.2.1' });
    expect(problem(await admit(ports, getTerminal, rejected)).type).toBe('unauthorized');
    const failure = { kind: 'failure', name: 'rateLimiter', outcome: 'limiterFailed' };
    expect(seen).toEqual(Array(2).fill({ ...failure, startedAt: now, endedAt: now }));
    expect(thrown).toEqual(Array(take === throwing ? 2 : 0).fill([down, { name: 'rateLimiter' }]));
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

const all: AuthContext = {
  subject: 'user-1',
  barberId: 'barber-1',
  customerId: 'customer-1',
  businessIds: ['business-1'],
  systemAdministrator: true,
  entitlements: ['contactlessPayments'],
};

const wrongMembers = [
  { subject: '' },
  { subject: 7 },
  { subject: '\ud800' },
  { subject: 'x'.repeat(256) },
  { barberId: 7 },
  { customerId: null },
  { businessIds: 'business-10' },
  { businessIds: ['business-1', 7] },
  { systemAdministrator: 'no' },
  { entitlements: 'noncontactlessPayments' },
].map((over): unknown => ({ ...all, ...over }));
/** A token, and a caller that nobody awaited. */
const others = ['token', 7, true, Symbol('ada'), {}, Promise.resolve(all)];
// cast: as hosts without types do
const wrong = [...wrongMembers, ...others] as AuthContext[];

describe('an auth context', () => {
  it('has all its members, or only the subject', () => {
    expect(isAuthContext(all)).toBe(true);
    expect(isAuthContext({ subject: 'user-1' })).toBe(true);
    expect(isAuthContext({ subject: '😀'.repeat(255) })).toBe(true);
  });

  it('is not null or missing, which hosts without types may return', () => {
    // cast: as they do
    for (const none of [null, undefined] as unknown[] as AuthContext[]) {
      expect(isAuthContext(none)).toBe(false);
    }
  });

  it('may carry further members of its host', () => {
    const claims = { ...all, auth: 'password', facts: {} };
    expect(toCall(claims).auth).toBe(claims);
  });

  it.each(wrong)('is not %s: such a value admits no caller', async (auth) => {
    expect(isAuthContext(auth)).toBe(false);
    const never = () => expect.unreachable();
    const refused = problem(await perform(testPorts().ports, getTerminal, auth, never));
    expect(refused).toMatchObject({
      type: 'internalError',
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
  });
});

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['[2001:db8::6]:443', '2001:db8:0:0::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('an IPv6 address counts for its /64: %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:443', '192.0.2.1'],
  ['forged, 203.0.113.9, 192.0.2.1', '192.0.2.1'],
  ['forged again,192.0.2.1:50812', '192.0.2.1'],
])('an IPv4 address counts for itself: %s', (address, itself) => {
  expect(networkOf(address)).toBe(itself);
});

it.each(['', 'unix', 'shop:7', 'a:b:c', 'caller::7x', ':'.repeat(64)])(
  'another text of a host counts for itself: %s',
  (name) => {
    expect(networkOf(name)).toBe(name);
  },
);

it.each(['x'.repeat(9000), `${'x'.repeat(9000)}y`, 'a\0b', '\ud800'])(
  'a text that no index takes counts by its hash',
  (text) => {
    expect(networkOf(text)).toMatch(/^[0-9a-f]{64}$/);
    expect(networkOf(text)).not.toBe(networkOf(`${text}z`));
  },
);

it.each(['1', ':', '[', '.', ',', ' '])(
  'a long text takes no longer than its length: %j',
  (part) => {
    const begunAt = performance.now();
    for (let n = 0; n < 20; n += 1) networkOf(part.repeat(200_000));
    expect(performance.now() - begunAt).toBeLessThan(5000);
  },
);

const quota = { limit: 2, windowMs: 1000 };

function limiter(maxWindows?: number) {
  const { take } = createMemoryRateLimiter(maxWindows);
  return async (key: string, at: number, policy = 'reads') =>
    value(await take(policy, key, quota, at));
}

describe('the rate limiter in memory', () => {
  it("returns the state of the caller's window", async () => {
    const take = limiter();
    const common = { policy: 'reads', limit: 2, windowMs: 1000, resetsAt: now + 1000 };
    expect(await take('a', now)).toEqual({ ...common, remaining: 1, allowed: true });
    expect(await take('a', now + 1)).toEqual({ ...common, remaining: 0, allowed: true });
    expect(await take('a', now + 999)).toEqual({ ...common, remaining: 0, allowed: false });
  });

  it('begins anew when the window ends, after any number of calls', async () => {
    const take = limiter();
    for (let i = 0; i < 10; i += 1) await take('a', now + i);
    expect(await take('a', now + 1000)).toMatchObject({ allowed: true, resetsAt: now + 2000 });
  });

  it('counts each key and each policy separately', async () => {
    const take = limiter();
    await take('a', now);
    await take('a', now);
    expect(await take('b', now)).toMatchObject({ remaining: 1 });
    expect(await take('a', now, 'writes')).toMatchObject({ remaining: 1 });
    expect(await take('a', now)).toMatchObject({ allowed: false });
  });

  it('forgets the oldest window when it is full (D63)', async () => {
    const take = limiter(3);
    await take('a', now);
    await take('b', now + 1);
    await take('a', now + 1000); // began anew: now b is the oldest
    await take('c', now + 1000);
    await take('d', now + 1000); // one too many
    expect(await take('a', now + 1000)).toMatchObject({ remaining: 0 });
    expect(await take('c', now + 1000)).toMatchObject({ remaining: 0 });
    expect(await take('b', now + 1000)).toMatchObject({ remaining: 1, resetsAt: now + 2000 });
  });

  it('keeps the windows of one policy when another is full', async () => {
    const { take } = createMemoryRateLimiter(2);
    const quota = { limit: 1, windowMs: 1000 };
    const isAllowed = async (policy: string, key: string) =>
      (await take(policy, key, quota, 0))._unsafeUnwrap().allowed;
    expect(await isAllowed('writes', 'ada')).toBe(true);
    for (const address of ['a', 'b', 'c']) await isAllowed('failedAuthentications', address);
    expect(await isAllowed('writes', 'ada')).toBe(false);
  });

  it('renews a window in place, without forgetting another', async () => {
    const take = limiter(2);
    await take('a', now);
    await take('b', now + 1);
    await take('b', now + 1001);
    expect(await take('b', now + 1001)).toMatchObject({ remaining: 0 });
    expect(await take('a', now + 999)).toMatchObject({ remaining: 0 });
  });

  it('still works if it may remember no window', async () => {
    expect(await limiter(0)('a', now)).toMatchObject({ allowed: true });
  });

  it('keeps the limit in every window, in any order of calls', async () => {
    const calls = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(700)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const take = limiter();
        const allowed = new Map<string, number>();
        let at = now;
        for (const [key, wait] of made) {
          at += wait;
          const state = await take(key, at);
          const window = `${key} ${state.resetsAt}`;
          const count = (allowed.get(window) ?? 0) + (state.allowed ? 1 : 0);
          allowed.set(window, count);
          expect(state.resetsAt).toBeGreaterThan(at);
          expect(count).toBe(quota.limit - state.remaining);
        }
        expect(Math.max(0, ...allowed.values())).toBeLessThanOrEqual(quota.limit);
      }),
    );
  });
});

it('has the limits of D31 by default', () => {
  const perMinute = Object.entries(defaultRateLimits).map(([name, { limit, windowMs }]) => [
    name,
    limit * (60_000 / windowMs),
  ]);
  expect(Object.fromEntries(perMinute)).toEqual({
    reads: 300,
    writes: 60,
    connectionTokens: 30,
    challengeMethods: 10,
    challengeTargets: 5,
    failedAuthentications: 30,
  });
});
