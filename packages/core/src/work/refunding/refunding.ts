import type { Payment } from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import { isCounted, type Refund, type RefundAtWork } from '../../domain/refund.ts';
import { conflict } from '../../domain/refusals.ts';
import { err, ok } from '../../domain/result.ts';
import { type EpochMs, hourMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import { cardMustBePresent, type ProcessorRefunds } from '../../ports/processor.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import { ask, handleOf, processorKey } from '../ask.ts';
import { carry, type Written } from '../carry.ts';
import { didNotSay, type ProcessorFault, refusalOf } from '../faults.ts';
import { backoffMs, giveUp } from '../lease.ts';
import { touchPayment } from '../payment/payment-changes.ts';
import { decideRefunding, type RefundEnd, type RefundSeen } from './decide-refunding.ts';
import {
  holdRefund,
  recordRefund,
  refundEvent,
  unsettledReview,
  writeRefund,
  writeWithPayment,
} from './write-refund.ts';

type Refunded = Written<Refund, ProcessorFault>;

/**
 * The processor keeps a key for at least 20 hours, so a request is sent for a shorter time (D44).
 */
const sendForMs = 18 * hourMs;

/**
 * Finishes a refund that this call holds: makes it at the processor and records it. A retry repeats
 * the same call under the same processor key (D20).
 * @param ports on the shared clock, which measures the age of a key (D42).
 */
export function finishRefunding(
  ports: Ports,
  refunds: ProcessorRefunds,
  payment: Payment,
  refund: RefundAtWork,
): Refunded {
  const known: Omit<RefundSeen, 'isOver'> = { isFirstCall: refund.work.fence === 1 };
  return carry(ports, refund, known, {
    decide: (held, seen) => {
      // Measured anew for each step, because the process may have been stopped for days.
      const isOver = ports.clock.now() >= refund.createdAt + sendForMs;
      return decideRefunding(held, { ...seen, isOver });
    },
    steps: {
      readBefore: async () => ({ before: await listAtProcessor(ports, refunds, payment) }),
      send: async (held) => ({ sent: await sendRefund(ports, refunds, payment, held) }),
      readAfter: async () => ({ after: await listAtProcessor(ports, refunds, payment) }),
    },
    hold: holdRefund,
    end: (held, end) => endRefunding(ports, held, end),
  });
}

function sendRefund(
  ports: Ports,
  refunds: ProcessorRefunds,
  payment: Payment,
  refund: RefundAtWork,
) {
  const { id: refundId, amountMinor, currency, returnsFee, reversesTransfer } = refund;
  return ask(ports, 'refund', () =>
    refunds.refund({
      ...handleOf(ports, payment),
      refundId,
      amountMinor,
      currency,
      returnsFee,
      reversesTransfer,
      idempotencyKey: processorKey(refund, 'refund'),
    }),
  );
}

export function listAtProcessor(ports: Ports, refunds: ProcessorRefunds, payment: Payment) {
  return ask(ports, 'listRefunds', () => refunds.list(handleOf(ports, payment)));
}

async function endRefunding(ports: Ports, refund: RefundAtWork, end: RefundEnd): Refunded {
  switch (end.next) {
    case 'record': {
      const recorded = await recordRefund(ports, refund, end.seen, 'refund');
      return recorded.andThen((after) => (isCounted(after) ? ok(after) : err(refundFailed(after))));
    }
    case 'withdraw': {
      const { id, version } = refund;
      const changes: readonly Change[] = [
        { kind: 'deleteRefund', id, expectedVersion: version },
        { kind: 'deleteKeys', resourceId: id },
      ];
      const at = ports.clock.now();
      const written = await writeWithPayment(ports, refund.paymentId, changes, (payment) =>
        touchPayment(payment, at, 'refund', [], 'refund refused'),
      );
      return written.andThen(() => err(refusalOf(end.error, whyRejected(end.error))));
    }
    case 'fail': {
      const failed = failedRefund(refund, end.failure, ports.clock.now());
      const changes: readonly Change[] = [
        { kind: 'updateRefund', refund: failed, expectedVersion: refund.version },
      ];
      const written = await writeWithPayment(ports, refund.paymentId, changes, (payment) =>
        touchPayment(payment, failed.updatedAt, 'refund', [refundEvent(failed)]),
      );
      return written.andThen(() => err(refundFailed(failed)));
    }
    case 'unknown': {
      const written = await letGoOfRefund(ports, refund, end.provedDead);
      return written.andThen(() => err(didNotSay('it refunded it')));
    }
  }
}

/** Ends the reservation, because a final rejection takes no money. */
function failedRefund(refund: RefundAtWork, failure: string, at: EpochMs): Refund {
  const { work: _work, ...rest } = refund;
  const version = refund.version + 1;
  return { ...rest, state: 'failed', failure, version, updatedAt: at, checks: 0, nextCheckAt: at };
}

/** Releases the refund for a retry at once; its amount stays reserved (D44). */
async function letGoOfRefund(ports: Ports, refund: RefundAtWork, provedDead: boolean) {
  const now = ports.clock.now();
  const freed: Refund = {
    ...refund,
    work: giveUp(refund.work, now, provedDead),
    nextCheckAt: now + backoffMs(refund.checks),
    checks: refund.checks + 1,
  };
  return writeRefund(ports, refund, freed, await unsettledReview(ports, refund, now));
}

function whyRejected(error: ProcessorError): string {
  return error.kind === 'rejected' && error.reason === cardMustBePresent
    ? 'This card is refunded only while it is held to a terminal.'
    : 'The payment processor rejected this refund.';
}

/** The response to a key whose refund has failed. A new refund needs a new key. */
export function refundFailed({ id, failure }: Refund): Fault<'conflict'> {
  return conflict('refundFailed', 'The refund failed, so no money went back.', {
    refundId: id,
    ...(failure !== undefined && { failure }),
  });
}
