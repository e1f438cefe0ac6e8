import {
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  type Observation,
  type Observer,
  okAsync,
} from '@chairside/core';
import { type Processor, problemSchema, type RawEvent } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { processorEventsHandler } from '@chairside/h3';
import { createManualClock, createMapStore } from '@chairside/testkit';
import { H3 } from 'h3';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { ada, givenOrphan, openElsewhere, withProcessor } from '../src/elsewhere.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerOf,
  present,
  stored,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** The processor's unsent messages. */
function messages({ processor }: World): readonly RawEvent[] {
  return processor.takeEvents()._unsafeUnwrap();
}

async function outcome({ chairside }: World, message: RawEvent) {
  return (await chairside.receiveProcessorEvent(message))._unsafeUnwrap().outcome;
}

describeEverywhere('receiveProcessorEvent', ({ it }) => {
  it('moves the payment to the state in the books', async (world) => {
    const opened = await givenPayment(world);
    messages(world);
    await present(world, opened, 'declined');
    for (const message of messages(world)) expect(await outcome(world, message)).toBe('applied');
    expect((await stored(world, opened.id)).state).toBe('failed');
    await present(world, opened, 'visa_credit');
    for (const message of messages(world)) await outcome(world, message);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'authorized',
      card: { maskedPersonalAccountNumber: '*4242' },
    });
  });

  it('applies a message once (D25)', async (world) => {
    await givenPresented(world);
    for (const message of messages(world)) {
      expect(await outcome(world, message)).toBe('applied');
      expect(await outcome(world, message)).toBe('duplicate');
    }
  });

  it('applies a message once if it arrives twice at the same time', async (world) => {
    const { payment: captured, reference } = await givenCaptured(world);
    messages(world);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    const [message] = messages(world);
    if (message === undefined) throw new Error('there is no message');
    const outcomes = await Promise.all([outcome(world, message), outcome(world, message)]);
    expect(outcomes.sort()).toEqual(['applied', 'duplicate']);
    const told = (await stored(world, captured.id)).timeline.filter(
      ({ what }) => what === 'refunded',
    );
    expect(told).toHaveLength(1);
  });

  it('reports refunds and disputes, and changes neither state nor balance (D25)', async (world) => {
    const { payment: captured, reference } = await givenCaptured(world);
    messages(world);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    expect(world.processor.dispute(reference, 500n).isOk()).toBe(true);
    // The first message makes us read both lists, so the second one is no news.
    const outcomes = [];
    for (const message of messages(world)) outcomes.push(await outcome(world, message));
    expect(outcomes).toEqual(['applied', 'duplicate']);
    const after = await stored(world, captured.id);
    expect(after.state).toBe('captured');
    expect(await ledgerOf(world, captured.appointment.id)).toMatchObject({ capturedMinor: 4500n });
    const told: unknown[] = [];
    const report = await world.chairside.events.deliver(async ({ type, data }) => {
      told.push([type, 'amount' in data && data.amount]);
    });
    expect(report.isOk()).toBe(true);
    expect(told.slice(-2)).toEqual([
      ['contactlessPayment.refunded', '10.00'],
      ['contactlessPayment.disputed', '5.00'],
    ]);
  });

  it('counts a dispute that the processor lists late, beside another one', async (world) => {
    const { payment: captured, reference } = await givenCaptured(world);
    messages(world);
    const { disputes } = world.processor;
    const late = withProcessor(world, {
      disputes: {
        ...disputes,
        list: (handle) => disputes.list(handle).map((all) => all.slice(0, 1)),
      },
    });
    for (const amountMinor of [1000n, 500n]) {
      expect(world.processor.dispute(reference, amountMinor).isOk()).toBe(true);
      for (const message of messages(world)) {
        expect(await outcome({ ...world, chairside: late }, message)).toBe('applied');
      }
    }
    const open = (await world.chairside.listDisputes({ state: 'open' }))._unsafeUnwrap();
    expect(open.every((one) => one.contactlessPaymentId === captured.id)).toBe(true);
    expect(open.map(({ amount }) => amount).toSorted()).toEqual(['10.00', '5.00']);
  });

  it('does not disturb a running capture', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    messages(world);
    world.processor.failNext('capturePayment', 'slowReply');
    const capturing = capture(world, opened.id, reference);
    while (world.processor.count('capturePayment').made === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const message of messages(world)) expect(await outcome(world, message)).toBe('applied');
    world.processor.release();
    payment(await capturing, 200);
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({
      capturedMinor: 4500n,
      reservedMinor: 0n,
      openPayments: 0,
    });
  });

  it('rejects unsigned, changed and old messages', async (world) => {
    await givenPresented(world);
    const [message] = messages(world);
    if (message === undefined) throw new Error('there is no message');
    const refused = async (raw: RawEvent) =>
      (await world.chairside.receiveProcessorEvent(raw))._unsafeUnwrapErr().type;
    const unsigned = await world.chairside.receiveProcessorEvent({ ...message, headers: {} });
    // An operator finds the cause in the processor's log.
    expect(unsigned._unsafeUnwrapErr().detail).toMatch(/\(.+\): check the signing secret/);
    expect(await refused({ ...message, headers: {} })).toBe('badRequest');
    expect(await refused({ ...message, payload: `${message.payload} ` })).toBe('badRequest');
    world.clock.advance(6 * minuteMs);
    expect(await refused(message)).toBe('badRequest');
  });

  it('asks for a retry while the processor cannot be read', async (world) => {
    const { payment: opened } = await givenPresented(world);
    const all = messages(world);
    const last = all.at(-1);
    if (last === undefined) throw new Error('there is no message');
    world.processor.failNext('readPayment', 'refused');
    const failed = await world.chairside.receiveProcessorEvent(last);
    expect(failed._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    world.processor.failNext('parseEvent', 'refused');
    const unchecked = await world.chairside.receiveProcessorEvent(last);
    expect(unchecked._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    expect(await outcome(world, last)).toBe('applied');
    expect((await stored(world, opened.id)).state).toBe('authorized');
  });

  it('ignores messages about other systems’ payments', async (world) => {
    const appointmentId = await givenAppointment(world);
    // Opened there, and not recorded here yet.
    world.processor.failNext('openPayment', 'lostReply');
    world.processor.failNext('readPayment', 'refused');
    problem(await create(world, appointmentId), 'serviceUnavailable');
    for (const message of messages(world)) expect(await outcome(world, message)).toBe('ignored');
    const strange = world.processor.signEvent('{"id":"evt_1","type":"account.updated"}');
    expect(await outcome(world, strange)).toBe('ignored');
    await openElsewhere(world, { installation: 'another installation' });
    for (const message of messages(world)) expect(await outcome(world, message)).toBe('ignored');
  });
});

