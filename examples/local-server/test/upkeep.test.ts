import { createChairside, hourMs, secondMs } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
} from '@chairside/testkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startUpkeep } from '../src/upkeep.ts';

const barberOf = (barberId: string) =>
  ({ subject: barberId, barberId, entitlements: ['contactlessPayments'] }) as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function makeWorld() {
  const clock = createManualClock();
  const called: string[] = [];
  const chairside = createChairside({
    store: createMapStore(),
    processor: createFakeProcessor({ clock }),
    clock,
    rateLimits: 'off',
    observe: (seen) => {
      if (seen.kind === 'operation') called.push(seen.name);
    },
  });
  (await chairside.records.putBusiness(aBusiness()))._unsafeUnwrap();
  for (const id of ['barber-1', 'barber-2']) {
    (await chairside.records.putBarber(aBarber({ id })))._unsafeUnwrap();
  }

  /** The number of calls since the last check. */
  const calls = (name: string) => called.splice(0).filter((operation) => operation === name).length;
  const rounds = (count: number) => vi.advanceTimersByTimeAsync(count * secondMs);
  return { chairside, clock, called, calls, rounds };
}

type World = Awaited<ReturnType<typeof makeWorld>>;

async function register({ chairside }: World, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const body = { platform: 'ios', deviceIdentifier: `phone-${i}` } as const;
    // One barber registers 1,000 at most.
    const barber = barberOf(i < 1000 ? 'barber-1' : 'barber-2');
    expect((await chairside.registerTerminal(barber, { body })).isOk()).toBe(true);
  }
}

test('a round does all due work', async () => {
  const world = await makeWorld();
  const { chairside, clock, calls, rounds } = world;
  for (let i = 0; i < 120; i += 1) {
    (await chairside.records.putAppointment(anAppointment({ id: `${i}` })))._unsafeUnwrap();
    const input = { appointmentId: `${i}`, idempotencyKey: `${i}` };
    expect((await chairside.createContactlessPayment(barberOf('barber-1'), input)).isOk()).toBe(
      true,
    );
  }
  const upkeep = startUpkeep(chairside, undefined);
  await rounds(1);
  expect(calls('deliverEvents')).toBe(2);
  clock.advance(hourMs);
  await rounds(2);
  expect(calls('reconcile')).toBe(2);
  await upkeep.stop();
});

test('a round has an end, even if work remains', async () => {
  const world = await makeWorld();
  const { chairside, calls, rounds } = world;
  await register(world, 1050);
  const upkeep = startUpkeep(chairside, undefined);
  await rounds(1);
  expect(calls('deliverEvents')).toBe(10);
  await rounds(1);
  expect(calls('deliverEvents')).toBe(1);
  await upkeep.stop();
});

test('after stop, no work begins', async () => {
  const world = await makeWorld();
  const { chairside, called, calls, rounds } = world;
  await register(world, 150);
  const upkeep = startUpkeep(chairside, undefined);
  vi.advanceTimersByTime(secondMs);
  while (!called.includes('deliverEvents')) await Promise.resolve();
  await upkeep.stop();
  expect(calls('deliverEvents')).toBe(1);
  await rounds(5);
  expect(calls('deliverEvents')).toBe(0);
});
