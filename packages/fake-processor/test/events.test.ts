import { createHmac } from 'node:crypto';
import { formatTimestamp, hourMs, minuteMs, secondMs } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import {
  approvalDelayMs,
  createFakeProcessor,
  createMemoryStorage,
  type FakeProcessor,
  type FakeStorage,
  holdMs,
  outboxCapacity,
  signatureHeader,
  signatureToleranceMs,
} from '@chairside/fake-processor';
import { describe, expect, it } from 'vitest';
import {
  authorizePayment,
  capturePayment,
  charge,
  handle,
  openPayment,
  problem,
  setUp,
  setup,
  startAt,
  testClock,
  told,
  value,
} from './helpers.ts';

const types = (events: readonly RawEvent[]) => told(events).map(({ type }) => type);
const take = (fake: FakeProcessor, limit?: number) => value(fake.takeEvents(limit));

describe('the events of a payment', () => {
  it('are one for each line of its history, in the order of writing', async () => {
    const { fake, clock } = setUp();
    const { clientSecret } = await openPayment(fake);
    clock.advance(secondMs);
    value(fake.presentCard(clientSecret, 'declined'));
    value(fake.presentCard(clientSecret, 'visa_credit'));
    value(await fake.cancelPayment({ ...handle, idempotencyKey: 'cancel' }));
    const events = told(take(fake));
    expect(events.map(({ type }) => type)).toEqual([
      'payment.opened',
      'payment.declined',
      'payment.authorized',
      'payment.canceled',
    ]);
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^fev_[0-9a-f]{24}$/),
      type: 'payment.opened',
      occurredAt: formatTimestamp(startAt),
      paymentId: 'cpm_1',
      installation: 'shop',
      account: 'acct_1',
      reference: expect.stringMatching(/^fpi_/),
    });
    expect(events[1]?.['occurredAt']).toBe(formatTimestamp(startAt + secondMs));
  });

  it('are not added by a replay, a rejection or a read', async () => {
    const { fake } = setUp();
    await capturePayment(fake);
    take(fake);
    value(await fake.capturePayment({ ...charge, idempotencyKey: 'capture_1' }));
    problem(await fake.capturePayment({ ...charge, idempotencyKey: 'other' }));
    problem(await fake.cancelPayment({ ...handle, idempotencyKey: 'cancel' }));
    value(await fake.readPayment(handle));
    expect(take(fake)).toEqual([]);
  });

  it('are added for a change whose reply was lost, but not by the lost call', async () => {
    const { fake } = setUp();
    fake.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await fake.openPayment({ ...charge, idempotencyKey: 'a' }));
    expect(take(fake)).toEqual([]);
    fake.failNext('openPayment', 'lostReply');
    problem(await fake.openPayment({ ...charge, idempotencyKey: 'a' }));
    expect(types(take(fake))).toEqual(['payment.opened']);
  });

  it.each([
    ['slow_to_approve', approvalDelayMs, 'payment.authorized'],
    ['expires_soon', minuteMs, 'payment.expired'],
    ['visa_credit', holdMs, 'payment.expired'],
  ] as const)(
    'include changes that time made to %s, even without a read',
    async (card, after, type) => {
      const { fake, clock } = setUp();
      await authorizePayment(fake, card);
      take(fake);
      clock.advance(after - 1);
      expect(take(fake)).toEqual([]);
      clock.advance(1);
      expect(types(take(fake))).toEqual([type]);
      expect(take(fake)).toEqual([]);
    },
  );

  it('include a change by time once, and the earlier one first', async () => {
    const { fake, clock } = setUp();
    take(fake);
    for (const [paymentId, card] of [
      ['cpm_2', 'expires_soon'],
      ['cpm_1', 'slow_to_approve'],
      ['cpm_3', 'expires_soon'],
    ] as const) {
      const request = { ...charge, paymentId, idempotencyKey: paymentId };
      const { clientSecret } = value(await fake.openPayment(request));
      value(fake.presentCard(clientSecret, card));
    }
    const cancel = { ...handle, paymentId: 'cpm_3', idempotencyKey: 'cancel' };
    value(await fake.cancelPayment(cancel));
    take(fake);
    clock.advance(2 * minuteMs);
    expect(told(take(fake)).map(({ type, paymentId }) => [type, paymentId])).toEqual([
      ['payment.authorized', 'cpm_1'],
      ['payment.expired', 'cpm_2'],
    ]);
  });

  it('are not searched in settled payments', async () => {
    const memory = createMemoryStorage();
    let reads = 0;
    const get: FakeStorage['get'] = (collection, id) => {
      if (collection === 'payments') reads += 1;
      return memory.get(collection, id);
    };
    const { fake, clock } = setUp({ storage: { ...memory, get } });
    await authorizePayment(fake, 'expires_soon');
    clock.advance(minuteMs);
    expect(types(take(fake)).at(-1)).toBe('payment.expired');
    reads = 0;
    clock.advance(holdMs);
    expect(take(fake)).toEqual([]);
    expect(reads).toBe(0);
  });

  it('do not exist for setups', async () => {
    const { fake } = setUp();
    value(fake.completeSetup(value(await fake.openSetup(setup)).clientSecret));
    expect(take(fake)).toEqual([]);
  });

  it('contain no secret and no card', async () => {
    const { fake } = setUp();
    const { clientSecret, reference } = await capturePayment(fake);
    value(fake.refund(reference, 1n));
    const text = JSON.stringify(take(fake).map(({ payload }) => payload));
    for (const secret of [clientSecret, clientSecret.split('_secret_')[1] ?? '']) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/4242|\d{12}|network/);
  });
});

