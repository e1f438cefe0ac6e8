import type { PaymentState } from '@chairside/core';
import { isCounted, refundStates, transitions } from '@chairside/core/ports';
import {
  cards,
  createFakeProcessor,
  createMemoryStorage,
  type Entry,
  type FakeProcessor,
  type FakeStorage,
  faultKinds,
  type HistoryLine,
  isCardName,
} from '@chairside/fake-processor';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charge, setup, sweep, type TestClock, testClock, value } from './helpers.ts';

const cardNames = Object.keys(cards).filter(isCardName);

/** Storage for text only, as on a disk. It applies all changes or none. */
function createTextStorage(): FakeStorage {
  const texts = new Map<string, { readonly group: string | undefined; readonly json: string }>();
  const parse = (json: string | undefined) => (json === undefined ? undefined : JSON.parse(json));
  return {
    get: (collection, id) => parse(texts.get(`${collection} ${id}`)?.json),
    list: (collection, group) =>
      [...texts]
        .filter(([name, of]) => name.startsWith(`${collection} `) && (!group || of.group === group))
        .map(([, { json }]) => parse(json)),
    write(writes) {
      for (const { collection, id, group, record } of writes) {
        texts.set(`${collection} ${id}`, { group, json: JSON.stringify(record) });
      }
    },
  };
}

type Step = (fake: FakeProcessor, clock: TestClock) => unknown;

/** Held calls would need a release; all other faults may meet any call. */
const fault = fc.constantFrom(...faultKinds.filter((kind) => !kind.startsWith('slow')));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        call: fc.constantFrom('openPayment', 'capturePayment', 'cancelPayment'),
        met: fc.option(fault, { freq: 4, nil: undefined }),
        payment: fc.constantFrom('1', '2'),
        key: fc.nat(2),
        amountMinor: fc.oneof(
          { weight: 9, arbitrary: fc.constant(charge.amountMinor) },
          fc.constantFrom(0n, 1n, 99999n),
        ),
      })
      .map(
        ({ call, met, payment, key, amountMinor }): Step =>
          (fake) => {
            if (met !== undefined) fake.failNext(call, met);
            const idempotencyKey = `${call} ${payment} ${key}`;
            return fake[call]({
              ...charge,
              paymentId: `cpm_${payment}`,
              idempotencyKey,
              amountMinor,
            });
          },
      ),
  },
  {
    weight: 4,
    arbitrary: fc.record({ of: fc.nat(2), card: fc.constantFrom(...cardNames) }).map(
      ({ of, card }): Step =>
        (fake) =>
          fake.presentCard(fake.entries()[of]?.clientSecret ?? 'none', card),
    ),
  },
  fc.constant<Step>((fake) => fake.readPayment(charge)),
  fc.constant<Step>((fake) => fake.createConnectionToken(charge)),
  fc.constant<Step>((fake) => fake.listPayments({ ...sweep, limit: 1 })),
  fc.constant<Step>((fake) => fake.readReceipt(charge)),
  fc
    .record({ call: fc.constantFrom('refund', 'dispute'), of: fc.nat(2), amount: fc.nat(4537) })
    .map(
      ({ call, of, amount }): Step =>
        (fake) =>
          fake[call](fake.entries()[of]?.id ?? 'none', BigInt(amount)),
    ),
  fc.record({ of: fc.nat(2), amount: fc.nat(4537), key: fc.nat(1), isSlow: fc.boolean() }).map(
    ({ of, amount, key, isSlow }): Step =>
      (fake) => {
        fake.slowRefunds(isSlow);
        return fake.refunds.refund({
          ...charge,
          paymentId: `cpm_${of}`,
          refundId: `rfd_${key}`,
          amountMinor: BigInt(amount),
          returnsFee: false,
          reversesTransfer: true,
          idempotencyKey: `refund ${of} ${key}`,
        });
      },
  ),
  fc.record({ of: fc.nat(2), end: fc.constantFrom('captured', 'failed', undefined) }).map(
    ({ of, end }): Step =>
      async (fake) => {
        fake.slowCaptures(true);
        const idempotencyKey = `late ${of}`;
        const { id = 'none', paymentId = 'none' } = fake.entries()[of] ?? {};
        const request = { ...charge, paymentId, idempotencyKey };
        const sent = await fake.capturePayment(request);
        fake.slowCaptures(false);
        return [sent, end && fake.endCapture(id, end)];
      },
  ),
  {
    weight: 2,
    arbitrary: fc.record({ of: fc.nat(2), state: fc.constantFrom(...refundStates) }).map(
      ({ of, state }): Step =>
        (fake) => {
          const disputed = fake.dispute(fake.entries()[of]?.id ?? 'none', 1n);
          const { id = '', refunds = [], disputes = [] } = fake.entries()[of] ?? {};
          const isWon = state === 'succeeded';
          return [
            disputed,
            fake.endRefund(id, refunds.at(-1)?.id ?? 'none', state),
            fake.closeDispute(id, disputes[0]?.id ?? 'none', isWon ? 'won' : 'lost'),
          ];
        },
    ),
  },
  fc.nat(1).map(
    (key): Step =>
      (fake) =>
        fake.openSetup({ ...setup, idempotencyKey: `${key}` }),
  ),
  fc.constantFrom(...cardNames).map(
    (card): Step =>
      (fake) =>
        fake.completeSetup(fake.setups()[0]?.clientSecret ?? 'none', card),
  ),
  fc.nat(3).map(
    (limit): Step =>
      (fake) =>
        fake.takeEvents(limit),
  ),
  fc.constant<Step>((fake) => fake.landAbandoned()),
  fc.constantFrom(1_000, 60_000, 24 * 3_600_000).map(
    (ms): Step =>
      (_fake, clock) =>
        clock.advance(ms),
  ),
);
const steps = fc.array(step, { minLength: 5, maxLength: 60, size: 'max' });

