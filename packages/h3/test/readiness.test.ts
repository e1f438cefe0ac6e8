import { createChairside, err, ok, okAsync } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import { createMapStore } from '@chairside/testkit';
import { H3 } from 'h3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drain, type ReadinessOptions, readinessHandler } from '../src/index.ts';
import { noProcessor, problemBase, problemOf } from './world.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silent = () => new Promise<never>(() => {});

function given(more: Partial<ReadinessOptions> = {}) {
  const calls: string[] = [];
  const kept = createMapStore();
  const store: Store = { ...kept, close: async () => void calls.push('store closed') };
  const chairside = createChairside({ store, processor: noProcessor });
  const options = { store, problemBase, reachProcessor: () => okAsync('reached'), ...more };
  const app = new H3().all('/ready', readinessHandler(chairside, options));
  const ask = async (method = 'GET') => app.request('/ready', { method });
  return { ask, calls, chairside, store };
}

describe('the readiness of a process', () => {
  it('is 200 where store and processor can be reached', async () => {
    const { ask } = given();
    const response = await ask();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ready: true });
    expect((await ask('HEAD')).status).toBe(200);
    await problemOf(await ask('POST'), 405, 'methodNotAllowed');
  });

  it.each([
    ['fails', async () => err({ kind: 'storeUnavailable', outcome: 'notApplied' } as const)],
    ['is silent', silent],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('is 503 where the store %s', async (_, get) => {
    const sweeps = { ...createMapStore().sweeps, get };
    // cast: a store without types may return anything
    const { ask } = given({ store: { sweeps } as unknown as Store });
    const asked = ask();
    await vi.advanceTimersByTimeAsync(5000);
    const response = await asked;
    expect(response.headers.get('retry-after')).toBe('1');
    const { detail, recovery } = await problemOf(response, 503, 'serviceUnavailable');
    expect(detail).toBe('The store cannot be reached.');
    expect(recovery).toEqual({ outcome: 'notApplied', retry: 'retrySameRequestAfterDelay' });
  });

  it('is 503 where the database belongs to another mode, and writes nothing', async () => {
    const { ask, store } = given();
    const text = JSON.stringify({ mode: 'live', installation: 'chairside' });
    const fact = { name: 'world', version: 1, text };
    const asked = { id: 'live', at: 0, changes: [{ kind: 'putFact', fact }] } as const;
    expect((await ask()).status).toBe(200);
    expect(await store.facts.get('world')).toEqual(ok(undefined));
    expect((await store.commit(asked)).isOk()).toBe(true);
    const other = { ...noProcessor, world: { processor: 'stripe', mode: 'test' } } as const;
    const wrong = createChairside({ store, processor: other });
    const options = { store, problemBase, reachProcessor: () => okAsync('reached') };
    const app = new H3().all('/ready', readinessHandler(wrong, options));
    const { detail } = await problemOf(await app.request('/ready'), 503, 'serviceUnavailable');
    expect(detail).toBe('The database belongs to another account, mode or installation.');
  });

  it('is 503 until the processor has replied once, and outlives its outages', async () => {
    const replies = [err('keyRejected'), ok('reached'), err('unavailable')];
    const { ask } = given({ reachProcessor: async () => replies.shift() ?? err('unavailable') });
    const { detail } = await problemOf(await ask(), 503, 'serviceUnavailable');
    expect(detail).toBe('The processor cannot be reached, or rejects the key.');
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    // It is not asked again.
    expect(replies).toHaveLength(1);
  });
});

describe('a drain', () => {
  it('says so, serves for a while, ends what was begun, and closes the store last', async () => {
    const { ask, calls, chairside, store } = given();
    const running = Promise.withResolvers<void>();
    const stop = async () => {
      calls.push('stopping');
      await running.promise;
      calls.push('stopped');
    };
    const drained = drain(chairside, { store, stop });
    const { detail } = await problemOf(await ask(), 503, 'serviceUnavailable');
    expect(detail).toBe('The process is about to end.');
    await vi.advanceTimersByTimeAsync(4999);
    expect(calls).toEqual([]);
    // A signal may come twice.
    expect(drain(chairside, { store, stop })).toBe(drained);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual(['stopping']);
    running.resolve();
    expect(await drained).toBe('whole');
    expect(calls).toEqual(['stopping', 'stopped', 'store closed']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for background work before it closes the store', async () => {
    const { calls, chairside, store } = given();
    const settled = Promise.withResolvers<void>();
    const busy = { ...chairside, settled: () => settled.promise };
    const drained = drain(busy, { store, stop: async () => {}, noticeMs: 0 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(calls).toEqual([]);
    settled.resolve();
    expect(await drained).toBe('whole');
    expect(calls).toEqual(['store closed']);
  });

  it('closes the store also where the host cannot stop its server', async () => {
    const { calls, chairside, store } = given();
    const stop = () => Promise.reject(new Error('not listening'));
    const drained = drain(chairside, { store, stop });
    await vi.advanceTimersByTimeAsync(5000);
    expect(await drained).toBe('stopFailed');
    expect(calls).toEqual(['store closed']);
  });

  it.each([
    ['closeFailed', async () => {}],
    ['stopFailed', () => Promise.reject(new Error('not listening'))],
  ])('says at once that the store could not be closed: %s', async (told, stop) => {
    const { chairside } = given();
    const store = { close: () => Promise.reject(new Error('the disk is full')) };
    const drained = drain(chairside, { store, stop, noticeMs: 0 });
    await vi.advanceTimersByTimeAsync(1);
    expect(await drained).toBe(told);
  });

  it('ends at its deadline, whatever hangs', async () => {
    const { calls, chairside, store } = given();
    const drained = drain(chairside, { store, stop: silent });
    await vi.advanceTimersByTimeAsync(25_000);
    expect(await drained).toBe('tooLate');
    expect(calls).toEqual([]);
  });
});