describeEverywhere('a foreign message about a payment', ({ it }) => {
  const said = (world: World, change: object) =>
    world.processor.signEvent(
      JSON.stringify({
        id: fresh('evt'),
        installation: 'chairside',
        account: 'acct_shop',
        amount: '5000.00',
        subject: fresh('refund'),
        ...change,
      }),
    );

  it.for(['payment.refunded', 'payment.disputed'])('is ignored: %s', async (type, world) => {
    const { payment: captured, reference } = await givenCaptured(world);
    const { version } = await stored(world, captured.id);
    const about = { type, paymentId: captured.id, reference };
    // From another account, or about another payment there, because marks can be copied.
    for (const change of [{ account: 'acct_other' }, { reference: 'fpi_other' }]) {
      expect(await outcome(world, said(world, { ...about, ...change }))).toBe('ignored');
    }
    // A copy of the records, such as a rehearsal's, has the same ids under another name.
    const copied = said(world, { ...about, installation: 'rehearsal' });
    expect(await outcome(world, copied)).toBe('ignored');
    expect(await outcome(world, said(world, { ...about, paymentId: 'cpm_none' }))).toBe('ignored');
    expect((await stored(world, captured.id)).version).toBe(version);
    expect(await outcome(world, said(world, about))).toBe('applied');
  });

  it('is no duplicate of another refund that is known', async (world) => {
    const { payment: captured, reference } = await givenCaptured(world);
    messages(world);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    for (const message of messages(world)) expect(await outcome(world, message)).toBe('applied');
    const about = { type: 'payment.refunded', paymentId: captured.id, reference };
    expect(await outcome(world, said(world, about))).toBe('applied');
  });

  it('is ignored even if the books would show it', async (world) => {
    const { payment: opened } = await givenPresented(world);
    const about = { type: 'payment.authorized', paymentId: opened.id };
    const other = said(world, { ...about, account: 'acct_other' });
    expect(await outcome(world, other)).toBe('ignored');
    expect((await stored(world, opened.id)).state).toBe('created');
    expect(await outcome(world, said(world, about))).toBe('applied');
    const { state, version } = await stored(world, opened.id);
    expect(state).toBe('authorized');
    // A message without news changes nothing, so that no running call has to start again.
    expect(await outcome(world, said(world, about))).toBe('applied');
    expect((await stored(world, opened.id)).version).toBe(version);
  });
});

