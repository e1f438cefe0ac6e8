import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noProcessor } from '../test/no-processor.ts';
import { testPorts } from '../test/ports.ts';
import { now, problem, value } from '../test/support.ts';
import { createTinyStore } from '../test/tiny-store.ts';
import { createChairside } from './chairside.ts';
import { fault } from './problems/problem.ts';
import type { ChairsideOptions } from './settings.ts';
import { errAsync, ok } from './values/result.ts';

const host = { subject: 'host', systemAdministrator: true };
const ada = {
  subject: 'user-1',
  barberId: 'barber-1',
  entitlements: ['contactlessPayments'],
} as const;
const phone = { platform: 'ios', deviceIdentifier: 'device-1', osVersion: '17.0' } as const;

describe('Chairside with only a store and a processor', () => {
  // The default clock is the system's, which is frozen here too.
  beforeEach(() => {
    vi.useFakeTimers({ now, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('registers and lists a terminal', async () => {
    const { store } = createTinyStore();
    const chairside = createChairside({ store, processor: noProcessor });
    value(await chairside.records.putBarber({ id: 'barber-1', businessId: 'business-1' }));
    const registered = value(await chairside.registerTerminal(ada, { body: phone }));
    expect(registered).toEqual({
      id: expect.stringMatching(/^trm_[0-7][0-9a-z]{25}$/),
      ...phone,
      createdAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T09:00:00.000Z',
    });
    expect(value(await chairside.listTerminals(ada))).toEqual({ items: [registered], count: 1 });
  });

  it('checks devices and counts calls by the defaults', async () => {
    const { store } = createTinyStore();
    const chairside = createChairside({ store, processor: noProcessor });
    value(await chairside.records.putBarber({ id: 'barber-1', businessId: 'business-1' }));
    const old = { ...phone, osVersion: '16.0' };
    const register = () => chairside.registerTerminal(ada, { body: old });
    expect(problem(await register()).type).toBe('contactlessPaymentDeviceUnsupported');
    for (let i = 1; i < 60; i += 1) problem(await register());
    expect(problem(await register()).type).toBe('tooManyRequests');
  });
});

describe('a replaced port', () => {
  it('is used: clock, ids, observer, device policy', async () => {
    const { ports, seen, commits } = testPorts();
    const { store, clock, ids, observe, processor } = ports;
    const devicePolicy = { asOf: '2026-11-21', platforms: { ios: {}, android: {} } };
    const options = { store, clock, ids, processor, devicePolicy };
    const chairside = createChairside({ ...options, ...(observe && { observe }) });
    value(await chairside.records.putBarber({ id: 'barber-1', businessId: 'business-1' }));
    const toaster = { ...phone, osVersion: '1', deviceModel: 'Toaster' };
    const { id, createdAt } = value(await chairside.registerTerminal(ada, { body: toaster }));
    expect([id, createdAt]).toEqual(['trm_3', '2026-11-21T09:00:00.000Z']);
    // The first one says which world the store belongs to.
    expect(commits.map(({ at }) => at)).toEqual([now, now, now]);
    expect(seen.map(({ kind }) => kind)).toEqual(['commit', 'operation', 'commit', 'operation']);
  });

  it('is no limit at all, if the host says so', async () => {
    const { clock, store } = testPorts().ports;
    const chairside = createChairside({ store, clock, processor: noProcessor, rateLimits: 'off' });
    for (let i = 0; i < 400; i += 1) value(await chairside.listTerminals(ada));
  });
});

describe('an omitted option', () => {
  it('may be given as undefined', async () => {
    const { clock, store } = testPorts().ports;
    const chairside = createChairside({
      store,
      clock,
      processor: noProcessor,
      ids: undefined,
      rateLimiter: undefined,
      rateLimits: { writes: { limit: 1, windowMs: 1000 }, reads: undefined },
      devicePolicy: undefined,
      challengeMethods: { phone: undefined },
      installation: undefined,
      observe: undefined,
    });
    const call = { auth: ada, facts: {} };
    value(await chairside.listTerminals(call));
    expect(call.facts).toMatchObject({ rateLimit: { policy: 'reads', limit: 300 } });
    problem(await chairside.registerTerminal(call, { body: phone }));
    expect(call.facts).toMatchObject({ rateLimit: { policy: 'writes', limit: 1 } });
  });

  it.each([
    [{ installation: '' }, 'installation: must have 1 to 255 characters'],
    [{ rateLimits: { reads: { limit: -1, windowMs: 1 } } }, 'the limit of reads'],
    [{ rateLimits: { reads: { limit: Number.NaN, windowMs: 1 } } }, 'the limit of reads'],
    // A problem states the limit, which is a whole number there.
    [{ rateLimits: { reads: { limit: 1.5, windowMs: 1 } } }, 'the limit of reads'],
    [{ rateLimits: { writes: { limit: 1, windowMs: 0 } } }, 'the windowMs of writes'],
    [
      { rateLimits: { writes: { limit: 1, windowMs: Number.POSITIVE_INFINITY } } },
      'the windowMs of writes',
    ],
  ])('cannot be replaced by %j', (over, why) => {
    expect(() => createChairside({ ...testPorts().options, ...over })).toThrow(why);
  });

  it.each([
    [
      'rateLimits',
      { raeds: { limit: 1, windowMs: 1000 } },
      'rateLimits: the quota raeds does not exist',
    ],
    ['store', undefined, 'store: is required'],
    ['store', Promise.resolve(), 'store: is a Promise: await it'],
    ['store', { ...testPorts().ports.store, appointments: {} }, 'no function appointments.get'],
    ['store', { ...testPorts().ports.store, payments: undefined }, 'no function payments.get'],
    ['processor', { ...noProcessor, refunds: { list() {} } }, 'no function refunds.refund'],
    ['tips', { maxShare: 50 }, 'tips: maxShare must be above 0'],
    ['tips', true, 'tips: must be an object'],
    ['onFailure', {}, 'onFailure: must be a function'],
    ['instalation', 'berlin', 'instalation: is no option; did you mean installation?'],
    ['onfailure', () => {}, 'onfailure: is no option; did you mean onFailure?'],
    ['id', {}, 'id: is no option; did you mean ids?'],
    ['instalton', 'berlin', 'instalton: is no option; did you mean installation?'],
    ['instlton', 'berlin', 'instlton: is no option; there are store, processor, clock'],
    ['refunds', true, 'refunds: is no option; there are store, processor, clock'],
    [
      'store',
      ok(createTinyStore().store),
      'store: has no function commit (a Result must be unwrapped first)',
    ],
    ['processor', undefined, 'processor: is required'],
    ['processor', null, 'processor: is required'],
    ['clock', { now: 7 }, 'clock: has no function now'],
    ['clock', { now: () => new Date() }, 'clock: now must return whole milliseconds'],
    // `performance.timeOrigin + performance.now()`: every commit of a SQL store would fail.
    ['clock', { now: () => 1_795_424_400_000.5 }, 'clock: now must return whole milliseconds'],
    ['clock', { now: () => Number.NaN }, 'clock: now must return whole milliseconds'],
    ['ids', {}, 'ids: has no function next'],
    ['rateLimiter', {}, 'rateLimiter: has no function take'],
    ['rateLimits', { reads: null }, 'the limit of reads'],
    ['rateLimits', false, "rateLimits: must be 'off' or an object"],
    ['observe', {}, 'observe: must be a function'],
    ['waitUntil', true, 'waitUntil: must be a function'],
    ['devicePolicy', { platforms: { ios: {} } }, 'devicePolicy: has no rules for android'],
    ['shares', 'true', 'shares: must be true or false'],
    ['restored', 'true', 'restored: must be true or false'],
    ['restored', 1, 'restored: must be true or false'],
    ['challengeMethods', true, 'challengeMethods: must be an object'],
    ['challengeMethods', { sms: ['sms'] }, 'challengeMethods: sms: is no option'],
    ['challengeMethods', { phone: 'sms' }, 'challengeMethods: phone must be a list of labels'],
    ['challengeMethods', { phone: [7] }, 'challengeMethods: a label of phone must have'],
    ['devicePolicy', 'strict', 'devicePolicy: has no rules for ios'],
  ])('that is invalid throws at the start: %s %#', (port, given, why) => {
    // cast: hosts without types may pass it
    const options = { ...testPorts().options, [port]: given } as ChairsideOptions;
    expect(() => createChairside(options)).toThrow(TypeError);
    expect(() => createChairside(options)).toThrow(why);
  });
});

it.each([[undefined], [null], ['options']])('createChairside needs options, not %j', (given) => {
  // cast: hosts without types may pass it
  const make = () => createChairside(given as unknown as ChairsideOptions);
  expect(make).toThrow(new TypeError('options: must be an object with a store and a processor'));
});

describe('the challenge methods of a host', () => {
  const offer = (phone: readonly string[]) => () =>
    createChairside({ ...testPorts().options, challengeMethods: { phone } });

  it.each([
    [['sms']],
    [['sms', 'voice', 'WhatsApp']],
    [['x'.repeat(64)]],
    [Array.from({ length: 16 }, (_, i) => `label ${i}`)],
  ])('can be %j', (phone) => {
    expect(offer(phone)).not.toThrow();
  });

  it.each([
    [[], 'phone must have 1 to 16 labels'],
    [Array.from({ length: 17 }, (_, i) => `label ${i}`), 'phone must have 1 to 16 labels'],
    [['sms', 'sms'], 'phone has a label twice'],
    [['sms', ' '], 'a label of phone must have 1 to 64 visible characters'],
    [['x'.repeat(65)], 'a label of phone must have 1 to 64 visible characters'],
    [['s\nms'], 'a label of phone must have 1 to 64 visible characters'],
  ])('cannot be %j (D68)', (phone, why) => {
    expect(offer(phone)).toThrow(`challengeMethods: ${why}`);
  });
});

describe('the functions for a transport', () => {
  const transportOf = () => createChairside(testPorts().options).transport;

  it('reject a request in its place: after authentication, and counted', async () => {
    const transport = transportOf();
    const body = fault('badRequest', 'The body is not JSON.');
    const call = { auth: ada, facts: {}, instance: 'https://a.example/terminals#req_1' };
    const refused = problem(await transport.refuse('registerTerminal', call, body));
    expect(refused).toMatchObject({
      type: 'badRequest',
      instance: 'https://a.example/terminals#req_1',
    });
    expect(call.facts).toMatchObject({ rateLimit: { policy: 'writes', remaining: 59 } });
    const nobody = { auth: undefined, facts: {} };
    const first = problem(await transport.refuse('registerTerminal', nobody, body, 'key-1'));
    expect(first.type).toBe('unauthorized');
  });

  it('say that a request under a key may be applied, if the store does not tell', async () => {
    const { options } = testPorts();
    const lost = errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    const store = { ...options.store, keys: { get: () => lost } };
    const { transport } = createChairside({ ...options, store });
    const body = fault('badRequest', 'The body is not JSON.');
    const call = { auth: ada, facts: {} };
    const outcomeOf = async (key?: string) =>
      problem(await transport.refuse('chargePaymentMethod', call, body, key)).recovery.outcome;
    expect(await outcomeOf('key-1')).toBe('unknown');
    expect(await outcomeOf()).toBe('notApplied');
  });

  it('make a problem without an operation, with or without a call', () => {
    const transport = transportOf();
    const missing = fault('notFound', 'There is no such path.');
    const made = transport.problem(missing, {
      auth: undefined,
      facts: {},
      instance: 'https://a.example/x#1',
    });
    expect(made).toMatchObject({ type: 'notFound', instance: 'https://a.example/x#1' });
    expect(transport.problem(missing, undefined)).not.toHaveProperty('instance');
    expect(transport.problem(missing, host).type).toBe('notFound');
  });
});
