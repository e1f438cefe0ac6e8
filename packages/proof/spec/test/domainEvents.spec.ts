import {
  type CloudEvent,
  errAsync,
  hourMs,
  type MoneyEntry,
  minuteMs,
  moneyEntriesOf,
  moneyEntryOf,
} from '@chairside/core';
import { expect } from 'vitest';
import { payment, problem, refund, terminal } from '../src/answer.ts';
import { deliverMessages, host } from '../src/elsewhere.ts';
import { share } from '../src/shares.ts';
import {
  bookEntry,
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  present,
  register,
  until,
} from '../src/shop.ts';
import { givenTender } from '../src/tenders.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** Delivers all due events to a handler that accepts them, and returns them. */
async function takeAll({ chairside }: World): Promise<CloudEvent[]> {
  const taken: CloudEvent[] = [];
  const delivered = await chairside.events.deliver(async (event) => {
    taken.push(event);
  });
  expect(delivered._unsafeUnwrap()).toMatchObject({ delivered: taken.length, failed: 0 });
  return taken;
}

const refuse = async (): Promise<never> => {
  throw new Error('not now');
};

describeEverywhere('domain events', ({ it, makeWorld }) => {
  it('report each change of a payment, in order, as CloudEvents (D26)', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    const events = await takeAll(world);
    expect(events.map(({ type }) => type)).toEqual([
      'contactlessPayment.created',
      'contactlessPayment.authorized',
      'contactlessPayment.captured',
    ]);
    expect(events.at(-1)).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(`^${captured.id}/\\d+$`),
      source: 'urn:chairside:chairside',
      type: 'contactlessPayment.captured',
      subject: captured.id,
      time: '2026-11-02T09:00:00.000Z',
      datacontenttype: 'application/json',
      sequence: expect.stringMatching(/^\d{16}$/),
      data: expect.objectContaining({
        contactlessPaymentId: captured.id,
        appointmentId: captured.appointment.id,
        businessId: 'shop',
        barberId: 'ada',
        amount: '45.00',
        currency: 'eur',
        state: 'captured',
        by: expect.objectContaining({ actor: expect.any(Number), subject: 'user-ada' }),
      }),
    });
    expect(JSON.stringify(events)).not.toContain(captured.clientSecret);
    expect(await takeAll(world)).toEqual([]);
  });

  it('hold no free text, neither of the caller nor of the processor (D47)', async (world) => {
    const { payment: captured, reference } = await givenCaptured(world);
    const words = 'Mrs. Doe has an allergy';
    const body = { amount: '5.00', reason: words };
    world.processor.slowRefunds(true);
    const asked = { id: captured.id, key: fresh('refund'), body };
    refund(await world.send('refundPayment', 'owner', asked), 201);
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    expect(world.processor.endRefund(reference, id, 'failed').isOk()).toBe(true);
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    for (const message of world.processor.takeEvents()._unsafeUnwrap()) {
      expect((await world.chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
    }

    const told = await takeAll(world);
    const types = told.map(({ type }) => type);
    for (const name of ['refundPending', 'refundFailed', 'disputed']) {
      expect(types).toContain(`contactlessPayment.${name}`);
    }
    const text = JSON.stringify(told);
    for (const free of [words, 'lost_or_stolen_card', 'fraudulent']) {
      expect(text).not.toContain(free);
    }
  });

  it('have a sequence that orders them as text, too', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    for (let i = 0; i < 4; i += 1) {
      world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
      problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    }
    payment(await capture(world, opened.id, reference), 200);
    const sequences = (await takeAll(world)).map(({ sequence }) => sequence);
    expect(Number(sequences.at(-1))).toBeGreaterThan(9);
    expect([...sequences].sort()).toEqual(sequences);
  });

  it('omit a capture that another one takes over', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    const begun = await takeAll(world);
    expect(begun.map(({ type }) => type)).toEqual([
      'contactlessPayment.created',
      'contactlessPayment.authorized',
    ]);
    payment(await capture(world, opened.id, reference), 200);
    const ended = await takeAll(world);
    expect(ended.map(({ type }) => type)).toEqual(['contactlessPayment.captured']);
  });

  it('report terminals', async (world) => {
    const { id } = terminal(await register(world), 201);
    await world.send('deleteTerminal', 'ada', { id });
    const events = await takeAll(world);
    expect(events.map(({ type, subject }) => [type, subject])).toEqual([
      ['terminal.registered', id],
      ['terminal.removed', id],
    ]);
    const data = { terminalId: id, barberId: 'ada', businessId: 'shop', platform: 'ios' };
    for (const event of events) expect(event.data).toMatchObject(data);
  });

  it('are delivered again until the handler accepts them, unchanged and in the same order (D26)', async (world) => {
    const { id } = await givenPayment(world);
    const seen: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const report = await world.chairside.events.deliver(async (event) => {
        seen.push(event.id);
        // However long it takes, there is no more to deliver.
        world.clock.advance(minuteMs);
        await refuse();
      });
      expect(report._unsafeUnwrap()).toEqual({ delivered: 0, failed: 1, more: false });
      world.clock.advance(minuteMs);
    }
    const [event] = await takeAll(world);
    expect(event?.subject).toBe(id);
    expect(new Set([...seen, event?.id]).size).toBe(1);
  });

  it('wait behind a rejected one, and do not delay those of others', async (world) => {
    const stuck = await givenPresented(world);
    const other = await givenPayment(world);
    payment(await capture(world, stuck.payment.id, stuck.reference), 200);
    const taken: string[] = [];
    const report = await world.chairside.events.deliver(async ({ subject, type }) => {
      if (subject === stuck.payment.id) await refuse();
      taken.push(`${subject} ${type}`);
    });
    expect(report._unsafeUnwrap()).toMatchObject({ delivered: 1, failed: 1 });
    expect(taken).toEqual([`${other.id} contactlessPayment.created`]);
    world.clock.advance(minuteMs);
    expect((await takeAll(world)).map(({ type }) => type)).toEqual([
      'contactlessPayment.created',
      'contactlessPayment.authorized',
      'contactlessPayment.captured',
    ]);
  });

  it.for(['takes', 'refuses'] as const)(
    'that another node took over belong to it, even if the first node finally %s them',
    async (end, world) => {
      await givenCaptured(world);
      const ends: (() => void)[] = [];
      /** Delivers to a slow handler, which ends on command. */
      const deliverOne = (end: 'takes' | 'refuses') => {
        const slow = () =>
          new Promise<void>((resolve, reject) => {
            ends.push(() => (end === 'takes' ? resolve() : reject(new Error('not now'))));
          });
        return world.chairside.events.deliver(slow, { limit: 1 });
      };
      const first = deliverOne(end);
      await until(() => ends.length === 1);
      world.clock.advance(2 * minuteMs);
      const second = deliverOne('takes');
      await until(() => ends.length === 2);

      ends[0]?.();
      expect((await first)._unsafeUnwrap()).toMatchObject({ delivered: 0, failed: 0 });
      // The second node still has it, so neither it nor the next one is delivered.
      world.clock.advance(minuteMs / 2);
      expect(await takeAll(world)).toEqual([]);
      ends[1]?.();
      expect((await second)._unsafeUnwrap()).toMatchObject({ delivered: 1 });
      expect(await takeAll(world)).toHaveLength(2);
    },
  );

  it('are tried again after waits that grow to an hour', async (world) => {
    const { chairside, clock } = world;
    await givenPayment(world);
    const isTriedNow = async () =>
      (await chairside.events.deliver(refuse))._unsafeUnwrap().failed === 1;
    expect(await isTriedNow()).toBe(true);
    for (const seconds of [1, 4, 16, 64, 256, 1024, 3600, 3600, 3600]) {
      clock.advance(seconds * 1000 - 1);
      expect(await isTriedNow()).toBe(false);
      clock.advance(1);
      expect(await isTriedNow()).toBe(true);
    }
  });

  it('are delivered again if the handler returns a Result that failed', async (world) => {
    await givenPayment(world);
    // cast: the handler of a host without types returns what its own functions do
    const handler = (() => errAsync('the database is down')) as unknown as typeof refuse;
    const report = (await world.chairside.events.deliver(handler))._unsafeUnwrap();
    expect(report).toMatchObject({ delivered: 0, failed: 1 });
  });

  it('are dead letters after ten refusals, until they are redelivered or skipped (D26)', async (world) => {
    const { events } = world.chairside;
    const opened = await givenPayment(world);
    for (let i = 0; i < 10; i += 1) {
      expect((await events.deliver(refuse))._unsafeUnwrap().failed).toBe(1);
      world.clock.advance(hourMs);
    }
    expect(await takeAll(world)).toEqual([]);
    const told = world.observations.filter(({ kind }) => kind === 'failure');
    expect(told).toMatchObject(
      [...Array.from({ length: 10 }, () => 'handlerFailed'), 'deadLetter'].map((outcome) => ({
        name: 'deliverEvents',
        outcome,
      })),
    );
    const [dead, ...more] = (await events.listDeadLetters())._unsafeUnwrap();
    expect(more).toEqual([]);
    expect(dead).toMatchObject({ subject: opened.id, attempts: 10 });
    if (dead === undefined) throw new Error('there is no dead letter');
    expect((await events.listDeadLetters({ after: dead, limit: 5 }))._unsafeUnwrap()).toEqual([]);

    // The later event waits behind it.
    const reference = await present(world, opened);
    payment(await capture(world, opened.id, reference), 200);
    expect(await takeAll(world)).toEqual([]);

    expect((await events.redeliver(dead)).isOk()).toBe(true);
    expect((await events.redeliver(dead))._unsafeUnwrapErr().type).toBe('notFound');
    expect((await events.deliver(refuse))._unsafeUnwrap().failed).toBe(1);
    expect((await events.skip(dead)).isOk()).toBe(true);
    expect((await events.skip(dead))._unsafeUnwrapErr().type).toBe('notFound');
    for (const odd of [{ subject: 'a\0' }, { version: 1.5 }, { version: 2 ** 70 }]) {
      const key = { ...dead, ...odd };
      expect((await events.skip(key))._unsafeUnwrapErr().type).toBe('notFound');
      expect((await events.listDeadLetters({ after: key }))._unsafeUnwrap()).toEqual([]);
    }
    expect((await takeAll(world)).map(({ type }) => type)).toEqual([
      'contactlessPayment.authorized',
      'contactlessPayment.captured',
    ]);
  });

  it.for(['cpm_none', 'a\u0000b'])('of %j are neither redelivered nor skipped', async (subject) => {
    const { events } = (await makeWorld()).chairside;
    for (const settle of [events.redeliver, events.skip]) {
      expect((await settle({ subject, version: 1 }))._unsafeUnwrapErr().type).toBe('notFound');
    }
  });

  it('are listed in pages once they are dead letters', async (world) => {
    const { events } = world.chairside;
    const ids = [(await givenPayment(world)).id, (await givenPayment(world)).id];
    for (let i = 0; i < 10; i += 1) {
      expect((await events.deliver(refuse))._unsafeUnwrap().failed).toBe(2);
      world.clock.advance(hourMs);
    }
    const [first, ...more] = (await events.listDeadLetters({ limit: 1 }))._unsafeUnwrap();
    expect(more).toEqual([]);
    const [second] = (await events.listDeadLetters({ limit: 1, after: first }))._unsafeUnwrap();
    expect([first?.subject, second?.subject].toSorted()).toEqual(ids.toSorted());
  });

  it('under a key that a store cannot hold are not asked for', async () => {
    // PostgreSQL rejects such a key.
    let isRejecting = false;
    const unavailable = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const { chairside } = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (commit) => (isRejecting ? errAsync(unavailable) : real.commit(commit)),
        events: { ...real.events, listDead: () => errAsync(unavailable) },
      }),
    });
    isRejecting = true;
    for (const [subject, version] of [
      ['a\u0000b', 1],
      ['cpm_1', 1.5],
    ] as const) {
      const after = { subject, version };
      expect((await chairside.events.skip(after))._unsafeUnwrapErr().type).toBe('notFound');
      expect((await chairside.events.listDeadLetters({ after }))._unsafeUnwrap()).toEqual([]);
    }
  });

  it('need a handler', async ({ chairside }) => {
    const refused = await chairside.events.deliver(undefined as never); // cast: a host without types
    expect(refused._unsafeUnwrapErr().detail).toBe('The handler must be a function.');
  });

  it('are delivered by one of two at the same time', async (world) => {
    for (let i = 0; i < 5; i += 1) await givenPayment(world);
    const both = await Promise.all([takeQuietly(world), takeQuietly(world)]);
    expect(both.flat()).toHaveLength(5);
    expect(new Set(both.flat()).size).toBe(5);
  });

  it('are delivered again if their node has died', async (world) => {
    await givenPayment(world);
    const woken: (() => void)[] = [];
    const dead = world.chairside.events.deliver(() => new Promise((wake) => woken.push(wake)));
    while (woken.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await takeAll(world)).toEqual([]);
    world.clock.advance(minuteMs);
    expect(await takeAll(world)).toHaveLength(1);
    for (const wake of woken) wake();
    // The paused node continues, and writes no change.
    expect((await dead)._unsafeUnwrap()).toMatchObject({ delivered: 0 });
  });

  it('become dead letters if they crash every handler', async (world) => {
    const { id } = await givenPayment(world);
    let handed = 0;
    for (let lives = 0; lives < 12; lives += 1) {
      // A handler that never ends stands for a crashed process.
      const died = world.chairside.events.deliver(() => {
        handed += 1;
        return new Promise(() => {});
      });
      if (lives < 10) await until(() => handed === lives + 1);
      else expect((await died)._unsafeUnwrap()).toMatchObject({ delivered: 0 });
      world.clock.advance(hourMs);
    }
    expect(handed).toBe(10);
    const dead = (await world.chairside.events.listDeadLetters())._unsafeUnwrap();
    expect(dead).toMatchObject([{ subject: id, attempts: 10 }]);
  });

  it('do not become dead letters because another one crashes their handlers', async (world) => {
    const poison = await givenPayment(world);
    const innocent = await givenPayment(world);
    let handed = 0;
    const taken: string[] = [];
    for (let lives = 0; lives < 14; lives += 1) {
      const before = handed;
      const died = world.chairside.events
        .deliver(({ subject }) => {
          handed += 1;
          // At first they go together, and the handler crashes on the first before it handles the
          // other.
          if (subject === poison.id || lives < 3) return new Promise(() => {});
          taken.push(subject);
          return Promise.resolve();
        })
        .match(
          () => undefined,
          () => expect.unreachable(),
        );
      await Promise.race([died, until(() => handed > before + Number(lives < 3))]);
      world.clock.advance(hourMs);
    }
    // A slow store may let the clock pass the lease, and then hands it over once more.
    expect(new Set(taken)).toEqual(new Set([innocent.id]));
    const dead = (await world.chairside.events.listDeadLetters())._unsafeUnwrap();
    expect(dead.map(({ subject }) => subject)).toEqual([poison.id]);
  });

  it('stay in place if a dead letter cannot be written', async () => {
    let isDown = false;
    let tried = 0;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit(commit) {
          if (!isDown) return real.commit(commit);
          tried += 1;
          return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
        },
      }),
    });
    for (let i = 0; i < 2; i += 1) await givenPayment(world);
    let handed = 0;
    // Both together seven times, and each alone three times.
    for (let lives = 0; lives < 13; lives += 1) {
      const wanted = handed + (lives < 7 ? 2 : 1);
      const died = world.chairside.events
        .deliver(() => {
          handed += 1;
          return new Promise(() => {});
        })
        .match(
          () => undefined,
          () => expect.unreachable(),
        );
      await Promise.race([died, until(() => handed === wanted)]);
      world.clock.advance(hourMs);
    }
    isDown = true;
    const delivered = await world.chairside.events.deliver(refuse);
    expect(delivered._unsafeUnwrap()).toEqual({ delivered: 0, failed: 0, more: false });
    // The other one waits for the next call, when the store may be back.
    expect(tried).toBe(1);
    expect((await world.chairside.events.listDeadLetters())._unsafeUnwrap()).toEqual([]);
  });

  it('are delivered up to the limit', async (world) => {
    for (let i = 0; i < 5; i += 1) await givenPayment(world);
    const report = await world.chairside.events.deliver(async () => {}, { limit: 3 });
    expect(report._unsafeUnwrap()).toEqual({ delivered: 3, failed: 0, more: true });
    expect(await takeAll(world)).toHaveLength(2);
  });

  it('are delivered up to the limit, those that follow an earlier one included', async (world) => {
    for (let i = 0; i < 2; i += 1) await givenCaptured(world);
    const report = await world.chairside.events.deliver(async () => {}, { limit: 3 });
    expect(report._unsafeUnwrap()).toEqual({ delivered: 3, failed: 0, more: true });
    expect(await takeAll(world)).toHaveLength(3);
  });

  it('may wait behind a full call, also if its handler accepted none of them', async (world) => {
    for (let i = 0; i < 2; i += 1) await givenPayment(world);
    const report = await world.chairside.events.deliver(refuse, { limit: 1 });
    expect(report._unsafeUnwrap()).toEqual({ delivered: 0, failed: 1, more: true });
  });

  it('run eight at a time after three attempts and alone after seven, since one may crash the process', async (world) => {
    const attempt = async () => {
      let [running, together] = [0, 0];
      const report = await world.chairside.events.deliver(async () => {
        running += 1;
        together = Math.max(together, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        await refuse();
      });
      world.clock.advance(hourMs);
      return { ...report._unsafeUnwrap(), together };
    };
    for (let i = 0; i < 10; i += 1) await givenPayment(world);
    for (const together of [10, 10, 10, 8, 8, 8, 8, 1, 1, 1]) {
      expect(await attempt()).toMatchObject({ delivered: 0, failed: 10, together });
    }
    await givenPayment(world);
    for (let times = 1; times <= 4; times += 1) await attempt();
    await givenPayment(world);
    for (let times = 1; times <= 3; times += 1) await attempt();
    // The other is due first, after its third attempt.
    expect(await attempt()).toMatchObject({ failed: 2, together: 1 });
  });

  it.for([
    { count: 30, failed: 30 },
    { count: 99, failed: 98 },
    { count: 110, failed: 98 },
  ])(
    'of others do not wait behind $count refused ones longer than one delivery',
    async ({ count, failed }, world) => {
      for (let i = 0; i < count; i += 1) await givenPayment(world);
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        (await world.chairside.events.deliver(refuse, { limit: 1000 }))._unsafeUnwrap();
        world.clock.advance(hourMs);
      }
      const others = [(await givenPayment(world)).id, (await givenPayment(world)).id];
      const handed: string[] = [];
      const report = await world.chairside.events.deliver(async ({ subject }) => {
        handed.push(subject);
        if (!others.includes(subject)) await refuse();
      });
      expect(report._unsafeUnwrap()).toMatchObject({ delivered: 2, failed });
      expect(handed.slice(0, 10)).toEqual(expect.arrayContaining(others));
      expect(handed).toHaveLength(failed + 2);
    },
  );

  it('that a slow handler refuses keep upkeep from payments no longer than one delivery (D134)', async (world) => {
    const { chairside, clock } = world;
    for (let i = 0; i < 3; i += 1) await givenPayment(world);
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      (await chairside.events.deliver(refuse))._unsafeUnwrap();
      clock.advance(hourMs);
    }
    const slow = async () => {
      clock.advance(5000);
      await refuse();
    };
    const report = (await chairside.events.deliver(slow))._unsafeUnwrap();
    expect(report).toEqual({ delivered: 0, failed: 1, more: true });
    const rest = (await chairside.upkeep({ deliver: slow }))._unsafeUnwrap();
    expect(rest).toMatchObject({ delivered: 0, failed: 2, rounds: 2 });
  });

  it('are delivered by default if the limit is not a number', async (world) => {
    for (let i = 0; i < 3; i += 1) await givenPayment(world);
    const limit = Number.NaN;
    for (let i = 0; i < 10; i += 1) {
      const report = (await world.chairside.events.deliver(refuse, { limit }))._unsafeUnwrap();
      expect(report).toEqual({ delivered: 0, failed: 3, more: false });
      world.clock.advance(hourMs);
    }
    expect((await world.chairside.events.listDeadLetters({ limit }))._unsafeUnwrap()).toHaveLength(
      3,
    );
  });

  it('that stay undelivered are dropped after thirty days, which the observer learns (D55)', async (world) => {
    await givenCaptured(world);
    // The thirty days begin when upkeep first finds the event this old.
    world.clock.advance(31 * 24 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    const told = () => world.observations.filter(({ kind }) => kind === 'failure');
    expect(told()).toEqual([]);
    world.clock.advance(31 * 24 * hourMs);
    // One event of each payment in each run: created, authorized, captured.
    for (let run = 1; run <= 3; run += 1) {
      expect((await world.chairside.reconcile()).isOk()).toBe(true);
    }
    expect(told()).toMatchObject(
      [1, 2, 3].map(() => ({ name: 'deliverEvents', outcome: 'neverDelivered' })),
    );
    expect(await takeAll(world)).toEqual([]);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(told()).toHaveLength(3);
  });
});