describeEverywhere('the sweep of payments that only the processor knows', ({ it, makeWorld }) => {
  const run = async (world: World) => (await world.chairside.reconcile())._unsafeUnwrap();
  const status = (world: World, reference = '') => world.processor.bookEntry(reference)?.status;

  it('cancels our payments that are an hour old and uncaptured; known ones stay unchanged (D27, D51)', async (world) => {
    const known = await givenPresented(world);
    const mine = await openElsewhere(world);
    const others = await openElsewhere(world, { installation: 'another installation' });
    world.clock.advance(minuteMs);
    await run(world);
    world.clock.advance(59 * minuteMs);
    expect((await run(world)).orphansCanceled).toBe(0);
    expect(status(world, mine.reference)).toBe('created');
    world.clock.advance(20 * minuteMs);
    expect((await run(world)).orphansCanceled).toBe(1);
    expect(status(world, mine.reference)).toBe('canceled');
    expect(status(world, others.reference)).toBe('created');
    expect(status(world, known.reference)).toBe('authorized');
    world.clock.advance(hourMs);
    expect((await run(world)).orphansCanceled).toBe(0);
  });

  it('cancels one whose create was unfinished at an earlier sweep, and then ended without it', async (world) => {
    const lost = () =>
      errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
    const { processor } = world;
    const openPayment: Processor['openPayment'] = (request) =>
      processor.openPayment(request).andThen(lost);
    const unheard = withProcessor(world, { openPayment, readPayment: lost });
    const appointmentId = await givenAppointment(world);
    const input = { appointmentId, idempotencyKey: fresh('key'), body: {} };
    expect((await unheard.createContactlessPayment(ada, input)).isErr()).toBe(true);
    const [entry] = processor.entries();
    world.clock.advance(2 * hourMs);
    expect((await unheard.reconcile())._unsafeUnwrap().orphansCanceled).toBe(0);
    expect(status(world, entry?.id)).toBe('created');
    // The processor's list of that time does not show it, so its create is closed.
    const blind = withProcessor(world, { readPayment: () => okAsync(undefined) });
    for (let runs = 0; runs < 3; runs += 1) {
      world.clock.advance(hourMs);
      (await blind.reconcile())._unsafeUnwrap();
    }
    expect(status(world, entry?.id)).toBe('canceled');
  });

  it('reports captured ones, and leaves them unchanged (D51)', async (world) => {
    await givenPayment(world);
    const { reference } = await givenOrphan(world);
    world.clock.advance(2 * hourMs);
    expect((await run(world)).needReview).toEqual([reference]);
    expect(status(world, reference)).toBe('captured');
  });

  it('lists again after a failure (D51)', async (world) => {
    await givenPayment(world);
    const lost = await openElsewhere(world);
    world.clock.advance(2 * hourMs);
    world.processor.failNext('listPayments', 'refused');
    expect((await run(world)).orphansCanceled).toBe(0);
    // Not at once, because it would fail again.
    expect((await run(world)).orphansCanceled).toBe(0);
    world.clock.advance(10 * minuteMs);
    expect((await run(world)).orphansCanceled).toBe(1);
    expect(status(world, lost.reference)).toBe('canceled');
  });

  it('cancels again after a failure, and reports those that cannot be canceled', async (world) => {
    await givenCaptured(world);
    const lost = await openElsewhere(world);
    world.clock.advance(2 * hourMs);
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    expect(await run(world)).toMatchObject({ orphansCanceled: 0, needReview: [] });
    world.clock.advance(10 * minuteMs);
    expect(await run(world)).toMatchObject({ orphansCanceled: 1, needReview: [] });
    const stubborn = await openElsewhere(world);
    world.clock.advance(2 * hourMs);
    world.processor.failNext('cancelPayment', 'rejected');
    expect(await run(world)).toMatchObject({ needReview: [stubborn.reference] });
    expect(status(world, lost.reference)).toBe('canceled');
  });

  it('continues after one that it cannot cancel, and tries that again each hour', async (world) => {
    await givenCaptured(world);
    const lost = [
      await openElsewhere(world),
      await openElsewhere(world),
      await openElsewhere(world),
    ];
    world.clock.advance(2 * hourMs);
    world.processor.failNext('cancelPayment', 'failure'); // replayed for as long as its key is kept
    expect(await run(world)).toMatchObject({ orphansCanceled: 2, needReview: [] });
    world.clock.advance(hourMs);
    expect(await run(world)).toMatchObject({ orphansCanceled: 1, needReview: [] });
    for (const { reference } of lost) expect(status(world, reference)).toBe('canceled');
  });

  it('reports one that it could not cancel for three days, and continues behind it', async () => {
    const world = await makeWorld({
      processor: {
        faults: ({ name }) => (name === 'cancelPayment' ? 'timeoutBeforeApplying' : undefined),
      },
    });
    await givenCaptured(world);
    const { reference } = await openElsewhere(world);
    // The first try comes when it is an hour old, or whenever upkeep runs again.
    world.clock.advance(99 * hourMs);
    for (let hours = 0; hours < 72; hours += 1) {
      expect((await run(world)).needReview).toEqual([]);
      world.clock.advance(hourMs);
    }
    expect((await run(world)).needReview).toEqual([reference]);
    world.clock.advance(hourMs);
    expect((await run(world)).needReview).toEqual([]);
  });

  it('reports its findings although its mark is not written, or another account fails', async () => {
    let isFailing: (changeOrId: string | undefined) => boolean = () => false;
    const unavailable = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          get: (id) => (isFailing(id) ? errAsync(unavailable) : real.payments.get(id)),
        },
        commit: (commit) =>
          isFailing(commit.changes.at(-1)?.kind) ? errAsync(unavailable) : real.commit(commit),
      }),
    });
    const account = { id: 'acct_two', currency: 'eur', terminalLocation: 'tml_shop' };
    const business = { id: 'two', name: 'two', processorAccount: account };
    expect((await world.chairside.records.putBusiness(business)).isOk()).toBe(true);
    await givenCaptured(world);
    await create(world, await givenAppointment(world, { business: 'two' }));
    const first = await givenOrphan(world, 'acct_shop');
    const second = await givenOrphan(world, 'acct_two');
    const both = [first.reference, second.reference];
    world.clock.advance(2 * hourMs);

    const from = world.observations.length;
    isFailing = (changeOrId) => changeOrId === 'putSweep';
    // Accounts are read side by side.
    expect((await run(world)).needReview.toSorted()).toEqual(both.toSorted());
    isFailing = (changeOrId) => changeOrId === second.id;
    expect((await run(world)).needReview).toEqual([first.reference]);
    isFailing = () => false;
    // Books that failed a moment ago wait.
    world.clock.advance(10 * minuteMs);
    expect((await run(world)).needReview).toEqual([second.reference]);
    const failures = world.observations.slice(from).filter(({ kind }) => kind === 'failure');
    const failure = { name: 'sweep', outcome: unavailable.kind };
    expect(failures).toMatchObject([failure, failure, failure]);
  });

  it('reaches an account behind ten that are too new to be swept', async (world) => {
    await givenCaptured(world);
    world.clock.advance(2 * hourMs);
    for (let index = 0; index < 10; index += 1) {
      const id = `new-${index}`;
      const account = { id: `acct_${id}`, currency: 'eur', terminalLocation: 'tml_shop' };
      const business = { id, name: id, processorAccount: account };
      expect((await world.chairside.records.putBusiness(business)).isOk()).toBe(true);
      await create(world, await givenAppointment(world, { business: id }));
    }
    const { reference } = await openElsewhere(world);
    world.clock.advance(minuteMs);
    await run(world);
    world.clock.advance(60 * minuteMs);
    // A run sweeps ten accounts, so the eleventh has its turn in the second.
    const canceled = [(await run(world)).orphansCanceled, (await run(world)).orphansCanceled];
    expect(canceled.toSorted()).toEqual([0, 1]);
    expect(status(world, reference)).toBe('canceled');
  });

  it('reaches every account, behind any number that cannot be listed', async (world) => {
    const { chairside, clock, processor } = world;
    const shops = Array.from({ length: 10 }, (_, index) => `gone-${index}`);
    for (const id of shops) {
      const account = { id: `acct_${id}`, currency: 'eur' };
      expect(
        (await chairside.records.putBusiness({ id, name: id, processorAccount: account })).isOk(),
      ).toBe(true);
      await givenPayment(world, { appointmentId: await givenAppointment(world, { business: id }) });
      processor.disableAccount(account.id);
    }
    clock.advance(1000);
    await givenPayment(world);
    const { reference } = await openElsewhere(world);
    let canceled = 0;
    for (let runs = 0; runs < 4; runs += 1) {
      clock.advance(hourMs);
      canceled += (await run(world)).orphansCanceled;
    }
    expect(canceled).toBe(1);
    expect(status(world, reference)).toBe('canceled');
  });

  it('reads any number of pages', async (world) => {
    await givenPayment(world);
    for (let i = 0; i < 150; i += 1) await openElsewhere(world);
    world.clock.advance(2 * hourMs);
    let canceled = 0;
    for (let runs = 0; runs < 5; runs += 1) canceled += (await run(world)).orphansCanceled;
    expect(canceled).toBe(150);
  });

  it('recognises a payment that was opened twice by the recorded one (D51)', async (world) => {
    const opened = await givenPayment(world);
    const second = await openElsewhere(world, { paymentId: opened.id });
    const first = (await stored(world, opened.id)).reference ?? '';
    await present(world, opened);
    world.clock.advance(2 * hourMs);
    expect((await run(world)).orphansCanceled).toBe(1);
    expect(status(world, second.reference)).toBe('canceled');
    expect(status(world, first)).toBe('authorized');
  });

  it('leaves an unfinished create alone (D51)', async (world) => {
    const appointmentId = await givenAppointment(world);
    world.processor.failNext('openPayment', 'lostReply');
    world.processor.failNext('readPayment', 'refused', 50);
    const key = fresh('key');
    problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    world.clock.advance(2 * hourMs);
    expect((await run(world)).orphansCanceled).toBe(0);
  });
});