describe('refunds and disputes', () => {
  it.each([
    ['refund', 'refunded'],
    ['dispute', 'disputed'],
  ] as const)('a %s adds a line and an event, and keeps the status', async (kind, what) => {
    const { fake, clock } = setUp();
    const { reference } = await capturePayment(fake);
    const before = value(await fake.readPayment(handle));
    take(fake);
    clock.advance(minuteMs);
    const subject = expect.stringMatching(/^fre_/);
    const line = { at: startAt + minuteMs, what, amount: '10.00', subject, booked: '-10.00' };
    expect(value(fake[kind](reference, 1000n))).toMatchObject(line);
    expect(fake.entries()[0]?.history.at(-1)).toMatchObject(line);
    expect(value(await fake.readPayment(handle))).toEqual({ ...before, at: clock.now() });
    const [event] = take(fake);
    if (event === undefined) throw new Error('no event');
    expect(value(await fake.parseEvent(event, clock.now()))).toEqual({
      id: expect.stringMatching(/^fev_/),
      kind,
      subject: expect.stringMatching(/^fre_/),
      paymentId: 'cpm_1',
      installation: 'shop',
      account: 'acct_1',
      reference,
      amountMinor: 1000n,
      ...(kind === 'dispute' && {
        dispute: {
          state: 'open',
          reason: 'fraudulent',
          currency: 'usd',
          isRefundable: false,
          bookings: [{ amountMinor: -1000n, at: startAt + minuteMs }],
          at: startAt + minuteMs,
          respondBy: startAt + minuteMs + 7 * 24 * hourMs,
        },
      }),
    });
  });

  it('are limited to the captured amount, each separately', async () => {
    const { fake } = setUp();
    const { reference } = await capturePayment(fake);
    const tooMuch = { kind: 'amountOutOfRange' };
    for (const call of ['refund', 'dispute'] as const) {
      for (const amount of [0n, -1n, 4538n]) {
        expect(problem(fake[call](reference, amount))).toEqual(tooMuch);
      }
      value(fake[call](reference, 4000n));
      expect(problem(fake[call](reference, 538n))).toEqual(tooMuch);
      value(fake[call](reference, 537n));
      expect(problem(fake[call](reference, 1n))).toEqual(tooMuch);
    }
  });

  it('need a captured payment', async () => {
    const { fake } = setUp();
    const { reference } = await authorizePayment(fake);
    for (const call of ['refund', 'dispute'] as const) {
      expect(problem(fake[call](reference, 1n))).toEqual({
        kind: 'notCaptured',
        status: 'authorized',
      });
      expect(problem(fake[call]('fpi_none', 1n))).toEqual({ kind: 'unknownReference' });
    }
  });
});

