import { createChairside, okAsync, type RateLimiter, ResultAsync } from '@chairside/core';
import type { Processor, Store } from '@chairside/core/ports';
import {
  aBarber,
  aBusiness,
  anAppointment,
  aPayment,
  createMapStore,
  someTime,
} from '@chairside/testkit';
import { H3 } from 'h3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { inTime } from '../src/in-time.ts';
import { chairsideHandler, processorEventsHandler, upkeepHandler } from '../src/index.ts';
import { barber, device, good, json, noProcessor, problemBase, problemOf } from './world.ts';

function never<T, E>(): ResultAsync<T, E> {
  return new ResultAsync(new Promise<never>(() => {}));
}

const processor: Processor = {
  ...noProcessor,
  openPayment: () => okAsync({ clientSecret: 'secret' }),
};

interface Broken {
  readonly store?: (store: Store) => Partial<Store>;
  readonly processor?: Partial<Processor>;
  readonly rateLimiter?: RateLimiter;
}

/** A shop in which one port is broken, and a client waits for 20 milliseconds at most. */
async function open(broken: Broken) {
  const real = createMapStore();
  const changes = [
    { kind: 'putBusiness', business: aBusiness() },
    { kind: 'putBarber', barber: aBarber() },
    { kind: 'putAppointment', appointment: anAppointment({ id: 'a' }) },
  ] as const;
  (await real.commit({ id: 'seed', at: someTime, changes }))._unsafeUnwrap();
  const failures: unknown[] = [];
  const chairside = createChairside({
    store: { ...real, ...broken.store?.(real) },
    processor: { ...processor, ...broken.processor },
    clock: { now: () => someTime },
    ...(broken.rateLimiter !== undefined && { rateLimiter: broken.rateLimiter }),
  });
  const app = chairsideHandler(chairside, {
    authenticate: () => barber,
    responseDeadlineMs: 20,
    problemBase,
    onFailure: (thrown) => failures.push(thrown),
  });
  const create = () =>
    app.request('/appointments/a/contactlessPayments', {
      method: 'POST',
      headers: { ...good, 'idempotency-key': 'k' },
    });
  return { app, chairside, create, failures };
}

it.each<[string, Broken]>([
  ['the rate limiter', { rateLimiter: { take: never } }],
  ['a read of the host', { store: () => ({ appointments: { get: never } }) }],
  ['the look-up of the key', { store: () => ({ keys: { get: never } }) }],
  ['a commit', { store: () => ({ commit: never }) }],
  ['the processor', { processor: { openPayment: never } }],
])('says that the outcome of a create is unknown if %s never replies (D146)', async (_, broken) => {
  const { create, failures } = await open(broken);
  const problem = await problemOf(await create(), 503, 'serviceUnavailable');
  expect(problem.recovery).toEqual({ outcome: 'unknown', retry: 'retrySameRequestAfterDelay' });
  expect(failures).toEqual([new Error('the operation took more than 20 ms')]);
});

it('leaves no timer behind once a call has ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await inTime(Promise.resolve('in time'), 1000, 'late');
  await expect(inTime(Promise.reject(new Error('no')), 1000, 'late')).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
});

it('says that a read was not applied if the store never replies', async () => {
  const { app } = await open({
    store: () => ({ payments: { ...createMapStore().payments, get: never } }),
  });
  const response = await app.request(`/contactlessPayments/${aPayment().id}`, { headers: good });
  const problem = await problemOf(response, 503, 'serviceUnavailable');
  expect(problem.recovery?.outcome).toBe('notApplied');
  // The limit's time is not what this client has to wait for.
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('ratelimit')).toBe('"reads";r=299;t=60');
});

it('lets the operation go on, and a retry finds its result', async () => {
  const gate = Promise.withResolvers<void>();
  const { create } = await open({
    store: ({ commit }) => ({
      commit: (asked) => new ResultAsync(gate.promise.then(() => commit(asked))),
    }),
  });
  await problemOf(await create(), 503, 'serviceUnavailable');
  gate.resolve();
  // The first call may still be under way.
  const created = await vi.waitFor(async () => {
    const response = await create();
    expect(response.status).toBe(201);
    return response;
  });
  const again = await create();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.text()).toBe(await created.text());
});

it('asks the processor to send a message again that cannot be checked in time', async () => {
  const { chairside } = await open({ processor: { parseEvent: never } });
  const handler = processorEventsHandler(chairside, { problemBase, responseDeadlineMs: 20 });
  const response = await new H3().all('/events', handler).request('/events', { method: 'POST' });
  await problemOf(response, 503, 'serviceUnavailable');
});

const secret = 'sixteen-characters-or-more';
const upkeepOptions = { secret, problemBase, responseDeadlineMs: 20, forMs: 10 };

it('responds to a scheduler if the store never replies', async () => {
  const { chairside } = await open({ store: () => ({ commit: never, payments: unreadable }) });
  const failures: unknown[] = [];
  const onFailure = (thrown: unknown) => failures.push(thrown);
  const handler = upkeepHandler(chairside, { ...upkeepOptions, onFailure });
  const problem = await problemOf(await callUpkeep(handler), 503, 'serviceUnavailable');
  expect(problem.recovery?.outcome).toBe('unknown');
  expect(failures).toEqual([new Error('the operation took more than 20 ms')]);
});

it("responds to a scheduler if the host's event handler never ends", async () => {
  const { app, chairside } = await open({});
  const request = { method: 'POST', headers: json, body: device };
  expect((await app.request('/terminals', request)).status).toBe(201);
  const deliver = () => new Promise<never>(() => {});
  const handler = upkeepHandler(chairside, { ...upkeepOptions, deliver });
  await problemOf(await callUpkeep(handler), 503, 'serviceUnavailable');
});

it.each([20, 21, Number.NaN, undefined])(
  'rejects an upkeep of %s ms that may outlast its response',
  async (forMs) => {
    const { chairside } = await open({});
    expect(() => upkeepHandler(chairside, { ...upkeepOptions, forMs })).toThrow(
      'forMs: must be less than responseDeadlineMs, 20',
    );
  },
);

const unreadable: Store['payments'] = {
  ...createMapStore().payments,
  listDue: never,
};

function callUpkeep(handler: ReturnType<typeof upkeepHandler>) {
  const headers = { authorization: `Bearer ${secret}` };
  return new H3().all('/upkeep', handler).request('/upkeep', { headers });
}
