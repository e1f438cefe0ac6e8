import { commit } from '../call/commit.ts';
import type { DomainEvent } from '../domain/event.ts';
import {
  type Followed,
  followLedger,
  noted,
  type ProcessorPayment,
} from '../domain/follow-ledger.ts';
import { formatMoney } from '../domain/money.ts';
import {
  isFinal,
  type Payment,
  type PaymentAtWork,
  type PaymentState,
  type Work,
} from '../domain/payment.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { minuteMs, secondMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import type { Running } from './faults.ts';
import { giveUp, isRunningOut, isSameHolder, renewed, takeOverFrom } from './lease.ts';
import { reviewChanges } from './open-review.ts';

/**
 * The changes for a payment: itself, its appointment's ledger and its events, in one commit.
 * @param maxCommittedMinor the most that may be captured and reserved for the appointment (D13).
 */
export function changesOf(
  before: Payment,
  { payment, passed, capturedMinor = 0n, reviewedAt }: Followed,
  maxCommittedMinor?: bigint,
): { readonly after: Payment; readonly changes: readonly Change[] } {
  // A version is used once, so an observation without a new state counts as a change too.
  const after =
    payment.version > before.version ? payment : { ...payment, version: before.version + 1 };
  return {
    after,
    changes: [
      { kind: 'updatePayment', payment: after, expectedVersion: before.version },
      ...ledgerChange(before, after, capturedMinor, maxCommittedMinor),
      ...passed.map((state, index) =>
        eventOf(after, state, before.version + 1 + index, capturedMinor),
      ),
      ...reviewChanges(before, after, reviewedAt ?? after.updatedAt),
    ],
  };
}

function ledgerChange(
  before: Payment,
  after: Payment,
  capturedMinor: bigint,
  maxCommittedMinor?: bigint,
): Change[] {
  const openPayments = Number(!isFinal(after)) - Number(!isFinal(before));
  const reservedMinor = reservedBy(after) - reservedBy(before);
  if (openPayments === 0 && reservedMinor === 0n && capturedMinor === 0n) return [];
  const appointmentId = after.appointment.id;
  return [
    {
      kind: 'moveLedger',
      appointmentId,
      openPayments,
      reservedMinor,
      capturedMinor,
      currency: after.currency,
      ...(maxCommittedMinor !== undefined && { maxCommittedMinor }),
    },
  ];
}

function reservedBy({ reserved, amountMinor }: Payment): bigint {
  return reserved ? amountMinor : 0n;
}

/** The event for a new state (D26). A capture carries the captured amount. */
function eventOf(
  payment: Payment,
  state: PaymentState,
  version: number,
  capturedMinor: bigint,
): Change {
  const amountMinor = state === 'captured' ? capturedMinor : payment.amountMinor;
  const event: DomainEvent = {
    subject: payment.id,
    version,
    type: `contactlessPayment.${state}`,
    occurredAt: payment.updatedAt,
    data: {
      contactlessPaymentId: payment.id,
      appointmentId: payment.appointment.id,
      businessId: payment.businessId,
      barberId: payment.appointment.barber.id,
      amount: formatMoney(amountMinor),
      currency: payment.currency,
      state,
    },
  };
  return { kind: 'appendEvent', event };
}

export type Written<T, E = never> = Promise<Result<T, E | StoreConflict | StoreUnavailable>>;

/** How often a write is repeated after unrelated changes. */
export const maxTries = 8;

/**
 * Writes the result of `become` for a payment. Another change (an event, say) may come first while
 * the work is still ours. Then it applies `become` to the new record, so `become` must be right
 * from any state. If the work is no longer ours, this call was fenced out and writes no change
 * (D20).
 */
export async function writePayment(
  ports: Ports,
  payment: Payment,
  become: (payment: Payment) => Followed,
  alongside: readonly Change[] = [],
): Written<Payment> {
  let before = payment;
  for (let tries = 1; ; tries += 1) {
    const { after, changes } = changesOf(before, become(before));
    const written = await commit(ports, [...changes, ...alongside]);
    if (written.isOk()) return ok(after);
    const { error } = written;
    const isStale = error.kind === 'storeConflict' && error.change === 'updatePayment';
    if (!isStale || payment.work === undefined || tries === maxTries) return err(error);
    const stored = await ports.store.payments.get(payment.id);
    if (stored.isErr()) return err(stored.error);
    if (stored.value === undefined || !isSameHolder(stored.value, payment.work)) return err(error);
    before = stored.value;
  }
}

/** Writes the state that the processor's ledger shows. */
export function writeSeen(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
  cause: string,
  alongside: readonly Change[] = [],
): Written<Payment> {
  const become = (stored: Payment) => followLedger(stored, seen, ports.clock.now(), cause);
  return writePayment(ports, payment, become, alongside);
}

/** Takes over a payment's interrupted work; 409 running if its holder is alive (D19). */
export async function takeOverWork(
  ports: Ports,
  payment: Payment,
  before: Work,
): Promise<Result<PaymentAtWork, Running | StoreConflict | StoreUnavailable>> {
  const taken = takeOverFrom(ports, before);
  return taken.isOk() ? holdBy(ports, payment, taken.value) : err(taken.error);
}

/**
 * Keeps a payment held for one more processor call. It commits only if much of the lease is used
 * up.
 */
export async function stillHeld(
  ports: Ports,
  payment: PaymentAtWork,
): Promise<Result<PaymentAtWork, StoreConflict | StoreUnavailable>> {
  if (!isRunningOut(ports, payment.work)) return ok(payment);
  const work = renewed(ports, payment.work);
  return holdBy(ports, payment, work);
}

async function holdBy(
  ports: Ports,
  payment: Payment,
  work: Work,
): Promise<Result<PaymentAtWork, StoreConflict | StoreUnavailable>> {
  const written = await writePayment(ports, payment, (stored) => ({
    payment: { ...stored, work, nextCheckAt: work.leaseUntil },
    passed: [],
  }));
  return written.map((held) => ({ ...held, work }));
}

const firstWaitMs = 5 * secondMs;
const longestWaitMs = 60 * minuteMs;

/** The wait before `reconcile`'s next check: doubled after each check in vain, up to an hour. */
export function backoffMs(checks: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(checks, 20));
}

/**
 * Releases the work at once, so that the next retry need not wait for the lease (D20).
 * @param provedDead the last attempt was not applied and its key only replays a failure, so the
 * next attempt needs a new key.
 */
export function letGo(
  ports: Ports,
  payment: PaymentAtWork,
  outcome: string,
  provedDead = false,
): Written<Payment> {
  return writePayment(ports, payment, (stored) => {
    const now = ports.clock.now();
    const work = giveUp(payment.work, now);
    const entry = { at: now, what: `${work.kind} ${outcome}`, cause: work.kind };
    const freed: Payment = {
      ...stored,
      work: { ...work, attempt: work.attempt + Number(provedDead) },
      nextCheckAt: now + backoffMs(stored.checks),
      checks: stored.checks + 1,
      timeline: noted(stored.timeline, entry),
    };
    return { payment: freed, passed: [] };
  });
}