function makeHost(observe: Observer = () => {}, publicUrl?: string) {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const chairside = createChairside({ store: createMapStore(), processor, clock, observe });
  const host = new H3();
  const options = { problemBase: 'https://shop.example', publicUrl };
  host.all('/processor/events', processorEventsHandler(chairside, options));
  return { clock, processor, host };
}

describe('processorEventsHandler', () => {
  it('handles a signed message, outside the bearer routes', async () => {
    const { host, processor } = makeHost();
    const { payload, headers } = processor.signEvent('{"id":"evt_1","type":"account.updated"}');
    const sent = new Headers();
    for (const [name, value = ''] of Object.entries(headers)) sent.set(name, value);
    const answer = await host.request('/processor/events', {
      method: 'POST',
      headers: sent,
      body: payload,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ outcome: 'ignored' });
  });

  it.each([
    ['a byte order mark in front', [0xef, 0xbb, 0xbf], []],
    ['bytes that are no UTF-8', [], [0xff]],
  ])('rejects one with %s: the signature covers its bytes', async (_, front, end) => {
    const { host, processor } = makeHost();
    // A lenient parser would read the last byte as the signed one.
    const text = `{"id":"evt_1","type":"account.updated"}${end.length > 0 ? ' \ufffd' : ''}`;
    const { payload, headers } = processor.signEvent(text);
    const bytes = new TextEncoder().encode(payload.replace('\ufffd', ''));
    const answer = await host.request('/processor/events', {
      method: 'POST',
      headers: new Headers(Object.entries(headers).map(([name, value = '']) => [name, value])),
      body: new Uint8Array([...front, ...bytes, ...end]),
    });
    expect(answer.status).toBe(400);
  });

  it.each([
    [undefined, undefined],
    ['https://api.example', 'https://api.example/processor/events#abc'],
  ])('rejects an unsigned or oversized message, and another method: %s', async (url, instance) => {
    const { host } = makeHost(undefined, url);
    const headers = { 'x-request-id': 'abc' };
    const post = (body: string) =>
      host.request('/processor/events', { method: 'POST', headers, body });
    const answers = {
      400: await post('{}'),
      413: await post('x'.repeat(1024 * 1024 + 1)),
      405: await host.request('/processor/events', { headers }),
    };
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer.status).toBe(Number(status));
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(v.parse(problemSchema, await answer.json()).instance).toBe(instance);
    }
    expect(answers[405].headers.get('allow')).toBe('POST');
  });

  it('tells the observer the request id', async () => {
    const seen: (string | undefined)[] = [];
    const { host } = makeHost(({ requestId }) => seen.push(requestId));
    await host.request('/processor/events', {
      method: 'POST',
      headers: { 'x-request-id': 'abc' },
      body: '{}',
    });
    expect(new Set(seen)).toStrictEqual(new Set(['abc']));
  });

  it('tells the observer why a message that may be ours was ignored', async () => {
    const seen: Observation[] = [];
    const { host, processor } = makeHost((one) => seen.push(one));
    // The first is not ours for sure.
    for (const ignored of [{ id: 'evt_0' }, { id: 'evt_1', why: 'noAccount' }] as const) {
      processor.parseEvent = () => okAsync({ kind: 'ignored', ...ignored });
      const answer = await host.request('/processor/events', { method: 'POST', body: '{}' });
      expect(answer.status).toBe(200);
    }
    const failure = { name: 'parseEvent', outcome: 'noAccount', reference: 'evt_1' };
    expect(seen.filter(({ kind }) => kind === 'failure')).toMatchObject([failure]);
  });

  it('returns a problem if a port throws', async () => {
    const { host, clock } = makeHost();
    Object.assign(clock, {
      now: () => {
        throw new Error('the clock is broken');
      },
    });
    const answer = await host.request('/processor/events', { method: 'POST', body: '{}' });
    expect(answer.status).toBe(500);
  });
});

