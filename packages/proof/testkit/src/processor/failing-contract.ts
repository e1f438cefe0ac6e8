import type { ResultAsync } from '@chairside/core';
import type { Processor, ProcessorError } from '@chairside/core/ports';
import { beforeEach, describe, expect } from 'vitest';
import { savedMethod } from './charges-contract.ts';
import type {
  ChangingCall,
  ProcessorCapability,
  ProcessorHarness,
  ReplyMember,
} from './harness.ts';
import {
  amountMinor,
  beginSetup,
  need,
  newId,
  problem,
  type Suite,
  saysNothingWasDone,
  unanswered,
  unknown,
  unreferenced,
  value,
} from './suite.ts';

/** A call that changes something, with what shows its effect. */
interface Changing {
  readonly call: ChangingCall;
  /** The read inside the call, if it makes one. */
  readonly reads?: 'readPayment' | 'readSetup';
  readonly needs: readonly ProcessorCapability[];
  /** What was asked, and so must be in the reply. */
  readonly asked: readonly ReplyMember[];
  /** Makes everything ready. `act` then sends the call under a key. */
  prepare(suite: Suite): Promise<{
    act(idempotencyKey: string): ResultAsync<unknown, ProcessorError>;
    /** The same, to the end of what ends later. */
    actToEnd?(idempotencyKey: string): ResultAsync<unknown, ProcessorError>;
    /** The same without the reference, if the call has one. */
    actUnreferenced?(idempotencyKey: string): ResultAsync<unknown, ProcessorError>;
    /** The same by another instance of the adapter. */
    on(processor: Processor, idempotencyKey: string): ResultAsync<unknown, ProcessorError>;
    /** Whether the processor has applied it. */
    isApplied(): Promise<boolean>;
  }>;
}

const changing: readonly Changing[] = [
  {
    call: 'openPayment',
    needs: ['readBeforeCard'],
    asked: ['identity', 'amount', 'currency', 'account'],
    async prepare(suite) {
      const request = suite.begun();
      return {
        act: (idempotencyKey) => suite.processor().openPayment({ ...request, idempotencyKey }),
        on: (processor, idempotencyKey) => processor.openPayment({ ...request, idempotencyKey }),
        isApplied: async () => (await value(suite.processor().readPayment(request))) !== undefined,
      };
    },
  },
  {
    call: 'capturePayment',
    reads: 'readPayment',
    needs: [],
    asked: ['identity', 'amount', 'currency', 'account'],
    async prepare(suite) {
      const payment = await suite.authorize();
      return {
        act: (idempotencyKey) => suite.sendCapture(payment, { idempotencyKey }),
        actToEnd: (idempotencyKey) => suite.capture(payment, { idempotencyKey }),
        actUnreferenced: (idempotencyKey) =>
          suite.sendCapture(unreferenced(payment), { idempotencyKey }),
        on: (processor, idempotencyKey) =>
          processor.capturePayment({
            ...payment,
            amountMinor,
            currency: suite.account().currency,
            idempotencyKey,
          }),
        async isApplied() {
          await suite.endCapture(payment);
          return (await suite.read(payment)).status === 'captured';
        },
      };
    },
  },
  {
    call: 'cancelPayment',
    reads: 'readPayment',
    needs: [],
    asked: ['identity', 'account'],
    async prepare(suite) {
      const payment = await suite.authorize();
      return {
        act: (idempotencyKey) => suite.cancel(payment, { idempotencyKey }),
        actUnreferenced: (idempotencyKey) =>
          suite.cancel(unreferenced(payment), { idempotencyKey }),
        on: (processor, idempotencyKey) => processor.cancelPayment({ ...payment, idempotencyKey }),
        isApplied: async () => (await suite.read(payment)).status === 'canceled',
      };
    },
  },
  {
    call: 'authorizeMethod',
    needs: ['charges', 'setups', 'completeSetup'],
    asked: ['identity', 'amount', 'currency', 'account'],
    async prepare(suite) {
      const request = { ...suite.begun(), method: await savedMethod(suite) };
      const on = ({ charges }: Processor, idempotencyKey: string) =>
        need('charges', charges).authorize({ ...request, idempotencyKey });
      return {
        act: (idempotencyKey) => on(suite.processor(), idempotencyKey),
        on,
        isApplied: async () => (await value(suite.processor().readPayment(request))) !== undefined,
      };
    },
  },
  {
    call: 'openSetup',
    needs: ['setups'],
    asked: ['identity', 'customer'],
    async prepare(suite) {
      const setup = beginSetup(suite.harness());
      return {
        act: (idempotencyKey) => suite.processor().openSetup({ ...setup, idempotencyKey }),
        on: (processor, idempotencyKey) => processor.openSetup({ ...setup, idempotencyKey }),
        isApplied: async () => (await value(suite.processor().readSetup(setup))) !== undefined,
      };
    },
  },
  {
    call: 'cancelSetup',
    reads: 'readSetup',
    needs: ['setups'],
    asked: ['identity'],
    async prepare(suite) {
      const setup = beginSetup(suite.harness());
      await value(suite.processor().openSetup(setup));
      return {
        act: (idempotencyKey) => suite.processor().cancelSetup({ ...setup, idempotencyKey }),
        on: (processor, idempotencyKey) => processor.cancelSetup({ ...setup, idempotencyKey }),
        isApplied: async () =>
          (await value(suite.processor().readSetup(setup)))?.status === 'canceled',
      };
    },
  },
  {
    call: 'refund',
    reads: 'readPayment',
    needs: ['refunds'],
    asked: ['identity', 'amount', 'currency'],
    async prepare(suite) {
      const payment = await suite.authorize();
      await value(suite.capture(payment));
      const { refunds } = suite.processor();
      const part = {
        refundId: newId(suite.harness()),
        amountMinor: amountMinor - 1n,
        currency: suite.account().currency,
        returnsFee: false,
        reversesTransfer: true,
      };
      return {
        act: (idempotencyKey) => refunds.refund({ ...payment, ...part, idempotencyKey }),
        actUnreferenced: (idempotencyKey) =>
          refunds.refund({ ...unreferenced(payment), ...part, idempotencyKey }),
        on: ({ refunds: of }, idempotencyKey) => of.refund({ ...payment, ...part, idempotencyKey }),
        isApplied: async () => (await value(refunds.list(payment))).length === 1,
      };
    },
  },
];