describe('the outbox', () => {
  it('shows pending events until they are taken, up to the limit, oldest first', async () => {
    const { fake } = setUp();
    await capturePayment(fake);
    const pending = value(fake.pendingEvents());
    expect(types(pending)).toEqual(['payment.opened', 'payment.authorized', 'payment.captured']);
    expect(value(fake.pendingEvents(1))).toEqual(pending.slice(0, 1));
    expect(take(fake, 0)).toEqual([]);
    expect(take(fake, -1)).toEqual([]);
    expect(take(fake, 2)).toEqual(pending.slice(0, 2));
    expect(value(fake.pendingEvents())).toEqual(pending.slice(2));
    expect(take(fake)).toEqual(pending.slice(2));
    expect(take(fake)).toEqual([]);
  });

  it('is stored with the books, and so are due times', async () => {
    const storage = createMemoryStorage();
    const clock = testClock();
    const first = createFakeProcessor({ clock, storage });
    await authorizePayment(first, 'slow_to_approve');
    take(first, 1);
    clock.advance(approvalDelayMs);
    const second = createFakeProcessor({ clock, storage });
    expect(types(take(second))).toEqual(['payment.processing', 'payment.authorized']);
  });

  it('holds up to its capacity; then the oldest are lost', async () => {
    const { fake } = setUp();
    for (let i = 0; i < outboxCapacity + 2; i += 1) {
      const idempotencyKey = `${i}`;
      value(await fake.openPayment({ ...charge, paymentId: `cpm_${i}`, idempotencyKey }));
    }
    const ids = told(value(fake.pendingEvents())).map(({ paymentId }) => paymentId);
    expect(ids).toHaveLength(outboxCapacity);
    expect([ids[0], ids.at(-1)]).toEqual(['cpm_2', `cpm_${outboxCapacity + 1}`]);
    expect(told(take(fake, 1))).toMatchObject([{ paymentId: 'cpm_2' }]);
    expect(take(fake)).toHaveLength(outboxCapacity - 1);
    expect(take(fake)).toEqual([]);
  });
});

describe('signatures', () => {
  const secret = 'shh_of_the_tests';
  const signedBy = (key: string, payload: string, at: number): RawEvent => {
    const t = Math.floor(at / secondMs);
    const v1 = createHmac('sha256', key).update(`${t}.${payload}`).digest('hex');
    return { payload, headers: { [signatureHeader]: `t=${t},v1=${v1}` } };
  };
  const unknown = '{"id":"evt_1","type":"customer.created"}';
  const ignored = { id: 'evt_1', kind: 'ignored' };
  const rejects = async (fake: FakeProcessor, event: RawEvent, reason: string, at = startAt) =>
    expect(problem(await fake.parseEvent(event, at))).toEqual({ kind: 'rejected', reason });

  it('follow the documented scheme, at the time of taking', async () => {
    const { fake, clock } = setUp({ webhookSecret: secret });
    await openPayment(fake);
    clock.advance(10 * minuteMs + 1);
    const [pending] = value(fake.pendingEvents());
    if (pending === undefined) throw new Error('no event');
    expect(pending).toEqual(signedBy(secret, pending.payload, startAt + 10 * minuteMs));
    clock.advance(10 * minuteMs);
    const [taken] = take(fake);
    expect(taken).toEqual(signedBy(secret, pending.payload, startAt + 20 * minuteMs));
    expect(fake.signEvent(pending.payload)).toEqual(taken);
    expect(signatureHeader).toBe('fake-signature');
  });

  it('are valid for five minutes in both directions', async () => {
    const { fake, clock } = setUp({ webhookSecret: secret });
    const event = signedBy(secret, unknown, startAt);
    // The caller states the time, not the fake's own clock.
    clock.advance(10 * minuteMs);
    expect(signatureToleranceMs).toBe(5 * minuteMs);
    for (const age of [-5 * minuteMs, 0, 5 * minuteMs]) {
      expect(value(await fake.parseEvent(event, startAt + age))).toEqual(ignored);
    }
    for (const age of [-5 * minuteMs - 1, 5 * minuteMs + 1]) {
      await rejects(fake, event, 'staleSignature', startAt + age);
    }
  });

  it('derive from the seed without a secret', async () => {
    const { fake } = setUp({ seed: 'a' });
    const event = fake.signEvent(unknown);
    expect(value(await setUp({ seed: 'a' }).fake.parseEvent(event, startAt))).toEqual(ignored);
    await rejects(setUp({ seed: 'b' }).fake, event, 'badSignature');
    expect(fake.signEvent(unknown)).not.toEqual(setUp({ seed: 'b' }).fake.signEvent(unknown));
  });

  it('cover the text and the time, to the last byte', async () => {
    const { fake } = setUp({ webhookSecret: secret });
    const { payload, headers } = signedBy(secret, unknown, startAt);
    const header = headers[signatureHeader] ?? '';
    for (let i = 0; i < payload.length; i += 1) {
      const tampered = `${payload.slice(0, i)}~${payload.slice(i + 1)}`;
      await rejects(fake, { payload: tampered, headers }, 'badSignature');
    }
    for (let i = 0; i < header.length; i += 1) {
      const other = header[i] === '0' ? '1' : '0';
      const tampered = `${header.slice(0, i)}${other}${header.slice(i + 1)}`;
      await rejects(fake, { payload, headers: { [signatureHeader]: tampered } }, 'badSignature');
    }
  });

  it.each([
    undefined,
    '',
    't=,v1=',
    't=1',
    `v1=${'0'.repeat(64)}`,
    `t=${startAt / secondMs},v1=`,
    `t=${startAt / secondMs},v1=${'0'.repeat(64)}`,
    't=NaN,v1=undefined',
  ])('are rejected as %s', async (header) => {
    const { fake } = setUp();
    await rejects(
      fake,
      { payload: unknown, headers: { [signatureHeader]: header } },
      'badSignature',
    );
    await rejects(fake, { payload: unknown, headers: {} }, 'badSignature');
  });

  it('must have the exact length and lower case', async () => {
    const { fake } = setUp({ webhookSecret: secret });
    const { payload, headers } = signedBy(secret, unknown, startAt);
    const header = headers[signatureHeader] ?? '';
    for (const spoiled of [`${header}0`, header.slice(0, -1), header.toUpperCase(), ` ${header}`]) {
      await rejects(fake, { payload, headers: { [signatureHeader]: spoiled } }, 'badSignature');
    }
  });

  it('are checked first: unsigned and old messages are not even read', async () => {
    const { fake } = setUp({ webhookSecret: secret });
    await rejects(fake, signedBy('other', '{', startAt - 10 * minuteMs), 'badSignature');
    await rejects(fake, signedBy(secret, '{', startAt - 10 * minuteMs), 'staleSignature');
    await rejects(fake, signedBy(secret, '{', startAt), 'malformedEvent');
  });
});