const auth = { subject: 'user-ada', barberId: 'ada' };

/** A payment that was declined, authorized, captured and refunded before any message arrived. */
async function unheard() {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const store = createMapStore();
  const chairside = createChairside({ clock, processor, store, rateLimits: 'off' });
  const processorAccount = { id: 'acct', currency: 'eur' };
  const put = await chairside.records.putBusiness({ id: 'shop', name: 'Shop', processorAccount });
  expect(put.isOk()).toBe(true);
  const appointmentId = await givenAppointment({ chairside }, { id: 'appointment' });
  const opening = { appointmentId, idempotencyKey: 'key' };
  const { id, clientSecret } = (
    await chairside.createContactlessPayment(auth, opening)
  )._unsafeUnwrap();
  for (const card of ['declined', 'visa_credit'] as const) {
    expect(processor.presentCard(clientSecret, card).isOk()).toBe(true);
  }
  const captured = await processor.capturePayment({
    account: 'acct',
    paymentId: id,
    installation: 'chairside',
    begunAt: clock.now(),
    amountMinor: 4500n,
    currency: 'eur',
    idempotencyKey: 'captured-elsewhere',
  });
  const { reference = '' } = captured._unsafeUnwrap();
  expect(processor.refund(reference, 500n).isOk()).toBe(true);
  return { id, chairside, store, messages: processor.takeEvents()._unsafeUnwrap() };
}