const failed = { kind: 'unavailable', outcome: 'unknown', answered: true };

/** A failure of the processor itself, and a reply of another shape, leave the outcome unknown. */
export function failingContract(suite: Suite): void {
  let attempts = 0;
  let id = '';
  /** Keys as the core makes them: those of one payment differ at their end (D20). */
  const key = () => {
    attempts += 1;
    return `${id}:attempt:${attempts}`;
  };

  beforeEach(() => {
    [attempts, id] = [0, newId(suite.harness())];
  });

  describe.each(changing)('$call, when the processor fails', (changed) => {
    const { call, reads, needs, asked, prepare } = changed;
    const it = suite.itNeeds(...needs);

    it('is rateLimited and not applied, and is then made under the same key', async (test) => {
      suite.needs(test, 'rateLimit');
      const { act, actToEnd = act, isApplied } = await prepare(suite);
      await suite.able('rateLimit')(call);
      const same = key();
      expect(await problem(act(same))).toEqual({ kind: 'rateLimited' });
      expect(await isApplied()).toBe(false);
      await value(actToEnd(same));
      expect(await isApplied()).toBe(true);
    });

    it('is not applied without a connection, and is then made under the same key', async (test) => {
      suite.needs(test, 'refuse');
      const { act, actToEnd = act, isApplied } = await prepare(suite);
      await suite.able('refuse')(call);
      const same = key();
      const refused = { kind: 'unavailable', outcome: 'notApplied', answered: false };
      expect(await problem(act(same))).toEqual(refused);
      expect(await isApplied()).toBe(false);
      await value(actToEnd(same));
      expect(await isApplied()).toBe(true);
    });

    for (const fault of ['fail', 'loseReply'] as const) {
      it(`is not judged by a read that has no answer: ${fault}`, async (test) => {
        suite.needs(test, fault);
        const { act, actUnreferenced = act, isApplied } = await prepare(suite);
        if (reads === undefined) return;
        await befall(suite.harness(), fault, reads);
        const answer = await actUnreferenced(key());
        // Some adapters change without a read. The fault is then left to this one.
        if (answer.isOk()) await useUp(reads);
        else expect(answer.error.kind).toBe('unavailable');
        if (answer.isOk()) expect(await isApplied()).toBe(true);
        else if (saysNothingWasDone(answer.error)) expect(await isApplied()).toBe(false);
      });
    }

    it('is not judged by a second read that the processor limits', async (test) => {
      suite.needs(test, 'rateLimit');
      const { act, actUnreferenced = act, isApplied } = await prepare(suite);
      if (reads === undefined) return;
      // After an accepted change, a read that was limited says nothing about it.
      await suite.able('rateLimit')(reads, 1);
      const answer = await actUnreferenced(key());
      // Some adapters read less often.
      for (const _read of [1, 2]) await useUp(reads);
      if (answer.isOk()) expect(await isApplied()).toBe(true);
      else if (saysNothingWasDone(answer.error)) expect(await isApplied()).toBe(false);
    });

    it('is unknown if it is applied and has no reply', async (test) => {
      suite.needs(test, 'silent');
      const { on, actToEnd, act, isApplied } = await prepare(suite);
      const silent = await suite.able('silent')(call);
      const same = key();
      expect(await problem(on(silent, same))).toEqual(unanswered);
      expect(await isApplied()).toBe(true);
      await value((actToEnd ?? act)(same));
    });

    it('has one effect for one key of two instances', async (test) => {
      suite.needs(test, 'second');
      const { on, actToEnd, act, isApplied } = await prepare(suite);
      const second = await suite.able('second')();
      const same = key();
      const first = await value((actToEnd ?? act)(same));
      const again = await value(on(second, same));
      expect(timelessly(again)).toEqual(timelessly(first));
      expect(await isApplied()).toBe(true);
    });

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

    it('is unknown and answered if it was applied, and the books show it', async (test) => {
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

    for (const member of asked) {
      it(`is unknown if the reply has another ${member}`, async (test) => {
        suite.needs(test, 'alterReply');
        const { act, isApplied } = await prepare(suite);
        if (!(await suite.able('alterReply')(call, member))) {
          test.skip(`the reply has no ${member}`);
        }
        expect(await problem(act(key()))).toEqual(unknown);
        expect(await isApplied()).toBe(true);
      });
    }
  });

  /** Makes the read that has a fault. */
  async function useUp(reads: 'readPayment' | 'readSetup'): Promise<void> {
    const processor = suite.processor();
    if (reads === 'readPayment') (await processor.readPayment(suite.begun())).unwrapOr(undefined);
    else (await processor.readSetup(beginSetup(suite.harness()))).unwrapOr(undefined);
  }
}

function befall(
  harness: ProcessorHarness,
  fault: 'fail' | 'loseReply',
  call: 'readPayment' | 'readSetup',
): Promise<void> {
  return fault === 'fail'
    ? need(fault, harness.fail)(call, false)
    : need(fault, harness.loseReply)(call);
}

/** A response without the processor's time. */
function timelessly(answer: unknown): object {
  return { ...Object(answer), at: undefined };
}