async function takeQuietly({ chairside }: World): Promise<string[]> {
  const taken: string[] = [];
  const report = await chairside.events.deliver(async ({ id }) => {
    taken.push(id);
  });
  expect(report.isOk()).toBe(true);
  return taken;
}

describeEverywhere('getPaymentTimeline and getReceipt', ({ it }) => {
  const owner = { subject: 'owner', businessIds: ['shop'] };

  it('explain a payment’s state in its timeline', async (world) => {
    const { payment: opened, reference } = await givenPresented(world, {
      card: 'declined_then_approved',
    });
    await capture(world, opened.id, reference);
    await present(world, opened, 'declined_then_approved');
    world.clock.advance(1000);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    await capture(world, opened.id, reference);
    payment(await capture(world, opened.id, reference), 200);
    const read = await world.chairside.getPaymentTimeline(owner, {
      contactlessPaymentId: opened.id,
    });
    const timeline = read._unsafeUnwrap();
    expect(timeline.state).toBe('captured');
    expect(timeline.items.map(({ what, cause }) => `${what} (${cause})`)).toEqual([
      'opening (create)',
      'created (open)',
      'failed (capture)',
      'authorized (capture)',
      'capturing (capture)',
      'capture unknown (capture)',
      'capturing (capture)',
      'captured (capture)',
    ]);
    expect(timeline.count).toBe(8);
    expect(timeline.items[1]).not.toHaveProperty('by');
    expect(timeline).not.toHaveProperty('review');
    expect(timeline.items[2]?.at).toBe('2026-11-02T09:00:00.000Z');
    expect(JSON.stringify(timeline)).not.toContain(opened.clientSecret);
  });

  it('show the required content of a receipt (D36)', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    const read = await world.chairside.getReceipt(owner, { contactlessPaymentId: captured.id });
    expect(read._unsafeUnwrap()).toMatchObject({
      contactlessPaymentId: captured.id,
      shopName: 'Marlow & Sons',
      locationName: 'Old Town',
      amount: '45.00',
      currency: 'eur',
      capturedAt: captured.capturedAt,
      card: captured.card,
      applicationIdentifier: expect.stringMatching(/^A0{6}/i),
      authorizationCode: expect.any(String),
    });
  });

  it('show no receipt before the capture', async (world) => {
    const { id: contactlessPaymentId } = await givenPayment(world);
    const receipt = await world.chairside.getReceipt(owner, { contactlessPaymentId });
    expect(receipt._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'notCaptured' },
    });
  });
});

