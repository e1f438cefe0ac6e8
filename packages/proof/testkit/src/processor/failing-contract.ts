import type { ProcessorError, ResultAsync } from '@chairside/core';
import { describe, expect } from 'vitest';
import type { LosableCall, ProcessorCapability } from './harness.ts';
import {
  amountMinor,
  beginSetup,
  need,
  newId,
  problem,
  type Suite,
  unknown,
  value,
} from './suite.ts';

/** A call that changes something, with what shows its effect. */
interface Changing {
  readonly call: Exclude<LosableCall, 'readPayment'>;
  readonly needs: readonly ProcessorCapability[];
  /** Makes everything ready. `act` then sends the call under a key. */
  prepare(suite: Suite): Promise<{
    act(idempotencyKey: string): ResultAsync<unknown, ProcessorError>;
    /** The same, to the end of what ends later. */
    actToEnd?(idempotencyKey: string): ResultAsync<unknown, ProcessorError>;
    /** Whether the processor has applied it. */
    isApplied(): Promise<boolean>;
  }>;
}

const changing: readonly Changing[] = [
  {
    call: 'openPayment',
    needs: ['readBeforeCard'],
    async prepare(suite) {
      const request = suite.begun();
      return {
        act: (idempotencyKey) => suite.processor().openPayment({ ...request, idempotencyKey }),
        isApplied: async () => (await value(suite.processor().readPayment(request))) !== undefined,
      };
    },
  },
  {
    call: 'capturePayment',
    needs: [],
    async prepare(suite) {
      const payment = await suite.authorize();
      return {
        act: (idempotencyKey) => suite.sendCapture(payment, { idempotencyKey }),
        actToEnd: (idempotencyKey) => suite.capture(payment, { idempotencyKey }),
        async isApplied() {
          await suite.endCapture(payment);
          return (await suite.read(payment)).status === 'captured';
        },
      };
    },
  },
  {
    call: 'cancelPayment',
    needs: [],
    async prepare(suite) {
      const payment = await suite.authorize();
      return {
        act: (idempotencyKey) => suite.cancel(payment, { idempotencyKey }),
        isApplied: async () => (await suite.read(payment)).status === 'canceled',
      };
    },
  },
  {
    call: 'openSetup',
    needs: ['setups'],
    async prepare(suite) {
      const setup = beginSetup(suite.harness());
      return {
        act: (idempotencyKey) => suite.processor().openSetup({ ...setup, idempotencyKey }),
        isApplied: async () => (await value(suite.processor().readSetup(setup))) !== undefined,
      };
    },
  },
  {
    call: 'refund',
    needs: ['refunds'],
    async prepare(suite) {
      const payment = await suite.authorize();
      await value(suite.capture(payment));
      const refunds = need('refunds', suite.processor().refunds);
      const part = {
        refundId: newId(suite.harness()),
        amountMinor: amountMinor - 1n,
        currency: suite.account().currency,
        returnsFee: false,
        reversesTransfer: true,
      };
      return {
        act: (idempotencyKey) => refunds.refund({ ...payment, ...part, idempotencyKey }),
        isApplied: async () => (await value(refunds.list(payment))).length === 1,
      };
    },
  },
];

const failed = { kind: 'unavailable', outcome: 'unknown', answered: true };

/** A failure of the processor itself, and a reply of another shape, leave the outcome unknown. */
export function failingContract(suite: Suite): void {
  const key = () => newId(suite.harness());

  describe.each(changing)('$call, when the processor fails', ({ call, needs, prepare }) => {
    const it = suite.itNeeds(...needs);

    it('is unknown and answered, and is made under another key', async (test) => {
      suite.needs(test, 'fail');
      const { act, actToEnd = act, isApplied } = await prepare(suite);
      await suite.able('fail')(call, false);
      const first = key();
      expect(await problem(act(first))).toEqual(failed);
      expect(await isApplied()).toBe(false);
      await value(actToEnd(key()));
      expect(await isApplied()).toBe(true);
    });

    it('is unknown and answered if it was applied, and the ledger shows it', async (test) => {
      suite.needs(test, 'fail');
      const { act, isApplied } = await prepare(suite);
      await suite.able('fail')(call, true);
      expect(await problem(act(key()))).toEqual(failed);
      expect(await isApplied()).toBe(true);
    });

    it('is unknown for a reply that cannot be believed', async (test) => {
      suite.needs(test, 'garbleReply');
      const { act, isApplied } = await prepare(suite);
      await suite.able('garbleReply')(call);
      expect(await problem(act(key()))).toEqual(unknown);
      expect(await isApplied()).toBe(true);
    });
  });
}
