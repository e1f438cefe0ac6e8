import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyState, aPayment, card, entry, now } from '../../test/support.ts';
import { keyRetentionMs } from '../frame/record.ts';
import { hourMs, minuteMs } from '../values/time.ts';
import { followBooks, forReview, isOverdue } from './follow.ts';
import {
  authorizedLifetimeMs,
  endedByWordAt,
  isFinal,
  maxTimelineEntries,
  noted,
  type Payment,
  type ProcessorPayment,
  type TimelineEntry,
  transitions,
} from './payment.ts';

const later = now + minuteMs;
const look = (payment: Payment, seen: ProcessorPayment) =>
  followBooks(payment, seen, later, 'a test');

describe('observing', () => {
  it('moves through skipped states at once', () => {
    const seen = entry({
      status: 'captured',
      reference: 'pi_1',
      card,
      authorizedAt: now + 10,
      capturedAt: now + 20,
      capturedMinor: 4537n,
    });
    const work = { kind: 'capture', fence: 1, attempt: 1, leaseUntil: later } as const;
    const before = aPayment({ checks: 3, reserved: true, work, nextCheckAt: now });
    const { work: _done, ...kept } = before;
    expect(look(before, seen)).toEqual({
      passed: ['authorized', 'captured'],
      capturedMinor: 4537n,
      payment: {
        ...kept,
        state: 'captured',
        version: 3,
        reference: 'pi_1',
        card,
        authorizedAt: now + 10,
        capturedAt: now + 20,
        capturedMinor: 4537n,
        expiresAt: now + 10 + authorizedLifetimeMs,
        updatedAt: later,
        reserved: false,
        nextCheckAt: later + keyRetentionMs,
        checks: 0,
        timeline: [
          { at: later, what: 'authorized', cause: 'a test' },
          { at: later, what: 'captured', cause: 'a test' },
        ],
      },
    });
  });

  it('uses our clock, our amount and 48 hours if the books have none', () => {
    const { payment, capturedMinor } = look(aPayment(), entry({ status: 'captured' }));
    expect(payment).toMatchObject({
      authorizedAt: later,
      capturedAt: later,
      expiresAt: later + authorizedLifetimeMs,
    });
    expect(payment).not.toHaveProperty('card');
    expect(payment).not.toHaveProperty('reference');
    expect(payment).not.toHaveProperty('review');
    expect(capturedMinor).toBe(4537n);
  });

  it("keeps an authorization until the processor's deadline", () => {
    const captureBefore = later + 3 * hourMs;
    const { payment } = look(aPayment(), entry({ status: 'authorized', captureBefore }));
    expect(payment).toMatchObject({ expiresAt: captureBefore, nextCheckAt: later + hourMs });
  });

  it('leaves work and reservation unchanged on the way', () => {
    const work = { kind: 'open', fence: 1, attempt: 1, leaseUntil: later } as const;
    const before = aPayment({ work, reserved: true, nextCheckAt: now });
    for (const status of ['processing', 'failed'] as const) {
      expect(look(before, entry({ status })).payment).toMatchObject({
        state: status,
        work,
        reserved: true,
        nextCheckAt: now,
        expiresAt: before.expiresAt,
      });
    }
  });

  it('ends the work when it is canceled', () => {
    const work = {
      kind: 'cancel',
      cause: 'requested',
      fence: 1,
      attempt: 1,
      leaseUntil: 0,
    } as const;
    const { payment, passed } = look(aPayment({ work }), entry({ status: 'canceled' }));
    expect(payment.work).toBeUndefined();
    expect(payment).toMatchObject({ state: 'canceled', nextCheckAt: later + keyRetentionMs });
    expect(passed).toEqual(['canceled']);
  });

  it('changes only the reference when the state is the same', () => {
    const before = aPayment();
    expect(look(before, entry())).toEqual({ payment: before, passed: [] });
    expect(look(before, entry()).payment).toBe(before);
    const known = look(before, entry({ reference: 'pi_1' })).payment;
    expect(known).toEqual({ ...before, reference: 'pi_1' });
    expect(look(known, entry({ reference: 'pi_1' })).payment).toBe(known);
    expect(look(known, entry({ reference: 'pi_2' })).payment.reference).toBe('pi_2');
    expect(look(known, entry()).payment).toBe(known);
  });

  it('learns the card in the same state, unless its data was erased (D47)', () => {
    const seen = entry({ status: 'captured', card, reference: 'pi_2' });
    const before = aPayment({ state: 'captured' });
    expect(look(before, seen).payment).toEqual({ ...before, card, reference: 'pi_2' });
    const erased = aPayment({ state: 'captured', clientSecret: '' });
    expect(look(erased, seen).payment).toBe(erased);
  });

  it('is authorized no later than it was captured', () => {
    const seen = entry({ status: 'captured', at: later, capturedAt: now + 20 });
    expect(look(aPayment(), seen).payment.authorizedAt).toBe(now + 20);
  });

  it('keeps its review when it ends, except that it was unsettled', () => {
    const ended = (review: Payment['review'] & string) =>
      look(aPayment({ review }), entry({ status: 'canceled' })).payment.review;
    expect(ended('capturedAnotherAmount')).toBe('capturedAnotherAmount');
    expect(ended('unsettled')).toBeUndefined();
  });

  it('does not move back', () => {
    const before = aPayment({ state: 'processing' });
    expect(look(before, entry({ reference: 'pi_1' }))).toEqual({ payment: before, passed: [] });
  });

  it('marks for review another amount than the one asked for', () => {
    const seen = entry({ status: 'captured', capturedMinor: 4536n });
    const { payment, capturedMinor } = look(aPayment({ state: 'authorized' }), seen);
    expect(payment.review).toBe('capturedAnotherAmount');
    expect(capturedMinor).toBe(4536n);
  });

  it('marks for review the same number in another currency', () => {
    const seen = entry({ status: 'captured', currency: 'usd' });
    const { payment } = look(aPayment({ state: 'authorized' }), seen);
    expect(payment).toMatchObject({ state: 'captured', review: 'capturedAnotherAmount' });
  });

  it('corrects a payment that is canceled here and captured there, and marks it (D15)', () => {
    const seen = entry({ status: 'captured', capturedMinor: 1n });
    const seenAs = look(aPayment({ state: 'canceled', version: 7 }), seen);
    expect(seenAs).toMatchObject({ passed: ['captured'], capturedMinor: 1n });
    expect(seenAs.payment).toMatchObject({
      state: 'captured',
      version: 8,
      capturedAt: later,
      review: 'canceledHereCapturedThere',
    });
  });

  it('counts a partial authorization as failed, to be released at once', () => {
    const seen = entry({ status: 'authorized', authorizedMinor: 1n });
    expect(look(aPayment(), seen)).toMatchObject({
      passed: ['failed'],
      payment: { state: 'failed', nextCheckAt: later },
    });
  });

  it.each(['canceled', 'failed', 'authorized'] as const)(
    'marks a payment that is captured here and %s there, and leaves its state',
    (status) => {
      const before = aPayment({ state: 'captured', version: 7, review: 'capturedBeyondDue' });
      const marked = look(before, entry({ status }));
      expect(marked).toEqual({
        payment: { ...before, review: 'capturedHereCanceledThere', nextCheckAt: later },
        passed: [],
        reviewedAt: later,
      });
      const again = look(marked.payment, entry({ status }));
      expect(again).toEqual({ payment: marked.payment, passed: [] });
    },
  );

  const saidCaptured = aPayment({
    state: 'captured',
    version: 7,
    capturedAt: now,
    capturedMinor: 4500n,
    review: 'capturedBeyondDue',
    timeline: [{ at: now, what: 'captured', cause: 'word' }],
  });

  it('cancels what only a person said was captured, at the time of the reply, with a new review (D201)', () => {
    const seen = look(saidCaptured, entry({ status: 'canceled', at: later - 7 }));
    expect(seen).toMatchObject({ passed: ['canceled'], correctedAt: later - 7, reviewedAt: later });
    expect(seen.payment).toMatchObject({
      state: 'canceled',
      version: 8,
      review: 'capturedHereCanceledThere',
      // The day of the capture keeps its figures.
      capturedAt: now,
      capturedMinor: 4500n,
    });
    const again = look(seen.payment, entry({ status: 'captured', capturedAt: later }));
    expect(again).toMatchObject({ passed: ['captured'], capturedMinor: 4500n, correctedAt: later });
    const review = 'canceledHereCapturedThere';
    expect(again.payment).toMatchObject({ state: 'captured', capturedAt: now, review });
  });

  it('keeps a capture that was made after the processor had been asked', () => {
    const before = aPayment({ state: 'captured' });
    const seen = entry({ status: 'authorized' });
    const followed = followBooks(before, seen, later, 'a test', 'authorized');
    expect(followed).toEqual({ payment: before, passed: [] });
  });

  it('leaves what a person said was captured while the processor has not ended it', () => {
    const { payment } = look(saidCaptured, entry({ status: 'authorized' }));
    expect(payment).toBe(saidCaptured);
  });

  it('leaves the state of what the processor has confirmed', () => {
    const line = { at: later, what: 'confirmed', cause: 'reconcile' };
    const confirmed = { ...saidCaptured, timeline: [...saidCaptured.timeline, line] };
    expect(look(confirmed, entry({ status: 'canceled' })).payment.state).toBe('captured');
  });

  it('keeps the entry of what a person said, however many entries follow', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ at: index, what: 'x', cause: 'y' }));
    const first = many.slice(0, 40).reduce<readonly TimelineEntry[]>(noted, []);
    const kept = [...saidCaptured.timeline, ...many].reduce<readonly TimelineEntry[]>(noted, first);
    expect(kept).toHaveLength(64);
    expect(endedByWordAt({ ...saidCaptured, timeline: kept })).toBe(now);
    // Words alone are bounded too.
    const words = many.map((line) => ({ ...line, cause: 'word' }));
    expect(words.reduce<readonly TimelineEntry[]>(noted, [])).toHaveLength(64);
  });
});

