import { minuteMs } from '@chairside/core';
import {
  cardMustBePresent,
  type ListRequest,
  type PaymentHandle,
  type ProcessorDisputes,
  type RefundPaymentRequest,
} from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import {
  type Authorized,
  amountMinor,
  booksOf,
  type Case,
  listedReturns,
  need,
  problem,
  rejected,
  type Suite,
  value,
} from './suite.ts';

/** Refunds of captured payments (D44). */
export function refundsContract(suite: Suite): void {
  const { authorize, open, captured, refundOf } = suite;
  const it = suite.itNeeds('refunds');

  const ask = (request: RefundPaymentRequest) => suite.processor().refunds.refund(request);
  const refund = (payment: PaymentHandle, more?: Partial<RefundPaymentRequest>) =>
    ask(refundOf(payment, more));
  const list = (payment: PaymentHandle) => value(suite.processor().refunds.list(payment));

  describe('refunds', () => {
    it('give parts of a captured payment back, each with our mark', async () => {
      const payment = await captured();
      expect(await list(payment)).toEqual([]);
      const first = refundOf(payment);
      const second = refundOf(payment, { amountMinor: amountMinor - 1003n });
      const shown = [];
      for (const one of [first, second]) {
        const made = await value(ask(one));
        expect(made).toMatchObject({
          reference: expect.any(String),
          refundId: one.refundId,
          state: expect.stringMatching(/^(pending|succeeded)$/),
          amountMinor: one.amountMinor,
          currency: suite.account().currency,
        });
        shown.push(made);
      }
      const listed = await list(payment);
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining(shown));
    });

    it('are two for two keys, even if they give back the same amount', async () => {
      const [payment, other] = [await captured(), await captured()];
      const [first, second] = [await value(refund(payment)), await value(refund(payment))];
      const elsewhere = await value(refund(other));
      expect(new Set([first, second, elsewhere].map(({ reference }) => reference)).size).toBe(3);
      const listed = await list(payment);
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([first, second]));
    });

    it('reject a key that was used with other parameters', async () => {
      suite.needs('keysCoverParameters');
      const payment = await captured();
      const asked = refundOf(payment);
      await value(ask(asked));
      expect(await problem(ask({ ...asked, amountMinor: 500n }))).toEqual(rejected);
      expect(await list(payment)).toHaveLength(1);
    });

    it('are never reported in another currency', async () => {
      const payment = await captured();
      const currency = suite.account().currency === 'eur' ? 'usd' : 'eur';
      expect(await problem(refund(payment, { currency }))).toEqual(rejected);
      expect(await list(payment)).toEqual([]);
    });

    it('are all listed where a page does not hold them', async () => {
      const { refundsPerPage = 10 } = suite.harness();
      const [first, many, last] = [await captured(), await captured(), await captured()];
      const madeFrom = suite.harness().clock.now() - 10_000;
      const make = (payment: PaymentHandle) => value(refund(payment, { amountMinor: 1n }));
      await make(first);
      const made = [];
      for (let count = 0; count <= refundsPerPage; count += 1) made.push(await make(many));
      await make(last);
      const references = made.map(({ reference }) => reference).sort();
      const listed = await list(many);
      expect(listed.map(({ reference }) => reference).sort()).toEqual(references);
      const asked = { ...recently(suite, many), openedFrom: madeFrom, limit: 3 };
      const recent = await listedReturns(suite.processor().refunds, asked);
      const all = [first, last, ...made.map(() => many)].map(({ paymentId }) => paymentId);
      expect(recent.map(({ paymentId }) => paymentId).sort()).toEqual(all.sort());
      const times = recent.map(({ openedAt }) => openedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    it('are listed oldest first, although the older payment was refunded later', async () => {
      const payments = [await captured(), await captured(), await captured()];
      for (const payment of payments.toReversed()) {
        await suite.able('advance')(minuteMs);
        await value(refund(payment));
      }
      for (const limit of [1, 10]) {
        const listed = await listedReturns(suite.processor().refunds, suite.recent({ limit }));
        expect(listed.map(({ paymentId }) => paymentId)).toEqual(
          payments.map(({ paymentId }) => paymentId).toReversed(),
        );
      }
    });

    it('give no more back than was captured', async () => {
      const payment = await captured();
      const tooMuch = refundOf(payment, { amountMinor: amountMinor + 1n });
      expect(await problem(ask(tooMuch))).toEqual(rejected);
      await value(refund(payment, { amountMinor }));
      expect(await problem(refund(payment))).toEqual(rejected);
      expect(await list(payment)).toHaveLength(1);
    });

    it('may end later, and give nothing back if they fail', async () => {
      const payment = await captured();
      const asked = refundOf(payment, { amountMinor });
      const made = await value(ask(asked));
      const end = (state: 'succeeded' | 'failed') =>
        suite.able('endRefund')(payment.reference, made.reference, state);
      if (made.state === 'pending') await end('succeeded');
      const shown = { reference: made.reference, refundId: asked.refundId, amountMinor };
      const [ended, ...others] = await list(payment);
      expect(ended).toMatchObject({ ...shown, state: 'succeeded' });
      expect(ended).not.toHaveProperty('failure');
      expect(others).toEqual([]);
      const before = await suite.told();
      await end('failed');
      expect(await list(payment)).toMatchObject([{ ...shown, state: 'failed' }]);
      if (suite.harness().events !== undefined) {
        // Another message of the same refund: one that was known by its id would be dropped.
        const about = { kind: 'refund', paymentId: payment.paymentId, amountMinor };
        const told = (await suite.told()).filter(({ kind }) => kind === 'refund');
        expect(told).toContainEqual(expect.objectContaining({ ...about, subject: made.reference }));
        const known = before.map(({ id }) => id);
        expect(told.filter(({ id }) => known.includes(id))).toEqual([]);
      }
      // The money is back, so it can be refunded again; a transfer stays reversed.
      const again = await value(refund(payment, { amountMinor, reversesTransfer: false }));
      expect(again.reference).not.toBe(made.reference);
      expect(await list(payment)).toHaveLength(2);
    });

    it('state why they failed, and nothing before', async () => {
      suite.needs('refundFailure');
      const payment = await captured();
      const { reference } = await value(refund(payment));
      expect((await list(payment))[0]).not.toHaveProperty('failure');
      await suite.able('endRefund')(payment.reference, reference, 'failed');
      expect(await list(payment)).toMatchObject([
        { reference, state: 'failed', failure: expect.stringMatching(/./) },
      ]);
    });

    it('end one by one', async () => {
      const payment = await captured();
      const made = [];
      for (const amountMinor of [1003n, 500n]) {
        const { reference, state } = await value(refund(payment, { amountMinor }));
        made.push({ reference, amountMinor });
        if (state === 'pending') {
          await suite.able('endRefund')(payment.reference, reference, 'succeeded');
        }
      }
      const [first, second] = made;
      await suite.able('endRefund')(payment.reference, first?.reference ?? '', 'failed');
      const listed = await list(payment);
      expect(listed).toHaveLength(2);
      expect(listed).toContainEqual(expect.objectContaining({ ...first, state: 'failed' }));
      expect(listed).toContainEqual(expect.objectContaining({ ...second, state: 'succeeded' }));
    });

    it('say so if the card must be present again', async () => {
      suite.needs('approveInterac');
      const opened = await open();
      const reference = await suite.harness().present(opened.clientSecret, 'approveInterac');
      const payment = { ...opened, reference };
      await value(suite.capture(payment));
      const refused = await problem(refund(payment));
      expect(refused).toEqual({ kind: 'rejected', reason: cardMustBePresent });
      expect(await list(payment)).toEqual([]);
    });

    it('need a captured payment', async () => {
      for (const payment of [await authorize(), await open()]) {
        expect(await problem(refund(payment))).toMatchObject({
          kind: expect.stringMatching(/^(rejected|unavailable)$/),
        });
        expect(await list(payment)).toEqual([]);
      }
    });

    it('are listed with those that were made elsewhere', async () => {
      const payment = await captured();
      await suite.able('refund')(payment.reference, 500n);
      const listed = await list(payment);
      const state = expect.stringMatching(/^(pending|succeeded)$/);
      expect(listed).toMatchObject([{ amountMinor: 500n, state }]);
      expect(listed[0]).not.toHaveProperty('refundId');
    });

    it('are found by the span in which they were made', async () => {
      const payments = [await captured(), await captured()] as const;
      await captured();
      await value(refund(payments[0]));
      await suite.able('refund')(payments[1].reference, 500n);
      await expectFoundBySpan(suite, suite.processor().refunds, payments);
    });

    listedContract(suite, it, 'refunds', (payment) => value(refund(payment)));
  });
}

/** Disputes of captured payments (D45). */
export function disputesContract(suite: Suite): void {
  const { captured } = suite;
  const it = suite.itNeeds('disputes', 'dispute');

  const list = (payment: PaymentHandle) => value(suite.processor().disputes.list(payment));

  const contest = ({ reference }: { readonly reference: string }, amountMinor: bigint) =>
    suite.able('dispute')(reference, amountMinor);

  const only = async (payment: PaymentHandle) => {
    const [dispute, ...others] = await list(payment);
    expect(others).toEqual([]);
    return need('dispute', dispute);
  };
  /** What the processor has taken for the payment's one dispute, and has not given back. */
  const withheld = async (payment: Authorized) =>
    (await only(payment)).bookings.reduce((sum, one) => sum - one.amountMinor, 0n);
  const end = async (payment: Authorized, state: 'won' | 'lost') => {
    const dispute = await only(payment);
    await suite.able('closeDispute')(payment.reference, dispute.reference, state);
    return dispute;
  };

  describe('disputes', () => {
    it('are listed with their amount, in the currency of the payment', async () => {
      const payment = await captured();
      expect(await list(payment)).toEqual([]);
      await contest(payment, 1003n);
      expect(await list(payment)).toMatchObject([
        {
          reference: expect.stringMatching(/./),
          state: 'open',
          amountMinor: 1003n,
          currency: suite.account().currency,
        },
      ]);
      expect(await list(await captured())).toEqual([]);
    });

    it('have ids that no dispute of another payment has', async () => {
      const references = new Set<string>();
      for (const payment of [await captured(), await captured()]) {
        await contest(payment, 1003n);
        for (const { reference } of await list(payment)) references.add(reference);
      }
      expect(references.size).toBe(2);
    });

    it('are closed one by one', async () => {
      const payment = await captured();
      for (const amountMinor of [1003n, 500n]) await contest(payment, amountMinor);
      const [first, ...none] = (await list(payment)).filter((one) => one.amountMinor === 1003n);
      expect(none).toEqual([]);
      await suite.able('closeDispute')(payment.reference, first?.reference ?? '', 'won');
      const after = await list(payment);
      const states = after.map((one) => `${one.amountMinor} ${one.state}`);
      expect(states.sort()).toEqual(['1003 won', '500 open']);
    });

    it('withhold their amount until they are won', async () => {
      suite.needs('closeDispute');
      const payment = await captured();
      await contest(payment, 1003n);
      expect(await withheld(payment)).toBe(1003n);
      await end(payment, 'won');
      expect(await withheld(payment)).toBe(0n);
      expect((await only(payment)).state).toBe('won');
    });

    it('withhold nothing as an inquiry, and leave the payment refundable', async () => {
      const payment = await captured();
      await suite.able('inquire')(payment.reference, 1003n);
      const inquiry = await only(payment);
      expect(inquiry).toMatchObject({ state: 'open', amountMinor: 1003n, isRefundable: true });
      expect(await withheld(payment)).toBe(0n);
      const { withholdDispute } = suite.harness();
      await need('inquire', withholdDispute)(payment.reference, inquiry.reference);
      expect(await only(payment)).toMatchObject({ reference: inquiry.reference, state: 'open' });
      expect(await withheld(payment)).toBe(1003n);
    });

    for (const state of ['won', 'lost'] as const) {
      it(`are open again when a case goes on that was ${state}, and move no money by that`, async () => {
        suite.needs('closeDispute');
        const payment = await captured();
        await contest(payment, 1003n);
        const { reference } = await end(payment, state);
        const before = await withheld(payment);
        await suite.able('reopenDispute')(payment.reference, reference);
        expect(await only(payment)).toMatchObject({ reference, state: 'open' });
        expect(await withheld(payment)).toBe(before);
      });
    }

    it('are found by the span in which they were opened', async () => {
      const payments = [await captured(), await captured()] as const;
      await captured();
      await contest(payments[0], 1003n);
      await contest(payments[1], 500n);
      await expectFoundBySpan(suite, suite.processor().disputes, payments);
    });

    listedContract(suite, it, 'disputes', (payment) => contest(payment, 1003n));
  });
}

/** What has just happened to a payment, and to others in its books. */
function recently(suite: Suite, { account, installation }: PaymentHandle): ListRequest {
  const now = suite.harness().clock.now();
  const books = booksOf(suite.processor(), account);
  return { books, installation, openedFrom: now - 10_000, openedBefore: now + 10_000, limit: 10 };
}

/** The refunds or disputes of these two payments alone were just made. */
async function expectFoundBySpan(
  suite: Suite,
  lists: Pick<ProcessorDisputes, 'listRecent'>,
  [first, second]: readonly [PaymentHandle, PaymentHandle],
): Promise<void> {
  const found = async (ms: number, over: Partial<ListRequest> = {}) => {
    const { openedFrom, openedBefore, ...request } = { ...recently(suite, first), ...over };
    const span = { openedFrom: openedFrom + ms, openedBefore: openedBefore + ms, limit: 1 };
    const listed = await listedReturns(lists, { ...request, ...span });
    return listed.map(({ paymentId }) => paymentId).sort();
  };
  expect(await found(0)).toEqual([first.paymentId, second.paymentId].sort());
  expect(await found(-60_000)).toEqual([]);
  expect(await found(60_000)).toEqual([]);
  expect(await found(0, { installation: 'another' })).toEqual([]);
}

/** What the lists of refunds and of disputes have in common. */
function listedContract(
  suite: Suite,
  it: Case,
  items: 'refunds' | 'disputes',
  make: (payment: Authorized) => Promise<unknown>,
): void {
  const lists = (): Pick<ProcessorDisputes, 'listRecent'> => suite.processor()[items];

  it('are listed in the books of their own account', async () => {
    const { id } = await suite.harness().newAccount();
    const mine = await suite.captured();
    const theirs = await suite.captured(suite.begun({ account: id }));
    for (const payment of [theirs, mine]) await make(payment);
    for (const one of [mine, theirs]) {
      const asked = recently(suite, one);
      const listed = (await listedReturns(lists(), asked)).map(({ paymentId }) => paymentId);
      const expected = [mine, theirs].filter(
        ({ account }) => booksOf(suite.processor(), account) === asked.books,
      );
      expect(listed.sort()).toEqual(expected.map(({ paymentId }) => paymentId).sort());
    }
  });

  it('are not hidden by one that cannot be read', async () => {
    const first = await suite.captured();
    const [spoiled, last] = [await suite.captured(), await suite.captured()];
    for (const payment of [first, spoiled, last]) await make(payment);
    await suite.able('spoil')(spoiled.reference, items);
    const page = await value(lists().listRecent(recently(suite, first)));
    const listed = page.items.map(({ paymentId }) => paymentId).sort();
    expect(listed).toEqual([first.paymentId, last.paymentId].sort());
    expect(page.skipped).toEqual([
      expect.objectContaining({ reference: expect.stringMatching(/./) }),
    ]);
    const now = suite.harness().clock.now();
    for (const { openedAt = now } of page.skipped ?? []) {
      expect(Math.abs(openedAt - now)).toBeLessThan(minuteMs);
    }
  });
}