const dayMs = 24 * hourMs;

/** Delivers all that is due, and returns it. */
async function deliverAll({ chairside }: World): Promise<CloudEvent[]> {
  const taken: CloudEvent[] = [];
  const delivered = await chairside.events.deliver(async (event) => {
    taken.push(event);
  });
  expect(delivered._unsafeUnwrap()).toMatchObject({ delivered: taken.length, failed: 0 });
  return taken;
}

/** Replays in pages of one record, and checks that each page begins where the last one ended. */
async function replayAll({ chairside }: World, sinceMs: number, limit = 1): Promise<CloudEvent[]> {
  const since = new Date(sinceMs).toISOString();
  const events: CloudEvent[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 100; pages += 1) {
    const page = (await chairside.events.replay({ since, after, limit }))._unsafeUnwrap();
    events.push(...page.events);
    if (page.next === undefined) return events;
    after = page.next;
  }
  throw new Error('The replay does not end.');
}

const typesOf = (events: readonly CloudEvent[]) =>
  events.map(({ type }) => type.replace('contactlessPayment.', ''));

async function giveBack(world: World, id: string, amount: string): Promise<void> {
  const asked = { id, key: fresh('refund'), body: { amount } };
  refund(await world.send('refundPayment', 'owner', asked), 201);
}

