import { hourMs, minuteMs } from '@chairside/core';
import {
  cardMustBePresent,
  type ListRequest,
  type OpenPaymentRequest,
  type PaymentHandle,
  type ProcessorDisputes,
  type ProcessorEvent,
  type ProcessorRefunds,
  type RefundPaymentRequest,
} from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import {
  amountMinor,
  booksOf,
  type Case,
  listedReturns,
  need,
  newId,
  problem,
  rejected,
  type Suite,
  unknown,
  value,
} from './suite.ts';

/** Refunds of captured payments (D44). */
export function refundsContract(suite: Suite): void {
  const { authorize, open } = suite;
  const it = suite.itNeeds('refunds');

  const refundsOf = (): ProcessorRefunds => suite.processor().refunds;

  const captured = () => capturedOf(suite);
  const request = (
    payment: PaymentHandle,
    more: Partial<RefundPaymentRequest> = {},
  ): RefundPaymentRequest => ({
    ...payment,
    refundId: newId(suite.harness()),
    amountMinor: 1003n,
    currency: suite.account().currency,
    returnsFee: false,
    reversesTransfer: true,
    idempotencyKey: newId(suite.harness()),
    ...more,
  });

  describe('refunds', () => {
    it('give parts of a captured payment back, each with our mark', async () => {
      const refunds = refundsOf();
      const payment = await captured();
      expect(await value(refunds.list(payment))).toEqual([]);
      const first = request(payment);
      const second = request(payment, { amountMinor: amountMinor - 1003n });
      const shown = [];
      for (const one of [first, second]) {
        const refund = await value(refunds.refund(one));
        expect(refund).toMatchObject({
          reference: expect.any(String),
          refundId: one.refundId,
          state: expect.stringMatching(/^(pending|succeeded)$/),
          amountMinor: one.amountMinor,
          currency: suite.account().currency,
        });
        shown.push(refund);
      }
      const listed = await value(refunds.list(payment));
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining(shown));
    });

    it('have one effect for each key', async () => {
      const refunds = refundsOf();
      const payment = await captured();
      const asked = request(payment);
      const first = await value(refunds.refund(asked));
      expect(await value(refunds.refund(asked))).toEqual(first);
      expect(await value(refunds.list(payment))).toEqual([first]);
    });

    it('are two for two keys, even if they give back the same amount', async () => {
      const refunds = refundsOf();
      const payment = await captured();
      const first = await value(refunds.refund(request(payment)));
      const second = await value(refunds.refund(request(payment)));
      expect(second.reference).not.toBe(first.reference);
      const listed = await value(refunds.list(payment));
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([first, second]));
    });

    it('reject a key that was used with other parameters', async (test) => {
      const refunds = refundsOf();
      suite.needs(test, 'keysCoverParameters');
      const payment = await captured();
      const asked = request(payment);
      await value(refunds.refund(asked));
      expect(await problem(refunds.refund({ ...asked, amountMinor: 500n }))).toEqual(rejected);
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('can lose the reply, and are made once under their key', async (test) => {
      const refunds = refundsOf();
      suite.needs(test, 'loseReply');
      const payment = await captured();
      const asked = request(payment);
      await suite.loseReply('refund');
      expect(await problem(refunds.refund(asked))).toEqual(unknown);
      expect(await value(refunds.list(payment))).toMatchObject([{ refundId: asked.refundId }]);
      await value(refunds.refund(asked));
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('are never reported in another currency', async () => {
      const refunds = refundsOf();
      const payment = await captured();
      const currency = suite.account().currency === 'eur' ? 'usd' : 'eur';
      expect(await problem(refunds.refund(request(payment, { currency })))).toEqual(rejected);
      expect(await value(refunds.list(payment))).toEqual([]);
    });

    it('are neither made nor shown for another installation', async () => {
      const refunds = refundsOf();
      const payment = await captured();
      await value(refunds.refund(request(payment)));
      const stranger = { ...payment, installation: 'another' };
      for (const handle of [stranger, { ...stranger, reference: undefined }]) {
        const { reference, ...unreferenced } = handle;
        const asked = reference === undefined ? unreferenced : { ...unreferenced, reference };
        expect((await refunds.refund(request(asked))).isErr()).toBe(true);
        const seen = await refunds.list(asked);
        if (seen.isOk()) expect(seen.value).toEqual([]);
      }
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('are all listed where a page does not hold them', async () => {
      const refunds = refundsOf();
      const { refundsPerPage = 10 } = suite.harness();
      const [first, many, last] = [await captured(), await captured(), await captured()];
      const madeFrom = suite.harness().clock.now() - 10_000;
      const make = (payment: PaymentHandle) =>
        value(refunds.refund(request(payment, { amountMinor: 1n })));
      await make(first);
      const made = [];
      for (let count = 0; count <= refundsPerPage; count += 1) made.push(await make(many));
      await make(last);
      const references = made.map(({ reference }) => reference).sort();
      const listed = await value(refunds.list(many));
      expect(listed.map(({ reference }) => reference).sort()).toEqual(references);
      const { account, installation } = many;
      const books = booksOf(suite.processor(), account);
      const madeBefore = suite.harness().clock.now() + 10_000;
      const span = { openedFrom: madeFrom, openedBefore: madeBefore, limit: 3 };
      const recent = await listedReturns(refunds, { books, installation, ...span });
      const all = [first, last, ...made.map(() => many)].map(({ paymentId }) => paymentId);
      expect(recent.map(({ paymentId }) => paymentId).sort()).toEqual(all.sort());
      const times = recent.map(({ openedAt }) => openedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    it('are listed oldest first, although the older payment was refunded later', async (test) => {
      const refunds = refundsOf();
      suite.needs(test, 'advance');
      const payments = [await captured(), await captured(), await captured()];
      const { account, installation, begunAt } = need('advance', payments[0]);
      for (const payment of payments.toReversed()) {
        await suite.able('advance')(minuteMs);
        await value(refunds.refund(request(payment)));
      }
      const span = { openedFrom: begunAt - hourMs, openedBefore: begunAt + hourMs };
      const books = booksOf(suite.processor(), account);
      for (const limit of [1, 10]) {
        const listed = await listedReturns(refunds, { books, installation, ...span, limit });
        expect(listed.map(({ paymentId }) => paymentId)).toEqual(
          payments.map(({ paymentId }) => paymentId).toReversed(),
        );
      }
    });

    it('have ids that no refund of another payment has', async () => {
      const refunds = refundsOf();
      const [first, second] = [await captured(), await captured()];
      const { reference } = await value(refunds.refund(request(first)));
      expect((await value(refunds.refund(request(second)))).reference).not.toBe(reference);
    });

    it('give no more back than was captured', async () => {
      const refunds = refundsOf();
      const payment = await captured();
      const tooMuch = request(payment, { amountMinor: amountMinor + 1n });
      expect(await problem(refunds.refund(tooMuch))).toEqual(rejected);
      await value(refunds.refund(request(payment, { amountMinor })));
      expect(await problem(refunds.refund(request(payment)))).toEqual(rejected);
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('may end later, and give nothing back if they fail', async (test) => {
      const refunds = refundsOf();
      suite.needs(test, 'endRefund');
      const payment = await captured();
      const asked = request(payment, { amountMinor });
      const made = await value(refunds.refund(asked));
      const end = (state: 'succeeded' | 'failed') =>
        suite.able('endRefund')(payment.reference, made.reference, state);
      if (made.state === 'pending') await end('succeeded');
      const shown = { reference: made.reference, refundId: asked.refundId, amountMinor };
      const [ended, ...others] = await value(refunds.list(payment));
      expect(ended).toMatchObject({ ...shown, state: 'succeeded' });
      expect(ended).not.toHaveProperty('failure');
      expect(others).toEqual([]);
      const before = await toldOf(suite);
      await end('failed');
      expect(await value(refunds.list(payment))).toMatchObject([{ ...shown, state: 'failed' }]);
      if (suite.harness().events !== undefined) {
        // Another message of the same refund: one that was known by its id would be dropped.
        const about = { kind: 'refund', paymentId: payment.paymentId, amountMinor };
        const told = (await toldOf(suite)).filter(({ kind }) => kind === 'refund');
        expect(told).toContainEqual(expect.objectContaining({ ...about, subject: made.reference }));
        const known = before.map(({ id }) => id);
        expect(told.filter(({ id }) => known.includes(id))).toEqual([]);
      }
      // The money is back at the business, so it can be refunded again.
      const again = await value(refunds.refund(request(payment, { amountMinor })));
      expect(again.reference).not.toBe(made.reference);
      expect(await value(refunds.list(payment))).toHaveLength(2);
    });

    it('state why they failed, and nothing before', async (test) => {
      const refunds = refundsOf();
      for (const ability of ['endRefund', 'refundFailure'] as const) suite.needs(test, ability);
      const payment = await captured();
      const { reference } = await value(refunds.refund(request(payment)));
      expect((await value(refunds.list(payment)))[0]).not.toHaveProperty('failure');
      await suite.able('endRefund')(payment.reference, reference, 'failed');
      expect(await value(refunds.list(payment))).toMatchObject([
        { reference, state: 'failed', failure: expect.stringMatching(/./) },
      ]);
    });

    it('end one by one', async (test) => {
      const refunds = refundsOf();
      suite.needs(test, 'endRefund');
      const payment = await captured();
      const made = [];
      for (const amountMinor of [1003n, 500n]) {
        const refund = await value(refunds.refund(request(payment, { amountMinor })));
        made.push(refund);
        if (refund.state === 'pending') {
          await suite.able('endRefund')(payment.reference, refund.reference, 'succeeded');
        }
      }
      const [first, second] = made.map(({ reference, amountMinor }) => ({
        reference,
        amountMinor,
      }));
      await suite.able('endRefund')(payment.reference, first?.reference ?? '', 'failed');
      const listed = await value(refunds.list(payment));
      expect(listed).toHaveLength(2);
      expect(listed).toContainEqual(expect.objectContaining({ ...first, state: 'failed' }));
      expect(listed).toContainEqual(expect.objectContaining({ ...second, state: 'succeeded' }));
    });

    it('say so if the card must be present again', async (test) => {
      const refunds = refundsOf();
      suite.needs(test, 'approveInterac');
      const opened = await open();
      const reference = await suite.harness().present(opened.clientSecret, 'approveInterac');
      const payment = { ...opened, reference };
      await value(suite.capture(payment));
      const refused = await problem(refunds.refund(request(payment)));
      expect(refused).toEqual({ kind: 'rejected', reason: cardMustBePresent });
      expect(await value(refunds.list(payment))).toEqual([]);
    });

    it('need a captured payment', async () => {
      const refunds = refundsOf();
      for (const payment of [await authorize(), await open()]) {
        expect(await problem(refunds.refund(request(payment)))).toMatchObject({
          kind: expect.stringMatching(/^(rejected|unavailable)$/),
        });
        expect(await value(refunds.list(payment))).toEqual([]);
      }
    });

    it('are listed with those that were made elsewhere', async (test) => {
      const refunds = refundsOf();
      suite.needs(test, 'refund');
      const payment = await captured();
      await suite.able('refund')(payment.reference, 500n);
      const listed = await value(refunds.list(payment));
      const state = expect.stringMatching(/^(pending|succeeded)$/);
      expect(listed).toMatchObject([{ amountMinor: 500n, state }]);
      expect(listed[0]).not.toHaveProperty('refundId');
    });

    it('are found by the span in which they were made', async (test) => {
      suite.needs(test, 'refund');
      const payments = [await captured(), await captured()] as const;
      await captured();
      await value(refundsOf().refund(request(payments[0])));
      await suite.able('refund')(payments[1].reference, 500n);
      await expectFoundBySpan(suite, refundsOf(), payments);
    });

    listedContract(suite, it, 'refunds', (payment) => value(refundsOf().refund(request(payment))));
  });
}

/** Disputes of captured payments (D45). */
export function disputesContract(suite: Suite): void {
  const captured = () => capturedOf(suite);
  const it = suite.itNeeds('disputes', 'dispute');

  const disputesOf = (): ProcessorDisputes => suite.processor().disputes;

  const contest = ({ reference }: { readonly reference: string }, amountMinor: bigint) =>
    suite.able('dispute')(reference, amountMinor);

  type Disputed = Awaited<ReturnType<typeof captured>>;
  const only = async (payment: Disputed) => {
    const [dispute, ...others] = await value(disputesOf().list(payment));
    expect(others).toEqual([]);
    return need('dispute', dispute);
  };
  /** What the processor has taken for the payment's one dispute, and has not given back. */
  const withheld = async (payment: Disputed) =>
    (await only(payment)).bookings.reduce((sum, one) => sum - one.amountMinor, 0n);
  const end = async (payment: Disputed, state: 'won' | 'lost') => {
    const dispute = await only(payment);
    await suite.able('closeDispute')(payment.reference, dispute.reference, state);
    return dispute;
  };

  describe('disputes', () => {
    it('are listed with their amount, in the currency of the payment', async () => {
      const disputes = disputesOf();
      const payment = await captured();
      expect(await value(disputes.list(payment))).toEqual([]);
      await contest(payment, 1003n);
      expect(await value(disputes.list(payment))).toMatchObject([
        {
          reference: expect.stringMatching(/./),
          state: 'open',
          amountMinor: 1003n,
          currency: suite.account().currency,
        },
      ]);
      expect(await value(disputes.list(await captured()))).toEqual([]);
    });

    it('have ids that no dispute of another payment has', async () => {
      const disputes = disputesOf();
      const references = new Set<string>();
      for (const payment of [await captured(), await captured()]) {
        await contest(payment, 1003n);
        for (const { reference } of await value(disputes.list(payment))) references.add(reference);
      }
      expect(references.size).toBe(2);
    });

    it('are closed one by one', async (test) => {
      suite.needs(test, 'closeDispute');
      const disputes = disputesOf();
      const payment = await captured();
      for (const amountMinor of [1003n, 500n]) await contest(payment, amountMinor);
      const [first, ...none] = (await value(disputes.list(payment))).filter(
        (one) => one.amountMinor === 1003n,
      );
      expect(none).toEqual([]);
      await suite.able('closeDispute')(payment.reference, first?.reference ?? '', 'won');
      const after = await value(disputes.list(payment));
      const states = after.map((one) => [one.amountMinor, one.state]);
      expect(new Map(states.map(([amount, state]) => [`${amount}`, state]))).toEqual(
        new Map([
          ['1003', 'won'],
          ['500', 'open'],
        ]),
      );
      expect(after).toHaveLength(2);
    });

    it('withhold their amount until they are won', async (test) => {
      suite.needs(test, 'closeDispute');
      const payment = await captured();
      await contest(payment, 1003n);
      expect(await withheld(payment)).toBe(1003n);
      await end(payment, 'won');
      expect(await withheld(payment)).toBe(0n);
      expect((await only(payment)).state).toBe('won');
    });

    it('withhold nothing as an inquiry, and leave the payment refundable', async (test) => {
      suite.needs(test, 'inquire');
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
      it(`are open again when a case goes on that was ${state}, and move no money by that`, async (test) => {
        for (const ability of ['closeDispute', 'reopenDispute'] as const)
          suite.needs(test, ability);
        const payment = await captured();
        await contest(payment, 1003n);
        const { reference } = await end(payment, state);
        const before = await withheld(payment);
        await suite.able('reopenDispute')(payment.reference, reference);
        expect(await only(payment)).toMatchObject({ reference, state: 'open' });
        expect(await withheld(payment)).toBe(before);
      });
    }

    it('are not shown for another installation', async () => {
      const disputes = disputesOf();
      const payment = await captured();
      await contest(payment, 1003n);
      const stranger: PaymentHandle = { ...payment, installation: 'another' };
      const seen = await disputes.list(stranger);
      if (seen.isOk()) expect(seen.value).toEqual([]);
    });

    it('are found by the span in which they were opened', async () => {
      const payments = [await captured(), await captured()] as const;
      await captured();
      await contest(payments[0], 1003n);
      await contest(payments[1], 500n);
      await expectFoundBySpan(suite, disputesOf(), payments);
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
  make: (payment: Awaited<ReturnType<typeof capturedOf>>) => Promise<unknown>,
): void {
  const lists = (): Pick<ProcessorDisputes, 'listRecent'> => suite.processor()[items];

  // Only a rejection makes a sweep begin again. Another error would stop it for ever.
  it('reject a cursor that they cannot read', async () => {
    const asked = { ...recently(suite, await capturedOf(suite)), cursor: 'not a cursor' };
    expect(await problem(lists().listRecent(asked))).toEqual(rejected);
  });

  it('are listed in the books of their own account', async () => {
    const { id } = await suite.harness().newAccount();
    const mine = await capturedOf(suite);
    const theirs = await capturedOf(suite, { ...suite.begun(), account: id });
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

  it('are not hidden by one that cannot be read', async (test) => {
    suite.needs(test, 'spoil');
    const first = await capturedOf(suite);
    const [spoiled, last] = [await capturedOf(suite), await capturedOf(suite)];
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

/** The content of the messages that the processor has sent since the last call. */
async function toldOf({ harness, processor }: Suite): Promise<readonly ProcessorEvent[]> {
  const told: ProcessorEvent[] = [];
  for (const event of (await harness().events?.()) ?? []) {
    told.push(await value(processor().parseEvent(event, harness().clock.now())));
  }
  return told;
}

/** A captured payment as the processor may be asked about it. */
async function capturedOf({ authorize, capture }: Suite, request?: OpenPaymentRequest) {
  const payment = await authorize(request);
  await value(capture(payment));
  const { clientSecret: _secret, ...handle } = payment;
  return handle;
}
