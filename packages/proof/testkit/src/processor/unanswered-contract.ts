import { hourMs, type ResultAsync } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import type { ProcessorCapability, ReadingCall, ReplyMember } from './harness.ts';
import {
  amountMinor,
  beginSetup,
  booksOf,
  need,
  newId,
  problem,
  type Suite,
  unreferenced,
  value,
} from './suite.ts';

/** A read, of something that the processor has. */
interface Reading {
  readonly call: ReadingCall;
  readonly needs: readonly ProcessorCapability[];
  /** What was asked, and so must be in the reply. */
  readonly asked?: readonly ReplyMember[];
  prepare(suite: Suite): Promise<() => ResultAsync<unknown, ProcessorError>>;
}

/** A captured payment with a refund of ours and a dispute, as far as the processor has these. */
async function returned(suite: Suite) {
  const payment = await suite.authorize();
  await value(suite.capture(payment));
  const { refunds } = suite.processor();
  const part = { amountMinor: 1003n, currency: suite.account().currency };
  const asked = { ...part, returnsFee: false, reversesTransfer: true };
  const ids = { refundId: newId(suite.harness()), idempotencyKey: newId(suite.harness()) };
  if (refunds) await value(refunds.refund({ ...payment, ...asked, ...ids }));
  await suite.harness().dispute?.(payment.reference, amountMinor - 1003n);
  return unreferenced(payment);
}

function spanOf(suite: Suite) {
  const { account, installation, begunAt } = suite.begun();
  const span = { openedFrom: begunAt - hourMs, openedBefore: begunAt + hourMs };
  return { books: booksOf(suite.processor(), account), installation, ...span, limit: 2 };
}

const readings: readonly Reading[] = [
  {
    call: 'readPayment',
    needs: [],
    asked: ['identity', 'account'],
    async prepare(suite) {
      const payment = unreferenced(await suite.authorize());
      return () => suite.processor().readPayment(payment);
    },
  },
  {
    call: 'readReceipt',
    needs: ['readReceipt'],
    asked: ['identity', 'account'],
    async prepare(suite) {
      const payment = unreferenced(await suite.authorize());
      return () => suite.processor().readReceipt(payment);
    },
  },
  {
    call: 'readSetup',
    needs: ['setups'],
    asked: ['identity'],
    async prepare(suite) {
      const setup = beginSetup(suite.harness());
      await value(suite.processor().openSetup(setup));
      return () => suite.processor().readSetup(setup);
    },
  },
  {
    call: 'listPayments',
    needs: ['listPayments'],
    async prepare(suite) {
      await suite.authorize();
      return () => suite.processor().listPayments(spanOf(suite));
    },
  },
  {
    call: 'listRefunds',
    needs: ['refunds'],
    async prepare(suite) {
      const payment = await returned(suite);
      return () => need('refunds', suite.processor().refunds).list(payment);
    },
  },
  {
    call: 'listRecentRefunds',
    needs: ['refunds'],
    async prepare(suite) {
      await returned(suite);
      return () => need('refunds', suite.processor().refunds).listRecent(spanOf(suite));
    },
  },
  {
    call: 'listDisputes',
    needs: ['disputes', 'dispute'],
    async prepare(suite) {
      const payment = await returned(suite);
      return () => need('disputes', suite.processor().disputes).list(payment);
    },
  },
  {
    call: 'listRecentDisputes',
    needs: ['disputes', 'dispute'],
    async prepare(suite) {
      await returned(suite);
      return () => need('disputes', suite.processor().disputes).listRecent(spanOf(suite));
    },
  },
  {
    call: 'listEntries',
    needs: ['settlements'],
    async prepare(suite) {
      await value(suite.capture(await suite.authorize()));
      return () => need('settlements', suite.processor().settlements).listEntries(spanOf(suite));
    },
  },
  {
    call: 'listPayouts',
    needs: ['settlements', 'payOut'],
    async prepare(suite) {
      await value(suite.capture(await suite.authorize()));
      await suite.able('payOut')(suite.account().id);
      return () => need('settlements', suite.processor().settlements).listPayouts(spanOf(suite));
    },
  },
];

const faults = ['fail', 'loseReply', 'garbleReply', 'rateLimit', 'refuse'] as const;

/** A read without an answer returns an error, and never "there is none". */
export function unansweredContract(suite: Suite): void {
  suite.itNeeds('fail')('a reference is not foreign because a read has no answer', async () => {
    const payment = await suite.authorize();
    const handle = unreferenced(payment);
    await suite.able('fail')('readPayment', false);
    const claim = await suite.processor().readPayment(handle, payment.reference);
    // Some adapters read more than one thing. The fault is then left to this read.
    if (claim.isOk()) (await suite.processor().readPayment(handle)).unwrapOr(undefined);
    else expect(claim.error.kind).toBe('unavailable');
    expect(await suite.read(handle, payment.reference)).toMatchObject({ status: 'authorized' });
  });

  describe.each(readings)('$call without an answer', ({ call, needs, asked = [], prepare }) => {
    const it = suite.itNeeds(...needs);
    for (const fault of faults) {
      it(`never says that there is none: ${fault}`, async (test) => {
        suite.needs(test, fault);
        const read = await prepare(suite);
        const before = await value(read());
        expect(isThere(before), 'the read shows what was made').toBe(true);
        const harness = suite.harness();
        if (fault === 'fail') await need(fault, harness.fail)(call, false);
        else await need(fault, harness[fault])(call);
        const error = await problem(read());
        expect(error.kind).toBe(fault === 'rateLimit' ? 'rateLimited' : 'unavailable');
        expect(withoutTimes(await value(read()))).toEqual(withoutTimes(before));
      });
    }

    for (const member of asked) {
      it(`never shows what was not asked: another ${member}`, async (test) => {
        suite.needs(test, 'alterReply');
        const read = await prepare(suite);
        const before = await value(read());
        if (!(await suite.able('alterReply')(call, member)))
          test.skip(`the reply has no ${member}`);
        const seen = await read();
        if (seen.isOk()) expect(seen.value).toBeUndefined();
        else expect(seen.error.kind).toBe('unavailable');
        expect(withoutTimes(await value(read()))).toEqual(withoutTimes(before));
      });
    }
  });
}

function isThere(seen: unknown): boolean {
  const items: unknown = Array.isArray(seen) ? seen : Object(seen).items;
  return seen !== undefined && (!Array.isArray(items) || items.length > 0);
}

/** The same without the processor's times of the replies. */
function withoutTimes(seen: unknown): unknown {
  if (Array.isArray(seen)) return seen.map(withoutTimes);
  if (typeof seen !== 'object' || seen === null) return seen;
  return Object.entries(seen)
    .filter(([name]) => name !== 'at')
    .map(([name, of]) => [name, name === 'items' ? withoutTimes(of) : of]);
}