describeEverywhere('an event whose person cannot be read', ({ it, makeWorld }) => {
  it('is delivered later, and no attempt is counted', async () => {
    const down = errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    const world = await makeWorld({
      store: (real) => ({ ...real, actors: { ...real.actors, get: () => down } }),
    });
    await givenPayment(world);
    const report = await world.chairside.events.deliver(refuse);
    expect(report._unsafeUnwrap()).toMatchObject({ delivered: 0 });
    const due = await world.store.events.listDue(world.clock.now(), 9);
    expect(due._unsafeUnwrap()).toMatchObject([{ attempts: 0 }]);
  });
});

describeEverywhere('a replay of events', ({ it, makeWorld }) => {
  it('tells the present state of what changed since, under ids of its own', async (world) => {
    await givenCaptured(world);
    await deliverAll(world);
    world.clock.advance(hourMs);
    const restoredTo = world.clock.now();
    world.clock.advance(minuteMs);
    const { payment, reference } = await givenCaptured(world);
    await giveBack(world, payment.id, '5.00');
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    for (const message of world.processor.takeEvents()._unsafeUnwrap()) {
      expect((await world.chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
    }
    const delivered = await deliverAll(world);
    const told = await replayAll(world, restoredTo);
    expect(typesOf(told)).toEqual(['captured', 'refunded', 'disputed']);
    const last = delivered.filter(({ type }) => told.some((one) => one.type === type));
    for (const [index, event] of told.entries()) {
      expect(event).toEqual({
        ...last[index],
        id: expect.stringMatching(/^retold\//),
        sequence: delivered.at(-1)?.sequence,
        retold: true,
      });
    }
    const ids = delivered.map(({ id }) => id);
    expect(told.filter(({ id }) => ids.includes(id))).toEqual([]);
    // Nothing was taken from what is delivered later.
    expect(await deliverAll(world)).toEqual([]);
    // The host's own deduplication works when it replays twice.
    expect(await replayAll(world, restoredTo, 1000)).toEqual(told);
    const entries = told.map((event) => moneyEntryOf(event)._unsafeUnwrap()?.paidMinor);
    expect(entries).toEqual([4500n, -500n, undefined]);
  });

  it('tells an old payment again that was refunded since', async (world) => {
    const { payment } = await givenCaptured(world);
    world.clock.advance(dayMs);
    const restoredTo = world.clock.now();
    world.clock.advance(minuteMs);
    expect(await replayAll(world, restoredTo)).toEqual([]);
    await giveBack(world, payment.id, '5.00');
    world.clock.advance(1);
    world.processor.slowRefunds(true);
    await giveBack(world, payment.id, '4.00');
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    const asked = { id: payment.id, key: fresh('refund'), body: { amount: '3.00' } };
    problem(await world.send('refundPayment', 'owner', asked), 'serviceUnavailable');
    // The processor has not accepted the last one.
    const told = await replayAll(world, restoredTo);
    expect(typesOf(told)).toEqual(['captured', 'refunded', 'refundPending']);
    expect(told.at(-1)?.data).toMatchObject({ amount: '4.00' });
  });

  it('takes a shared payment from each visit that had it between', async () => {
    const world = await makeWorld({ shares: true });
    const rows = new Map<string, MoneyEntry>();
    const follow = (events: readonly CloudEvent[]) => {
      for (const entry of events.flatMap((one) => moneyEntriesOf(one)._unsafeUnwrap())) {
        const { sequence = '' } = rows.get(entry.reference) ?? {};
        if (sequence < entry.sequence) rows.set(entry.reference, entry);
      }
    };
    const { payment } = await givenCaptured(world);
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => givenAppointment(world)));
    const moveTo = async (id = '') =>
      expect((await share(world, payment.id, [[id, '45.00']])).status).toBe(201);
    await moveTo(first);
    follow(await deliverAll(world));
    world.clock.advance(minuteMs);
    const restoredTo = world.clock.now();
    await moveTo(second);
    await moveTo(third);
    // The host loses these.
    await deliverAll(world);
    const told = await replayAll(world, restoredTo);
    expect(typesOf(told)).toEqual(['captured', 'shared']);
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
    follow(told);
    expect(
      [...rows.values()].map(({ appointmentId, paidMinor }) => [appointmentId, paidMinor]),
    ).toEqual([
      [payment.appointment.id, 0n],
      [first, 0n],
      [third, 4500n],
      [second, 0n],
    ]);
    await giveBack(world, payment.id, '5.00');
    // What was given back is told by its own event.
    const [, shared] = await replayAll(world, restoredTo);
    const part = (appointmentId = '', amount = '0.00') => ({ appointmentId, amount });
    expect(shared).toMatchObject({
      subject: payment.id,
      data: {
        shares: [part(third, '45.00')],
        moves: [
          part(payment.appointment.id, '-45.00'),
          part(first),
          part(second),
          part(third, '45.00'),
        ],
      },
    });
  });

  it('tells cash, phones, and open payments, but no payment that the processor has not opened', async (world) => {
    const failed = async () => {
      const { payment: paid, reference } = await givenCaptured(world);
      await giveBack(world, paid.id, '10.00');
      const [{ id: there } = { id: '' }] = (await bookEntry(world, reference))?.refunds ?? [];
      world.processor.endRefund(reference, there, 'failed')._unsafeUnwrap();
      await deliverMessages(world);
      return paid.id;
    };
    const opened = async (id: string) => {
      const at = world.clock.now();
      const about = { id, version: 1, reason: 'unsettled' } as const;
      const review = { ...about, account: 'acct_shop', openedAt: at };
      const changes = [{ kind: 'insertReview', review }] as const;
      expect((await world.store.commit({ id, at, changes })).isOk()).toBe(true);
    };
    const visit = await givenAppointment(world);
    // All of this is older.
    await opened('rev_old');
    terminal(await register(world), 201);
    await givenTender(world, visit, '5.00');
    await failed();
    world.clock.advance(1);
    const restoredTo = world.clock.now();
    const { id: phoneId } = terminal(await register(world), 201);
    const tender = await givenTender(world, visit, '20.00');
    const inCash = await failed();
    const asked = { id: inCash, key: fresh('cash'), body: { amount: '10.00' } };
    expect((await world.send('returnTender', 'ada', asked)).status).toBe(201);
    await opened('rev_new');
    world.clock.advance(minuteMs);
    const back = { tenderId: tender.id, idempotencyKey: 'b', body: { amount: '5.00' } };
    expect((await world.chairside.returnTender(host, back)).isOk()).toBe(true);
    const open = await givenPayment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, await givenAppointment(world)), 'serviceUnavailable');
    const told = await replayAll(world, restoredTo);
    expect(told.map(({ type, subject, data }) => [type, subject, 'amount' in data])).toEqual([
      ['contactlessPayment.captured', inCash, true],
      ['contactlessPayment.refundFailed', inCash, true],
      ['tender.returned', inCash, true],
      ['contactlessPayment.created', open.id, true],
      ['tender.recorded', tender.id, true],
      ['tender.returned', tender.id, true],
      ['terminal.registered', phoneId, false],
      ['review.opened', 'rev_new', false],
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    // At the tender's present version, which its return has raised.
    const ofTender = told.filter(({ subject }) => subject === tender.id);
    expect(ofTender.map(({ sequence }) => Number(sequence))).toEqual([2, 2]);
  });

  it('refuses a time or a place that is none', async ({ chairside }) => {
    const since = '2026-11-02T09:00:00.000Z';
    const wrong = [
      { since: 'yesterday' },
      ...['', 'refunds/1', 'payments', `payments/${'x'.repeat(256)}`].map((after) => ({
        since,
        after,
      })),
      { since, after: 'payments/\u0000' },
    ];
    for (const input of wrong) {
      const refused = await chairside.events.replay(input);
      const pointer = 'after' in input ? '/after' : '/since';
      expect(refused._unsafeUnwrapErr(), JSON.stringify(input)).toMatchObject({
        type: 'badRequest',
        problems: [{ attributes: { pointer } }],
      });
    }
  });
});