/** All replies and records of a run. */
async function run(script: readonly Step[], fake: FakeProcessor, clock: TestClock) {
  const answers: unknown[] = [];
  for (const next of script) answers.push(await next(fake, clock));
  return {
    answers,
    entries: fake.entries(),
    setups: fake.setups(),
    events: value(fake.pendingEvents()),
  };
}

describe('determinism', () => {
  it('the same seed, clock and calls give the same replies and the same books', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.string(), async (script, seed) => {
        const runs = [1, 2].map(() => {
          const clock = testClock();
          return run(script, createFakeProcessor({ clock, seed }), clock);
        });
        const [first, second] = await Promise.all(runs);
        expect(first).toEqual(second);
      }),
    );
  });

  it('another seed gives other references, secrets and tokens', async () => {
    const clock = testClock();
    const texts = ['a', 'b'].map(async (seed) => {
      const fake = createFakeProcessor({ clock, seed });
      const opened = value(await fake.openPayment({ ...charge, idempotencyKey: 'k' }));
      const token = value(await fake.createConnectionToken(charge));
      return [opened.reference, opened.clientSecret, token.clientSecret];
    });
    const all = (await Promise.all(texts)).flat();
    expect(new Set(all).size).toBe(6);
    expect(all[1]).toMatch(/^fpi_[0-9a-f]{24}_secret_[0-9a-f]{24}$/);
  });
});

describe('under any faults', () => {
  it('no entry moves against D15, is captured twice, or above its authorization', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const clock = testClock();
        const { entries } = await run(script, createFakeProcessor({ clock }), clock);
        for (const entry of entries) {
          checkEntry(entry);
          for (const { what } of entry.history) seen.add(what);
        }
      }),
      { numRuns: 300 },
    );
    // Runs that never got that far would prove too little.
    expect([...seen].sort()).toEqual(Object.keys(reached).sort());
  });

  const reached: Readonly<Record<HistoryLine['what'], PaymentState>> = {
    opened: 'created',
    processing: 'processing',
    authorized: 'authorized',
    declined: 'failed',
    captured: 'captured',
    captureAccepted: 'authorized',
    captureFailed: 'authorized',
    canceled: 'canceled',
    canceledAtTerminal: 'canceled',
    expired: 'canceled',
    refunded: 'captured',
    refundChanged: 'captured',
    disputed: 'captured',
    disputeChanged: 'captured',
  };

  function checkEntry(entry: Entry): void {
    const states = entry.history.map(({ what }) => reached[what]);
    expect(states[0]).toBe('created');
    expect(states.at(-1)).toBe(entry.status);
    for (const [i, state] of states.slice(1).entries()) {
      const from = states[i] ?? 'created';
      // A payment that failed may fail again, a capture may fail, and a captured one be refunded.
      const stays = ['failed', 'authorized', 'captured'].includes(from) ? [from] : [];
      expect([...stays, ...transitions[from]]).toContain(state);
    }
    const { refunds = [], disputes = [] } = entry;
    for (const given of [refunds.filter(isCounted), disputes]) {
      const sum = given.reduce((total, { amount }) => total + Number(amount), 0);
      expect(sum).toBeLessThanOrEqual(Number(entry.amountCaptured) + 0.001);
    }
    const times = entry.history.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const [captured, authorized] = [entry.amountCaptured, entry.amountAuthorized ?? '0.00'];
    expect(Number(captured)).toBeLessThanOrEqual(Number(authorized));
    expect(captured !== '0.00').toBe(entry.status === 'captured');
  }
});

describe('durable storage', () => {
  it('continues after a restart without a difference', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const clock = testClock();
        const steady = createFakeProcessor({ clock });
        const first = await run(before, steady, clock);

        const keptClock = testClock();
        const storage = createTextStorage();
        const stopped = createFakeProcessor({ clock: keptClock, storage });
        expect(await run(before, stopped, keptClock)).toEqual(first);

        // Calls in transit are not stored.
        steady.landAbandoned();
        stopped.landAbandoned();
        const restarted = createFakeProcessor({ clock: keptClock, storage });
        expect(await run(after, restarted, keptClock)).toEqual(await run(after, steady, clock));
      }),
    );
  });

  it('contains only plain JSON', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const memory = createMemoryStorage();
        const write: FakeStorage['write'] = (writes) => {
          expect(JSON.parse(JSON.stringify(writes))).toEqual(writes);
          memory.write(writes);
        };
        const clock = testClock();
        await run(script, createFakeProcessor({ clock, storage: { ...memory, write } }), clock);
      }),
    );
  });

  it('shows amounts in the money of the interface', async () => {
    const fake = createFakeProcessor({ clock: testClock() });
    const { reference = '' } = value(await fake.openPayment({ ...charge, idempotencyKey: 'k' }));
    expect(fake.bookEntry(reference)).toEqual({
      id: reference,
      status: 'created',
      amount: '45.37',
      amountCaptured: '0.00',
    });
    expect(fake.bookEntry('fpi_none')).toBeUndefined();
  });
});
