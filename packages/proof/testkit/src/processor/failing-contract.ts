import { hourMs, type Result, type ResultAsync } from '@chairside/core';
import type { Processor, ProcessorError } from '@chairside/core/ports';
import { beforeEach, describe, expect } from 'vitest';
import type { ProcessorCapability, ReplyMember } from './harness.ts';
import { savedMethod } from './setups-contract.ts';
import type { ChangingCall } from './simulated.ts';
import {
  amountMinor,
  beginSetup,
  need,
  present,
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
    /** What the processor shows once it has applied the call; nothing before. */
    effect(): Promise<{ readonly reference?: string } | undefined>;
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
        effect: () => value(suite.processor().readPayment(request)),
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
        async effect() {
          await suite.endCapture(payment);
          return inStatus('captured', await suite.read(payment));
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
        effect: async () => inStatus('canceled', await suite.read(payment)),
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
        effect: () => value(suite.processor().readPayment(request)),
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
        effect: () => value(suite.processor().readSetup(setup)),
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
        effect: async () => inStatus('canceled', await value(suite.processor().readSetup(setup))),
      };
    },
  },
  {
    call: 'refund',
    reads: 'readPayment',
    needs: ['refunds'],
    asked: ['identity', 'amount', 'currency'],
    async prepare(suite) {
      const payment = await suite.captured();
      const { refunds } = suite.processor();
      // Two of them are more than the payment.
      const whole = suite.refundOf(payment, { amountMinor: amountMinor - 1n });
      const { idempotencyKey: _key, ...part } = whole;
      return {
        act: (idempotencyKey) => refunds.refund({ ...part, idempotencyKey }),
        actUnreferenced: (idempotencyKey) =>
          refunds.refund({ ...unreferenced(part), idempotencyKey }),
        on: ({ refunds: of }, idempotencyKey) => of.refund({ ...part, idempotencyKey }),
        async effect() {
          const listed = await value(refunds.list(payment));
          expect(listed.length).toBeLessThanOrEqual(1);
          return listed[0];
        },
      };
    },
  },
];