describe('reading an event', () => {
  const parse = async (fake: FakeProcessor, message: object | string) => {
    const payload = typeof message === 'string' ? message : JSON.stringify(message);
    return fake.parseEvent(fake.signEvent(payload), startAt);
  };
  const about = { paymentId: 'cpm_1', installation: 'shop', account: 'acct_1' };
  const payment = { id: 'e', type: 'payment.captured', ...about };
  const subject = 'fre_1';
  const refund = {
    ...payment,
    type: 'payment.refunded',
    subject,
    reference: 'fpi_1',
    amount: '10.00',
  };

  it('returns the payment that it is about', async () => {
    const { fake } = setUp();
    expect(value(await parse(fake, payment))).toEqual({ id: 'e', kind: 'payment', ...about });
    for (const [type, kind] of [
      ['payment.refunded', 'refund'],
      ['payment.disputed', 'dispute'],
    ]) {
      expect(value(await parse(fake, { ...refund, type }))).toEqual({
        id: 'e',
        kind,
        subject,
        ...about,
        reference: 'fpi_1',
        amountMinor: 1000n,
      });
    }
  });

  it.each(['payment.unheardOf', 'refunded', 'payment.', 'toString', 'payment.toString'])(
    'ignores the type %s',
    async (type) => {
      const { fake } = setUp();
      expect(value(await parse(fake, { id: 'e', type }))).toEqual({ id: 'e', kind: 'ignored' });
    },
  );

  it.each([
    '',
    '{',
    'null',
    '7',
    '"text"',
    '[]',
    '{}',
    { ...payment, id: undefined },
    { ...payment, id: '' },
    { ...payment, id: 7 },
    { ...payment, type: undefined },
    { ...payment, paymentId: undefined },
    { ...payment, installation: {} },
    { ...payment, account: undefined },
    { ...refund, reference: undefined },
    { ...refund, subject: undefined },
    { ...refund, amount: undefined },
    { ...refund, amount: 10 },
    { ...refund, amount: '10' },
    { ...refund, amount: '0.00' },
    { ...refund, amount: '-1.00' },
    { ...refund, amount: '99999999999999.99' },
  ])('rejects %o', async (message) => {
    const { fake } = setUp();
    expect(problem(await parse(fake, message))).toEqual({
      kind: 'rejected',
      reason: 'malformedEvent',
    });
  });

  it('returns the same id at any time of taking, and a separate one for each line', async () => {
    const { fake, clock } = setUp();
    const { reference } = await capturePayment(fake);
    // Two refunds of one amount are two events.
    value(fake.refund(reference, 100n));
    value(fake.refund(reference, 100n));
    const ids = () => told(value(fake.pendingEvents())).map(({ id }) => id);
    const first = ids();
    clock.advance(minuteMs);
    expect(ids()).toEqual(first);
    expect(new Set(first).size).toBe(5);
  });
});