describe('a deadline (D17)', () => {
  it.each<[string, Partial<Payment>, Partial<ProcessorPayment>]>([
    ["is the record's", {}, {}],
    ['follows from the time of opening', { expiresAt: 0 }, { openedAt: later - 15 * minuteMs }],
    ['is that of the authorization', { state: 'authorized' }, { status: 'authorized' }],
    [
      "is the processor's",
      { state: 'authorized', expiresAt: 0 },
      { status: 'authorized', captureBefore: later },
    ],
  ])('%s', (_, over, seen) => {
    const payment = aPayment({ expiresAt: later, ...over });
    expect(isOverdue(payment, entry(seen), later - 1)).toBe(false);
    expect(isOverdue(payment, entry(seen), later)).toBe(true);
  });
});

describe('any observations', () => {
  const anyEntry = fc
    .record(
      {
        status: anyState,
        reference: fc.constantFrom('pi_1', 'pi_2'),
        card: fc.constant(card),
        capturedMinor: fc.bigInt({ min: 0n, max: 9999n }),
        authorizedAt: fc.integer({ min: now, max: now + hourMs }),
        capturedAt: fc.integer({ min: now, max: now + hourMs }),
        captureBefore: fc.integer({ min: now, max: now + hourMs }),
      },
      { requiredKeys: ['status'] },
    )
    .map(entry);
  function seenInTurn(state: Payment['state'], entries: readonly ProcessorPayment[]) {
    let payment = aPayment({ state });
    return entries.map((seen, i) => {
      const from = payment;
      const { payment: to, passed } = followBooks(from, seen, now + i, 'a test');
      payment = to;
      return { from, seen, to, passed };
    });
  }

  it('never leave a final state, except for the one correction', () => {
    fc.assert(
      fc.property(anyState, fc.array(anyEntry, { maxLength: 20 }), (state, entries) => {
        for (const { from, seen, to } of seenInTurn(state, entries)) {
          const isCorrected = from.state === 'canceled' && seen.status === 'captured';
          if (isFinal(from) && !isCorrected) expect(to.state).toBe(from.state);
          if (isCorrected) expect(to.state).toBe('captured');
        }
      }),
    );
  });

  it('move only by D15, one version a step, and end in the state of the books', () => {
    fc.assert(
      fc.property(anyState, fc.array(anyEntry, { maxLength: 20 }), (state, entries) => {
        for (const { from, seen, to, passed } of seenInTurn(state, entries)) {
          expect(to.version).toBe(from.version + passed.length);
          expect(to.state === from.state).toBe(passed.length === 0);
          if (passed.length === 0) continue;
          expect(passed.at(-1)).toBe(seen.status);
          expect(to.state).toBe(seen.status);
          const before = [from.state, ...passed];
          if (from.state === 'canceled') continue;
          for (const [i, step] of passed.entries()) {
            const allowed = Object.entries(transitions).find(([name]) => name === before[i])?.[1];
            expect(allowed).toContain(step);
          }
        }
      }),
    );
  });

  it('have the same result when repeated', () => {
    fc.assert(
      fc.property(anyState, anyEntry, (state, seen) => {
        const { payment } = look(aPayment({ state }), seen);
        expect(look(payment, seen)).toEqual({ payment, passed: [] });
      }),
    );
  });

  it('count a captured amount once', () => {
    fc.assert(
      fc.property(anyState, fc.array(anyEntry, { maxLength: 20 }), (state, entries) => {
        const start = aPayment({ state });
        let payment = start;
        const captures = entries.filter((seen) => {
          const followed = look(payment, seen);
          payment = followed.payment;
          return followed.capturedMinor !== undefined;
        });
        const isNew = payment.state === 'captured' && start.state !== 'captured';
        expect(captures.length).toBe(isNew ? 1 : 0);
      }),
    );
  });
});

