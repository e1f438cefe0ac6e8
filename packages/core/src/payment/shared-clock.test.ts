import { describe, expect, it } from 'vitest';
import { now as start } from '../../test/support.ts';
import { createTinyStore } from '../../test/tiny-store.ts';
import type { Read, Store } from '../ports/store.ts';
import { err, errAsync, ok, okAsync } from '../values/result.ts';
import { hourMs, minuteMs, secondMs } from '../values/time.ts';
import { createSharedClock } from './carry.ts';

const lost = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;

/** A node's clock, the server's time, and the tasks that the node left for later. */
function node(aheadMs: number) {
  const time = { server: start, aheadMs };
  const tasks: (() => Promise<void>)[] = [];
  let reads = 0;
  let answer = (): Read<number> => okAsync(time.server);
  const store: Store = {
    ...createTinyStore().store,
    now() {
      reads += 1;
      return answer();
    },
  };
  const shared = createSharedClock(store, {
    clock: { now: () => time.server + time.aheadMs },
    background: (task) => tasks.push(task),
  });
  if (shared === undefined) throw new Error('the store has a clock');
  return {
    time,
    ahead: () => shared.aheadMs(),
    reads: () => reads,
    answerBy(next: () => Read<number>) {
      answer = next;
    },
    async runTasks() {
      for (const task of tasks.splice(0)) await task();
    },
  };
}

describe('the difference to the clock of the store', () => {
  it('does not exist if the store has none', () => {
    const { store } = createTinyStore();
    const clock = { now: () => start };
    expect(createSharedClock(store, { clock, background: () => undefined })).toBeUndefined();
  });

  it.each([80 * hourMs, -80 * hourMs, 0])(
    'is measured once at first use (%i ms)',
    async (offMs) => {
      const { ahead, reads } = node(offMs);
      const measured = [ahead(), ahead()];
      for (const one of measured) expect(one).toBeInstanceOf(Promise);
      expect(await Promise.all(measured)).toEqual([ok(offMs), ok(offMs)]);
      // From then on no operation waits for it.
      expect(ahead()).toEqual(ok(offMs));
      expect(reads()).toBe(1);
    },
  );

  it('is not corrected below a second', async () => {
    const { ahead, time, runTasks } = node(secondMs - 1);
    expect(await ahead()).toEqual(ok(0));
    time.server += minuteMs;
    time.aheadMs = secondMs;
    expect(ahead()).toEqual(ok(0));
    await runTasks();
    expect(ahead()).toEqual(ok(secondMs));
    time.server += minuteMs;
    time.aheadMs += secondMs - 1;
    expect(ahead()).toEqual(ok(secondMs));
    await runTasks();
    expect(ahead()).toEqual(ok(secondMs));
  });

  it('is measured again in the background, at most once a minute', async () => {
    const { ahead, time, reads, runTasks } = node(0);
    expect(await ahead()).toEqual(ok(0));
    time.server += minuteMs - 1;
    expect(ahead()).toEqual(ok(0));
    await runTasks();
    expect(reads()).toBe(1);
    // The clock drifts.
    time.server += 1;
    time.aheadMs = 2 * secondMs;
    for (let asked = 0; asked < 5; asked += 1) expect(ahead()).toEqual(ok(0));
    await runTasks();
    expect(reads()).toBe(2);
    expect(ahead()).toEqual(ok(2 * secondMs));
  });

  it.each([80 * hourMs, -80 * hourMs])(
    'is measured before the next operation if the clock was set (%i ms)',
    async (offMs) => {
      const { ahead, time } = node(0);
      expect(await ahead()).toEqual(ok(0));
      time.aheadMs = offMs;
      expect(await ahead()).toEqual(ok(offMs));
    },
  );

  it('is an error until the store has told its time', async () => {
    const { ahead, answerBy, time } = node(hourMs);
    answerBy(() => errAsync(lost));
    expect(await ahead()).toEqual(err(lost));
    answerBy(() => okAsync(time.server));
    expect(await ahead()).toEqual(ok(hourMs));
  });

  it('stays as it was while the store tells no time', async () => {
    const { ahead, answerBy, time, runTasks, reads } = node(hourMs);
    expect(await ahead()).toEqual(ok(hourMs));
    answerBy(() => errAsync(lost));
    time.server += minuteMs;
    expect(ahead()).toEqual(ok(hourMs));
    expect(ahead()).toEqual(ok(hourMs));
    await runTasks();
    expect(reads()).toBe(2);
    time.server += minuteMs;
    expect(ahead()).toEqual(ok(hourMs));
    await runTasks();
    expect(reads()).toBe(3);
    time.server += 2 * hourMs;
    expect(await ahead()).toEqual(ok(hourMs));
  });

  it.each([11 * secondMs, -1])(
    'is not taken from a measurement in which the process stood still (%i ms)',
    async (ms) => {
      const { ahead, answerBy, time } = node(0);
      answerBy(() => {
        const told = okAsync(time.server);
        time.server += ms;
        return told;
      });
      expect(await ahead()).toEqual(err(lost));
    },
  );
});