const inStatus = <T extends { readonly status: string }>(status: string, seen: T | undefined) =>
  seen?.status === status ? seen : undefined;

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
    [attempts, id] = [0, suite.key()];
  });

  describe.each(changing)('$call, sent again,', ({ call, needs, prepare }) => {
    const it = suite.itNeeds(...needs);

    // Within the promised life of a key and at its end, where adapters change behaviour (D20).
    for (const hours of [0, 19, 20]) {
      it(`has one effect for one key: after ${hours} hours`, async () => {
        if (hours > 0) suite.needs('advance');
        const { act, actToEnd = act, effect } = await prepare(suite);
        const same = key();
        const first = await value(actToEnd(same));
        if (hours > 0) await suite.able('advance')(hours * hourMs);
        const again = await value(actToEnd(same));
        // The secret of a setup's session may end before its key.
        const secretless = call === 'openSetup' && hours > 0 ? { clientSecret: '' } : {};
        expect({ ...timelessly(again), ...secretless }).toEqual({
          ...timelessly(first),
          ...secretless,
        });
        expect(await effect()).toBeDefined();
      });
    }

    it('has one effect for one key of two instances', async () => {
      const { on, actToEnd, act, effect } = await prepare(suite);
      const second = await suite.able('second')();
      const same = key();
      const first = await value((actToEnd ?? act)(same));
      const again = await value(on(second, same));
      expect(timelessly(again)).toEqual(timelessly(first));
      expect(await effect()).toBeDefined();
    });

    it('is unknown if its reply is lost, and is made once under the same key', async () => {
      const { act, actToEnd = act, effect } = await prepare(suite);
      await suite.loseReply(call);
      const same = key();
      expect(await problem(act(same))).toEqual(unknown);
      const { reference } = await present(effect());
      const again = await value(actToEnd(same));
      if (reference !== undefined) expect(again).toMatchObject({ reference });
      expect(await effect()).toBeDefined();
    });
  });

  describe.each(changing)('$call, when the processor fails', (changed) => {
    const { call, reads, needs, asked, prepare } = changed;
    const it = suite.itNeeds(...needs);

    for (const [fault, error] of [
      ['rateLimit', { kind: 'rateLimited' }],
      ['refuse', { kind: 'unavailable', outcome: 'notApplied', answered: false }],
    ] as const) {
      it(`is not applied, and is then made under the same key: ${fault}`, async () => {
        const { act, actToEnd = act, effect } = await prepare(suite);
        await suite.able(fault)(call);
        const same = key();
        expect(await problem(act(same))).toEqual(error);
        expect(await effect()).toBeUndefined();
        await value(actToEnd(same));
        expect(await effect()).toBeDefined();
      });
    }

    for (const fault of ['fail', 'loseReply'] as const) {
      it(`is not judged by a read that has no answer: ${fault}`, async () => {
        suite.needs(fault);
        const { act, actUnreferenced = act, effect } = await prepare(suite);
        if (reads === undefined) return;
        if (fault === 'fail') await suite.able(fault)(reads, false);
        else await suite.able(fault)(reads);
        const answer = await actUnreferenced(key());
        // Some adapters change without a read. The fault is then left to this one.
        if (answer.isOk()) await useUp(reads);
        else expect(answer.error.kind).toBe('unavailable');
        await expectTrue(answer, effect);
      });
    }

    it('is not judged by a second read that the processor limits', async () => {
      const { act, actUnreferenced = act, effect } = await prepare(suite);
      if (reads === undefined) return;
      // After an accepted change, a read that was limited says nothing about it.
      await suite.able('rateLimit')(reads, 1);
      const answer = await actUnreferenced(key());
      // Some adapters read less often.
      for (const _read of [1, 2]) await useUp(reads);
      await expectTrue(answer, effect);
    });

    it('is unknown if it is applied and has no reply', async () => {
      const { on, actToEnd, act, effect } = await prepare(suite);
      const silent = await suite.able('silent')(call);
      const same = key();
      expect(await problem(on(silent, same))).toEqual(unanswered);
      expect(await effect()).toBeDefined();
      await value((actToEnd ?? act)(same));
    });

    it('is unknown and answered, and is made under another key', async () => {
      const { act, actToEnd = act, effect } = await prepare(suite);
      await suite.able('fail')(call, false);
      const first = key();
      expect(await problem(act(first))).toEqual(failed);
      expect(await effect()).toBeUndefined();
      await value(actToEnd(key()));
      expect(await effect()).toBeDefined();
    });

    it('is unknown and answered if it was applied, and the books show it', async () => {
      const { act, effect } = await prepare(suite);
      await suite.able('fail')(call, true);
      expect(await problem(act(key()))).toEqual(failed);
      expect(await effect()).toBeDefined();
    });

    it('is unknown for a reply that cannot be believed', async () => {
      const { act, effect } = await prepare(suite);
      await suite.able('garbleReply')(call);
      expect(await problem(act(key()))).toEqual(unknown);
      expect(await effect()).toBeDefined();
    });

    for (const member of asked) {
      it(`is unknown if the reply has another ${member}`, async () => {
        const { act, effect } = await prepare(suite);
        if (!(await suite.able('alterReply')(call, member))) {
          suite.skip(`the reply has no ${member}`);
        }
        expect(await problem(act(key()))).toEqual(unknown);
        expect(await effect()).toBeDefined();
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

/** A success was applied, and what says that nothing was done was not. */
async function expectTrue(
  answer: Result<unknown, ProcessorError>,
  effect: () => Promise<unknown>,
): Promise<void> {
  if (answer.isOk()) expect(await effect()).toBeDefined();
  else if (saysNothingWasDone(answer.error)) expect(await effect()).toBeUndefined();
}

/** A response without the processor's time. */
function timelessly(answer: unknown): object {
  return { ...Object(answer), at: undefined };
}