/** The final state after a log of messages. */
async function endOf(order: (messages: readonly RawEvent[]) => readonly RawEvent[]) {
  const { id, chairside, store, messages } = await unheard();
  for (const message of order(messages)) {
    expect((await chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
  }
  const told: string[] = [];
  const delivered = await chairside.events.deliver(async ({ type }) => {
    told.push(type.replace('contactlessPayment.', ''));
  });
  expect(delivered.isOk()).toBe(true);
  const payment = (await store.payments.get(id))._unsafeUnwrap();
  const ledger = (await store.ledgers.get('appointment'))._unsafeUnwrap();
  return { state: payment?.state, ledger, told: told.toSorted() };
}

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  return of.flatMap((one, index) =>
    permutations(of.toSpliced(index, 1)).map((others) => [one, ...others]),
  );
}

it('the messages of the processor lead to one state, in every order and any number', async () => {
  const { messages } = await unheard();
  const orders = permutations([...messages.keys()]);
  expect(orders.length).toBe(120);
  const expected = {
    state: 'captured',
    ledger: {
      appointmentId: 'appointment',
      capturedMinor: 4500n,
      reservedMinor: 0n,
      openPayments: 0,
      currency: 'eur',
    },
    told: ['authorized', 'captured', 'created', 'refunded'],
  };
  for (const order of orders) {
    const pick = (log: readonly RawEvent[]) => order.flatMap((index) => log[index] ?? []);
    expect(await endOf(pick)).toEqual(expected);
    // Each of them twice, the second time after all others.
    expect(await endOf((log) => [...pick(log), ...log])).toEqual(expected);
  }
  console.log(`${2 * orders.length} logs`);
});
