import type { ResultAsync } from '@chairside/core';
import type { ListRequest, Processor, ProcessorError } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import type { ProcessorCapability, ReadingCall, ReplyMember } from './harness.ts';
import {
  amountMinor,
  beginSetup,
  need,
  problem,
  rejected,
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
  const payment = await suite.captured();
  const { refunds } = suite.processor();
  if (refunds) await value(refunds.refund(suite.refundOf(payment)));
  await suite.harness().dispute?.(payment.reference, amountMinor - 1003n);
  return unreferenced(payment);
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
    call: 'listRefunds',
    needs: ['refunds'],
    async prepare(suite) {
      const payment = await returned(suite);
      return () => suite.processor().refunds.list(payment);
    },
  },
  {
    call: 'listDisputes',
    needs: ['disputes', 'dispute'],
    async prepare(suite) {
      const payment = await returned(suite);
      return () => suite.processor().disputes.list(payment);
    },
  },
];

/** The lists of the books, page by page. */
const lists: readonly (Omit<Reading, 'prepare'> & {
  readonly make: (suite: Suite) => Promise<unknown>;
  readonly read: (of: Processor, request: ListRequest) => ResultAsync<unknown, ProcessorError>;
})[] = [
  {
    call: 'listPayments',
    needs: ['listPayments'],
    make: (suite) => suite.authorize(),
    read: (of, request) => of.listPayments(request),
  },
  {
    call: 'listRecentRefunds',
    needs: ['refunds'],
    make: returned,
    read: (of, request) => of.refunds.listRecent(request),
  },
  {
    call: 'listRecentDisputes',
    needs: ['disputes', 'dispute'],
    make: returned,
    read: (of, request) => of.disputes.listRecent(request),
  },
  {
    call: 'listEntries',
    needs: ['settlements'],
    make: (suite) => suite.captured(),
    read: (of, request) => need('settlements', of.settlements).listEntries(request),
  },
  {
    call: 'listPayouts',
    needs: ['settlements', 'payOut'],
    async make(suite) {
      await suite.captured();
      await suite.able('payOut')(suite.account().id);
    },
    read: (of, request) => need('settlements', of.settlements).listPayouts(request),
  },
];

const listings = lists.map(({ make, read, ...list }): Reading => {
  return {
    ...list,
    async prepare(suite) {
      await make(suite);
      return () => read(suite.processor(), suite.recent());
    },
  };
});

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

  describe.each(lists)('$call', ({ needs, make, read }) => {
    // Only a rejection makes a sweep begin again. Another error would stop it for ever.
    suite.itNeeds(...needs)('rejects a cursor that it cannot read', async () => {
      await make(suite);
      const asked = { ...suite.recent(), cursor: 'not a cursor' };
      expect(await problem(read(suite.processor(), asked))).toEqual(rejected);
    });
  });

  describe.each([...readings, ...listings])(
    '$call without an answer',
    ({ call, needs, asked = [], prepare }) => {
      const it = suite.itNeeds(...needs);
      for (const fault of faults) {
        it(`never says that there is none: ${fault}`, async () => {
          suite.needs(fault);
          const read = await prepare(suite);
          const before = await value(read());
          expect(isThere(before), 'the read shows what was made').toBe(true);
          if (fault === 'fail') await suite.able(fault)(call, false);
          else await suite.able(fault)(call);
          const error = await problem(read());
          expect(error.kind).toBe(fault === 'rateLimit' ? 'rateLimited' : 'unavailable');
          expect(withoutTimes(await value(read()))).toEqual(withoutTimes(before));
        });
      }

      for (const member of asked) {
        it(`never shows what was not asked: another ${member}`, async () => {
          const read = await prepare(suite);
          const before = await value(read());
          if (!(await suite.able('alterReply')(call, member)))
            suite.skip(`the reply has no ${member}`);
          const seen = await read();
          if (seen.isOk()) expect(seen.value).toBeUndefined();
          else expect(seen.error.kind).toBe('unavailable');
          expect(withoutTimes(await value(read()))).toEqual(withoutTimes(before));
        });
      }
    },
  );
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