describe('a timeline', () => {
  const line = (i: number) => ({ at: now + i, what: `event ${i}`, cause: 'a test' });
  const lines = (count: number) => Array.from({ length: count }, (_, i) => line(i));

  it('keeps all entries at first, then its first and its latest half (D63)', () => {
    fc.assert(
      fc.property(fc.nat(300), (count) => {
        const none: readonly TimelineEntry[] = [];
        const timeline = lines(count).reduce(noted, none);
        const all = lines(count);
        const half = maxTimelineEntries / 2;
        const kept =
          count <= maxTimelineEntries ? all : [...all.slice(0, half), ...all.slice(-half)];
        expect(timeline).toEqual(kept);
        expect(timeline.length).toBeLessThanOrEqual(64);
      }),
    );
  });

  it('keeps what each person did last, in a bounded number of entries (D63, D211)', () => {
    const acts = Array.from({ length: 500 }, (_, i): readonly TimelineEntry[] => [
      { ...line(i), what: 'capturing', actor: 1 + (i % 2) },
      line(i),
    ]).flat();
    const none: readonly TimelineEntry[] = [];
    const timeline = acts.reduce(noted, none);
    expect(timeline).toHaveLength(maxTimelineEntries);
    expect(timeline.slice(0, 32)).toEqual(acts.slice(0, 32));
    const latest = timeline.slice(32).filter(({ what }) => what === 'capturing');
    for (const actor of [1, 2]) expect(latest.findLast((one) => one.actor === actor)).toBeDefined();
    const said = { ...line(0), cause: 'word' };
    expect(acts.reduce(noted, [...acts.slice(0, 40), said])).toContainEqual(said);
    const people = lines(65).map((one, actor) => ({ ...one, actor }));
    expect(people.reduce(noted, none)).toEqual(people);
  });

  it('keeps the first and the last line of each kind, because they decide what is done (D50, D202)', () => {
    const capturing = { ...line(40), what: 'capturing', actor: 1 };
    const rejected = { ...line(41), what: 'refund rejected' };
    const retries = Array.from({ length: 200 }, (_, i): readonly TimelineEntry[] => [
      { ...line(50 + i), what: 'capturing', actor: 1 },
      { ...line(50 + i), what: 'capture unknown' },
    ]).flat();
    const first = { ...line(0), what: 'refund rejected' };
    const timeline = [first, ...lines(40), capturing, rejected, ...retries].reduce<
      readonly TimelineEntry[]
    >(noted, []);
    expect(timeline).toHaveLength(maxTimelineEntries);
    expect(timeline.find(({ what }) => what === 'capturing')).toEqual(capturing);
    expect(timeline).toContainEqual(rejected);
    expect(timeline.slice(-2)).toEqual(retries.slice(-2));
  });

  it('leaves the original timeline unchanged', () => {
    const before = Object.freeze(lines(64));
    expect(noted(before, line(64))).toHaveLength(64);
    expect(before).toEqual(lines(64));
  });
});

describe('a review', () => {
  it('keeps the first reason', () => {
    const marked = forReview(aPayment(), 'capturedAnotherAmount');
    expect(marked.review).toBe('capturedAnotherAmount');
    expect(forReview(marked, 'capturedHereCanceledThere')).toBe(marked);
    const slow = forReview(aPayment(), 'unsettled');
    expect(forReview(slow, 'capturedHereCanceledThere').review).toBe('capturedHereCanceledThere');
  });
});
