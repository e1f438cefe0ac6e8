import {
  type Appointment,
  type Chairside,
  createChairside,
  okAsync,
  ResultAsync,
  type Store,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { host } from '../src/elsewhere.ts';
import { capture, fresh, givenAppointment, givenPresented } from '../src/shop.ts';
import { describeEverywhere, type FakeWorldOptions, type World } from '../src/world.ts';

/** The steps of a capture that the comparison with the amount due depends on, in order. */
type Step = 'commit' | 'read appointment' | 'read ledger' | 'send' | 'lowered';

/** Counts the moments between steps, and runs an action at one of them. */
interface Moments {
  count: number;
  at: number;
  act: (() => Promise<void>) | undefined;
  steps: Step[];
}

/** Before and after every call of the store and of the processor. */
async function moment(moments: Moments): Promise<void> {
  const { act } = moments;
  if (act === undefined) return;
  moments.count += 1;
  if (moments.count !== moments.at) return;
  moments.act = undefined;
  await act();
  moments.steps.push('lowered');
}

function around<T, E>(
  moments: Moments,
  call: () => ResultAsync<T, E>,
  step?: Step,
): ResultAsync<T, E> {
  return new ResultAsync(
    (async () => {
      await moment(moments);
      if (step !== undefined) moments.steps.push(step);
      const result = await call();
      await moment(moments);
      return result;
    })(),
  );
}

/** Adds moments around each store call of a capture. */
function withMoments(real: Store, moments: Moments): Store {
  const { appointments, businesses } = real;
  const { getByPayment } = appointments;
  const { getByAppointment } = businesses;
  return {
    ...real,
    appointments: {
      get: (id) => around(moments, () => appointments.get(id), 'read appointment'),
      // Not a comparison.
      ...(getByPayment && { getByPayment: (id) => around(moments, () => getByPayment(id)) }),
    },
    businesses: {
      get: (id) => around(moments, () => businesses.get(id)),
      ...(getByAppointment && {
        getByAppointment: (id) => around(moments, () => getByAppointment(id)),
      }),
    },
    ledgers: { get: (id) => around(moments, () => real.ledgers.get(id), 'read ledger') },
    keys: { get: (...key) => around(moments, () => real.keys.get(...key)) },
    payments: { ...real.payments, get: (id) => around(moments, () => real.payments.get(id)) },
    commit: (changes) => around(moments, () => real.commit(changes), 'commit'),
  };
}

/** The owner of the appointments, and how it lowers the amount due. */
const keepers = {
  Chairside: {
    store: (real: Store) => real,
    lower: (chairside: Chairside, appointment: Appointment) => {
      return chairside.records.putAppointment({ ...appointment, amountDueMinor: 2000n });
    },
  },
  'the host': {
    store: (real: Store, own: Map<string, Appointment>) => ({
      ...real,
      appointments: {
        get: (id: string) => (own.has(id) ? okAsync(own.get(id)) : real.appointments.get(id)),
      },
    }),
    lower: (chairside: Chairside, appointment: Appointment, own: Map<string, Appointment>) => {
      own.set(appointment.id, { ...appointment, amountDueMinor: 2000n });
      return chairside.getAppointmentLedger(host, { appointmentId: appointment.id });
    },
  },
};

/** How a capture is finished. */
const ways = {
  'at once': async () => {},
  'by a retry': async (world: World, send: () => Promise<unknown>) => {
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    await send();
  },
  'by reconcile': async (world: World, send: () => Promise<unknown>) => {
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    await send();
    world.clock.advance(60_000);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
  },
};

/** A comparison precedes every request to the processor, and sees an earlier lowering (D13). */
function expectCompared(steps: readonly Step[], why: string): void {
  const lowered = steps.indexOf('lowered');
  for (const [index, step] of steps.entries()) {
    if (step !== 'send') continue;
    const last = (of: Step) => steps.lastIndexOf(of, index);
    for (const read of ['read appointment', 'read ledger'] as const) {
      expect(last(read), `${why}: ${read} after the reservation`).toBeGreaterThan(last('commit'));
    }
    if (lowered < 0 || lowered > index) continue;
    expect(last('read appointment'), `${why}: sent although lowered`).toBeLessThan(lowered);
  }
}

describeEverywhere('after a lowering that returned reserved 0.00', (makeWorld, where) => {
  const isComplete = where.store === 'map' && where.transport === 'in process';

  /** Tries each moment of a capture, one after the other. */
  async function atEveryMoment(
    keeper: (typeof keepers)[keyof typeof keepers],
    way: (typeof ways)[keyof typeof ways],
  ) {
    const moments: Moments = { count: 0, at: 0, act: undefined, steps: [] };
    const own = new Map<string, Appointment>();
    // The host lowers it in another Chairside, whose reads and commits are not the capture's.
    let office: Store | undefined;
    const options: FakeWorldOptions = {
      store(real) {
        office = keeper.store(real, own);
        return withMoments(office, moments);
      },
      processor: {
        async delay({ name }, way) {
          if (name === 'capturePayment' && way === 'request') moments.steps.push('send');
          await moment(moments);
        },
      },
    };
    const world = await makeWorld(options);
    const { clock, processor, store = world.store } = { ...world, store: office };
    const lowering = createChairside({ store, processor, clock });
    const seen = { reserved: 0, free: 0 };
    // One variant tries all moments; the others try samples.
    const step = isComplete ? 1 : 5;
    for (let at = 1; ; at += step) {
      const id = await givenAppointment(world);
      const { payment, reference } = await givenPresented(world, { appointmentId: id });
      const appointment = (await world.store.appointments.get(id))._unsafeUnwrap();
      if (appointment === undefined) throw new Error(`${id} is not there`);
      let told: { readonly captured: string; readonly reserved: string } | undefined;
      Object.assign(moments, { count: 0, at, steps: [] });
      moments.act = async () => {
        told = (await keeper.lower(lowering, appointment, own))._unsafeUnwrap();
      };
      const key = fresh('capture');
      const send = () => capture(world, payment.id, reference, { key });
      await way(world, send);
      await send();
      await send();
      moments.act = undefined;
      await world.chairside.settled();
      if (told === undefined) return seen;
      const taken = world.processor.ledgerEntry(reference)?.amountCaptured;
      const isFree = told.reserved === '0.00' && told.captured === '0.00';
      if (isFree) expect(taken, `lowered at moment ${at}`).toBe('0.00');
      expectCompared(moments.steps, `lowered at moment ${at}`);
      seen[isFree ? 'free' : 'reserved'] += 1;
    }
  }

  for (const [name, keeper] of Object.entries(keepers)) {
    for (const [how, way] of Object.entries(ways)) {
      it(`no capture exceeds the new amount: kept by ${name}, captured ${how}`, async () => {
        const seen = await atEveryMoment(keeper, way);
        expect(seen.free).toBeGreaterThan(isComplete ? 8 : 0);
        expect(seen.reserved).toBeGreaterThan(isComplete ? 8 : 0);
      }, 60_000);
    }
  }
});
