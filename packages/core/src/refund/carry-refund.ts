import {
  ask,
  backoffMs,
  carry,
  didNothing,
  giveUp,
  handleOf,
  type LeftUnknown,
  lease,
  leftUnknown,
  processorKey,
  provesDead,
  type Written,
} from '../engine/carry.ts';
import { didNotSay, type ProcessorFault, refusalOf } from '../engine/faults.ts';
import type { Business } from '../host/business.ts';
import type { Payment } from '../payment/payment.ts';
import { touchPayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import { cardMustBePresent, type ProcessorError } from '../ports/processor.ts';
import type { Change } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import type { Part } from '../share/share.ts';
import { err, ok, type Result } from '../values/result.ts';
import { type EpochMs, hourMs } from '../values/time.ts';
import {
  isCounted,
  type ProcessorRefund,
  type Refund,
  type RefundAtWork,
  refundRejected,
} from './refund.ts';
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

interface AskedRefund {
  readonly amountMinor: bigint;
  readonly tipMinor?: bigint;
  readonly reason: string | undefined;
  readonly parts?: readonly Part[] | undefined;
}

/**
 * A refund that this call holds, before it is stored.
 * @param business the payment's, whose policy says what else goes back.
 */
export function newRefund(
  ports: Ports,
  { id: paymentId, account, currency, applicationFeeMinor }: Payment,
  business: Business | undefined,
  { amountMinor, tipMinor = 0n, reason, parts }: AskedRefund,
): RefundAtWork {
  const { returnsFee = false, reversesTransfer = true } = business?.refundPolicy ?? {};
  const at = ports.clock.now();
  const work = lease(ports, { kind: 'refund', fence: 1 });
  return {
    id: ports.ids.next('rfd'),
    paymentId,
    account,
    currency,
    amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(parts !== undefined && { parts }),
    ...(reason !== undefined && { reason }),
    // Only a payment with a fee can return one.
    returnsFee: returnsFee && applicationFeeMinor !== undefined,
    reversesTransfer,
    origin: 'here',
    state: 'pending',
    isBooked: false,
    version: 1,
    createdAt: at,
    updatedAt: at,
    work,
    nextCheckAt: work.leaseUntil,
    checks: 0,
  };
}

/**
 * Finishes a refund that this call holds: makes it at the processor and records it. A retry repeats
 * the same call under the same processor key (D20).
 * @param ports on the shared clock, which measures the age of a key (D42).
 */
export function finishRefunding(ports: Ports, payment: Payment, refund: RefundAtWork): Refunded {
  const known: Omit<RefundFacts, 'isOver'> = { isFirstCall: refund.work.fence === 1 };
  return carry(ports, refund, known, {
    decide: (held, seen) => {
      // Measured anew for each step, because the process may have been stopped for days.
      const isOver = ports.clock.now() >= refund.createdAt + sendForMs;
      return decideRefunding(held, { ...seen, isOver });
    },
    steps: {
      readBefore: async () => ({ before: await listAtProcessor(ports, payment) }),
      send: async (held) => ({ sent: await sendRefund(ports, payment, held) }),
      readAfter: async () => ({ after: await listAtProcessor(ports, payment) }),
    },
    hold: holdRefund,
    end: (held, end) => endRefunding(ports, held, end),
  });
}

function sendRefund(ports: Ports, payment: Payment, refund: RefundAtWork) {
  const { id: refundId, amountMinor, currency, returnsFee, reversesTransfer } = refund;
  return ask(ports, 'refund', () =>
    ports.processor.refunds.refund({
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

export function listAtProcessor(ports: Ports, payment: Payment) {
  return ask(ports, 'listRefunds', () => ports.processor.refunds.list(handleOf(ports, payment)));
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
      const what = end.error.kind === 'rejected' ? refundRejected : 'refund refused';
      const written = await writeWithPayment(ports, refund.paymentId, changes, (payment) =>
        touchPayment(payment, at, 'refund', [], what),
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

type Listed = Result<readonly ProcessorRefund[], unknown>;

/** The facts known while a reserved refund is being made at the processor. */
interface RefundFacts {
  /** The processor cannot have received an earlier call of ours. */
  readonly isFirstCall: boolean;
  /** The processor may have forgotten the key, so the refund is only looked up (D44). */
  readonly isOver: boolean;
  /** The payment's refunds before a repeated call, once listed. */
  readonly before?: Listed | undefined;
  /** The reply to the refund request, once sent. */
  readonly sent?: Result<ProcessorRefund, ProcessorError> | undefined;
  /** The payment's refunds after a failed request, once listed. */
  readonly after?: Listed | undefined;
}

type RefundEnd =
  /** The processor shows it: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorRefund }
  /** It is proven that this first call was not applied: remove the claim and its key (D21). */
  | { readonly next: 'withdraw'; readonly error: ProcessorError }
  /** The processor rejected it for good, and an earlier call was not applied either. */
  | { readonly next: 'fail'; readonly failure: string }
  /** It stays reserved. */
  | LeftUnknown;

type RefundNext = RefundEnd | { readonly next: 'readBefore' | 'send' | 'readAfter' };

/**
 * Decides the next step for a refund whose amount is reserved (D44). A repeated call reads first. A
 * lost reply never leads to a request under a second key.
 */
export function decideRefunding(refund: Refund, seen: RefundFacts): RefundNext {
  const { isFirstCall, isOver, before, sent, after } = seen;
  if (!isFirstCall) {
    if (before === undefined) return { next: 'readBefore' };
    if (before.isErr()) return leftUnknown(false);
    const found = findOwn(refund, before.value);
    if (found !== undefined) return { next: 'record', seen: found };
  }
  if (sent === undefined) return isOver ? leftUnknown(false) : { next: 'send' };
  if (sent.isOk()) return { next: 'record', seen: sent.value };
  const { error } = sent;
  if (didNothing(error) && isFirstCall) return { next: 'withdraw', error };
  if (didNothing(error) && error.kind !== 'rejected') return leftUnknown(false);
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return leftUnknown(false);
  const found = findOwn(refund, after.value);
  if (found !== undefined) return { next: 'record', seen: found };
  return error.kind === 'rejected'
    ? { next: 'fail', failure: error.reason }
    : leftUnknown(provesDead(error));
}

function findOwn({ id }: Refund, listed: readonly ProcessorRefund[]): ProcessorRefund | undefined {
  return listed.find(({ refundId }) => refundId === id);
}
