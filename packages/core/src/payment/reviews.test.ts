import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { aPayment, aRefund, now, value } from '../../test/support.ts';
import type { Store } from '../ports/store.ts';
import { type Review, type ReviewReason, reviewId } from '../upkeep/review.ts';
import { okAsync, resultOf } from '../values/result.ts';
import { newReviews, openReview, orphanReview, refundReview } from './reviews.ts';
import { reviewChanges } from './write.ts';

/** The changes of a new entry. */
function opened(id: string, about: object, data: object, reason: ReviewReason) {
  const review = { id, version: 1, reason, account: 'acct_1', ...about, openedAt: now };
  const said = { reviewId: id, reason, account: 'acct_1', ...data };
  const event = { subject: id, version: 1, type: 'review.opened', occurredAt: now, data: said };
  return [
    { kind: 'insertReview', review },
    { kind: 'appendEvent', event },
  ];
}

describe('a review entry (D43)', () => {
  const reason = 'capturedAnotherAmount';

  it.each([
    [{}, {}],
    [{ reference: 'pi_1' }, { processorReference: 'pi_1' }],
  ])('of a payment names what is known: %o', (known, told) => {
    const after = aPayment({ ...known, review: reason, version: 3 });
    const id = reviewId(now, 'cpm_1', 3);
    const [about, data] = [{ paymentId: 'cpm_1' }, { contactlessPaymentId: 'cpm_1' }];
    const changes = opened(id, { ...about, ...known }, { ...data, ...told }, reason);
    expect(reviewChanges(aPayment(), after, now)).toStrictEqual(changes);
  });

  it.each([
    [{}, {}],
    [{ reference: 're_1' }, { processorReference: 're_1' }],
  ])('of a refund names what is known: %o', (known, told) => {
    const refund = { id: 'rfd_1', paymentId: 'cpm_1', account: 'acct_1', version: 3, ...known };
    const id = reviewId(now, 'rfd_1', 'refundedTwice', 3);
    const [about, data] = [{ paymentId: 'cpm_1' }, { contactlessPaymentId: 'cpm_1' }];
    expect(openReview(refundReview(aRefund(refund), 'refundedTwice', now))).toStrictEqual(
      opened(id, { ...about, ...known }, { ...data, ...told }, 'refundedTwice'),
    );
  });

  it.each([
    [{ paymentId: 'cpm_1' }, { contactlessPaymentId: 'cpm_1' }],
    [{ reference: 'pi_1' }, { processorReference: 'pi_1' }],
  ])('of an orphan names what is known: %o', (known, told) => {
    const id = reviewId(now, 'acct_1', Object.values(known)[0] ?? '', 'orphanCaptured');
    const review = orphanReview({ account: 'acct_1', openedAt: now, ...known }, 'orphanCaptured');
    expect(openReview(review)).toStrictEqual(opened(id, known, told, 'orphanCaptured'));
  });
});

describe('the entries of a sweep (D43)', () => {
  const found = (count: number, over: Partial<Review> = {}): Review[] =>
    Array.from({ length: count }, (_, index) => ({
      ...orphanReview(
        { account: 'acct_1', reference: `pi_${index}`, openedAt: now + index },
        'orphanCaptured',
      ),
      ...over,
    }));

  /** The entries that a sweep opens or counts, beside these entries. */
  async function entries(findings: readonly Review[], open: Review[], resolved: Review[] = []) {
    const all = [...open, ...resolved];
    const reviews: Partial<Store['reviews']> = {
      get: (id) => okAsync(all.find((review) => review.id === id)),
      listOpenOf: (account, reason) =>
        okAsync(open.filter((review) => review.account === account && review.reason === reason)),
    };
    const { ports } = testPorts();
    // cast: a sweep reads no other part of the reviews
    const store = { ...ports.store, reviews: reviews as Store['reviews'] };
    const changes = value(await resultOf(newReviews({ ...ports, store }, findings)));
    return changes.flatMap((change) => ('review' in change ? [change.review] : []));
  }

  it('are the 20 oldest findings, and one that counts the newer ones', async () => {
    const all = found(23);
    const made = await entries(all.toReversed(), []);
    expect(made.slice(0, 20)).toEqual(all.slice(0, 20));
    expect(made.slice(20)).toMatchObject([{ count: 3, openedAt: now + 22 }]);
  });

  it('are bounded for each account and reason', async () => {
    const other = found(1, { id: 'rev_1', account: 'acct_2', openedAt: now + 98 });
    const reason = found(1, {
      id: 'rev_2',
      reason: 'orphanNotCanceled',
      openedAt: now + 99,
    });
    const made = await entries([...found(21), ...other, ...reason], []);
    expect(made.filter(({ id }) => id === 'rev_1' || id === 'rev_2')).toEqual([
      ...other,
      ...reason,
    ]);
  });

  it('leave out a finding that has an entry', async () => {
    const [one, ...others] = found(2);
    expect(await entries(found(2), [...others], one === undefined ? [] : [one])).toEqual([]);
  });

  it('are one for each payment, until a person has resolved it', async () => {
    const returns = found(3, { paymentId: 'cpm_1', reference: 'pi_1' });
    const [first, second] = returns;
    expect(await entries(returns, [])).toEqual([first]);
    expect(await entries(returns.slice(1), returns.slice(0, 1))).toEqual([]);
    expect(await entries(returns.slice(1), [], returns.slice(0, 1))).toEqual([second]);
    for (const about of [{ paymentId: 'cpm_1' }, { reference: 'pi_1' }]) {
      const others = found(2, about);
      expect(await entries(others, [])).toEqual(others);
    }
  });

  it('have a place again once a person resolved one of 20', async () => {
    const folded = found(1, { id: 'rev_folded', count: 7 });
    const next = found(24).slice(-1);
    expect(await entries(next, [...found(19), ...folded])).toEqual(next);
    expect(await entries(next, [...found(20), ...folded])).toMatchObject([
      { id: 'rev_folded', version: 2, count: 8, openedAt: now + 23 },
    ]);
  });

  it('do not count a payment again', async () => {
    const folded = found(1, { id: 'rev_folded', count: 7, openedAt: now + 23 });
    expect(await entries(found(24).slice(-1), [...found(20), ...folded])).toEqual([]);
  });

  it('do not open a folded one again that a person has resolved', async () => {
    const next = found(24).slice(-1);
    const [folded] = await entries(next, found(20));
    expect(folded).toMatchObject({ count: 1 });
    const resolved = found(1, { id: folded?.id ?? '' });
    expect(await entries(next, found(20), resolved)).toEqual([]);
  });
});
