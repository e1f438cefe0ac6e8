import { errAsync, hourMs, type Result } from '@chairside/core';
import type {
  ProcessorError,
  ProcessorRefund,
  ProcessorRefunds,
  RefundPaymentRequest,
} from '@chairside/core/ports';
import { minor } from '../minor.ts';
import { hash } from '../plan/random.ts';
import { entryOf, type Gate, type Task } from './gate.ts';
import { failed, laterMs, processorCalls } from './processor-calls.ts';
import { watchRefundReply, watchRefundSent } from './watch-refunds.ts';

type Refunded = Promise<Result<ProcessorRefund, ProcessorError>>;

/** The bank of a card may take days, also longer than a key is kept. */
const daysMs = [30 * hourMs, 100 * hourMs] as const;

/** The processor's refunds for one task. */
export function gatedRefunds(gate: Gate, task: Task, refunds: ProcessorRefunds): ProcessorRefunds {
  const { ask, tell } = processorCalls(gate, task);
  const { processor } = gate.world();
  const referenceOf = async ({ paymentId }: RefundPaymentRequest) =>
    (await entryOf(gate, paymentId))?.id ?? '';

  /** It may have ended otherwise by then. */
  function noteError(done: Result<unknown, unknown> | undefined): void {
    if (done?.isErr()) gate.evidence.texts.add(JSON.stringify(done.error));
  }

  function endLater(request: RefundPaymentRequest, state: 'succeeded' | 'failed', drawn: number) {
    return ({ reference }: ProcessorRefund) => {
      const days = hash(drawn) % 4 === 0 ? daysMs[hash(drawn, 2) % daysMs.length] : undefined;
      const ms = days ?? laterMs(drawn);
      void gate.scheduler.after(ms, async () =>
        noteError(await processor.endRefund?.(await referenceOf(request), reference, state)),
      );
    };
  }

  /** Accepted as pending; one in three fails in the end. */
  async function pend(request: RefundPaymentRequest, drawn: number): Refunded {
    // One in two waits until the balance suffices.
    await processor.slowRefunds?.(true, hash(drawn, 3) % 2 === 0);
    const accepted = await refund(request);
    await processor.slowRefunds?.(false);
    const state = hash(drawn, 1) % 3 === 0 ? 'failed' : 'succeeded';
    return accepted.andTee(endLater(request, state, drawn));
  }

  async function overtake(request: RefundPaymentRequest): Refunded {
    const entry = await entryOf(gate, request.paymentId);
    const left = (entry?.refunds ?? [])
      .filter(({ state }) => state === 'pending' || state === 'succeeded')
      .reduce((sum, { amount }) => sum - minor(amount), minor(entry?.amountCaptured ?? '0.00'));
    // It fails if there is no rest, or the payment is not captured.
    if (left > 0n) noteError(await processor.refund(await referenceOf(request), left));
    return refund(request);
  }

  async function refund(request: RefundPaymentRequest): Refunded {
    const replied = await refunds.refund(request);
    watchRefundReply(gate, request, replied);
    return replied;
  }

  return {
    refund(request) {
      watchRefundSent(gate, request);
      return tell('refund', () => refund(request), {
        pends: (drawn) => pend(request, drawn),
        failsLater: async (drawn) => {
          const made = await refund(request);
          return made.andTee(endLater(request, 'failed', drawn));
        },
        overtaken: () => overtake(request),
      });
    },
    list: (payment) =>
      ask('listRefunds', () =>
        gate.evidence.unreadable.has(payment.paymentId) ? errAsync(failed) : refunds.list(payment),
      ),
    listRecent: (request) => ask('listRecentRefunds', () => refunds.listRecent(request)),
  };
}
