import {
  type Appointment,
  type Chairside,
  okAsync,
  ResultAsync,
  type Store,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { host } from '../src/elsewhere.ts';
import { capture, fresh, givenAppointment, givenPresented } from '../src/shop.ts';
import { describeEverywhere, type FakeWorldOptions, type World } from '../src/world.ts';

/** Counts the moments at which something else may happen, and lets it happen at one of them. */
interface Moments {
  count: number;
  at: number;
  act: (() => Promise<void>) | undefined;
}

/** Before and after every call of the store and of the processor. */
async function moment(moments: Moments): Promise<void> {
  const { act } = moments;
  if (act === undefined) return;
  moments.count += 1;
  if (moments.count !== moments.at) return;
  moments.act = undefined;
  await act();
}

function around<T, E>(moments: Moments, call: () => ResultAsync<T, E>): ResultAsync<T, E> {
  return new ResultAsync(
    (async () => {
      await moment(moments);
      const result = await call();
      await moment(moments);
      return result;
    })(),
  );
}

/** Has moments around each call that a capture makes of its store. */
function withMoments(real: Store, moments: Moments): Store {
  return {
    ...real,
    appointments: { get: (id) => around(moments, () => real.appointments.get(id)) },
    businesses: { get: (id) => around(moments, () => real.businesses.get(id)) },
    ledgers: { get: (id) => around(moments, () => real.ledgers.get(id)) },
    keys: { get: (...key) => around(moments, () => real.keys.get(...key)) },
    payments: { ...real.payments, get: (id) => around(moments, () => real.payments.get(id)) },
    commit: (changes) => around(moments, () => real.commit(changes)),
  };
}

/** Who keeps the appointments, and how that one lowers what is due. */
const keepers = {
  Chairside: {
    store: (real: Store) => real,
    lower: (chairside: Chairside, appointment: Appointment) => {
      const { id, businessId, reference } = appointment;
      const record = { ...reference, id, businessId, amountDue: '20.00' };
      return chairside.records.putAppointment(record);
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

/** How a capture comes to its end. */
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

describeEverywhere('after a lowering that returned reserved 0.00', (makeWorld, where) => {
  const isComplete = where.store === 'map' && where.transport === 'in process';

  /** Each moment of a capture, one after the other. */
  async function atEveryMoment(
    keeper: (typeof keepers)[keyof typeof keepers],
    way: (typeof ways)[keyof typeof ways],
  ) {
    const moments: Moments = { count: 0, at: 0, act: undefined };
    const own = new Map<string, Appointment>();
    const options: FakeWorldOptions = {
      store: (real) => withMoments(keeper.store(real, own), moments),
      processor: { delay: () => moment(moments) },
    };
    const world = await makeWorld(options);
    const seen = { reserved: 0, free: 0 };
    // One variant goes through all moments; the others take samples.
    const step = isComplete ? 1 : 5;
    for (let at = 1; ; at += step) {
      const id = await givenAppointment(world);
      const { payment, reference } = await givenPresented(world, { appointmentId: id });
      const appointment = (await world.store.appointments.get(id))._unsafeUnwrap();
      if (appointment === undefined) throw new Error(`${id} is not there`);
      let told: { readonly captured: string; readonly reserved: string } | undefined;
      Object.assign(moments, { count: 0, at });
      moments.act = async () => {
        told = (await keeper.lower(world.chairside, appointment, own))._unsafeUnwrap();
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
