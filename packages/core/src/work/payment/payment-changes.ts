import { ledgerIdOf } from '../../domain/charge.ts';
import type {
  DisputeEvent,
  DomainEvent,
  PaymentStateEventData,
  RefundEvent,
} from '../../domain/event.ts';
import type { Followed } from '../../domain/follow-ledger.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Movement } from '../../domain/movement.ts';
import {
  chargeRefusalOf,
  isFinal,
  noted,
  type Payment,
  type PaymentState,
} from '../../domain/payment.ts';
import type { EpochMs } from '../../domain/time.ts';
import { owedMinor, tipIn, tipMember } from '../../domain/tip.ts';
import type { Change } from '../../ports/change.ts';
import { reviewChanges } from './reviews.ts';

/** The changes for a payment: itself, its appointment's ledger and its events, in one commit. */
export function changesOf(
  before: Payment,
  { payment, passed, capturedMinor = 0n, reviewedAt, maxCommittedMinor }: Followed,
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
  const appointmentId = ledgerIdOf(after);
  return [
    {
      kind: 'moveLedger',
      appointmentId,
      openPayments,
      reservedMinor,
      // The ledger counts only what the appointment owes (D48).
      capturedMinor: capturedMinor - tipIn(after, capturedMinor),
      currency: after.currency,
      ...(maxCommittedMinor !== undefined && { maxCommittedMinor }),
    },
  ];
}

function reservedBy(payment: Payment): bigint {
  return payment.reserved ? owedMinor(payment) : 0n;
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
      ...tipMember(tipIn(payment, amountMinor)),
      currency: payment.currency,
      state,
      ...chargeData(payment, state),
    },
  };
  return { kind: 'appendEvent', event };
}

/** The members that the event of a charge has in addition (D49). */
function chargeData(
  payment: Payment,
  state: PaymentState,
): Pick<PaymentStateEventData, 'purpose' | 'refusal'> {
  const { charge } = payment;
  if (charge === undefined) return {};
  const refusal = state === 'canceled' ? chargeRefusalOf(payment) : undefined;
  return { purpose: charge.purpose, ...(refusal !== undefined && { refusal }) };
}

/** Makes the event of a change, once the payment gives it a version. */
export type EventMaker = (
  frame: RefundEventFrame,
  about: RefundedPayment,
) => RefundEvent | DisputeEvent;
type RefundEventFrame = Pick<RefundEvent, 'subject' | 'version' | 'occurredAt'>;
type RefundedPayment = Pick<
  RefundEvent['data'],
  'contactlessPaymentId' | 'appointmentId' | 'businessId'
>;

/**
 * The payment after a change of its refunds, disputes or keys. Each such change raises the payment's
 * version. A refund is reserved at the version that its amount was decided by, so a refund recorded
 * since makes the commit fail (D44).
 * @param makers make the events for the host, in order.
 * @param entry the line of the timeline; by default the events.
 */
export function touchPayment(
  payment: Payment,
  at: EpochMs,
  cause: string,
  makers: readonly EventMaker[],
  entry?: string,
): { readonly after: Payment; readonly changes: readonly Change[] } {
  const about = {
    contactlessPaymentId: payment.id,
    appointmentId: payment.appointment.id,
    businessId: payment.businessId,
  };
  const events = makers.map((make, index) =>
    make({ subject: payment.id, version: payment.version + 1 + index, occurredAt: at }, about),
  );
  const states = events.map(({ type }) => type.replace('contactlessPayment.', ''));
  const after = {
    ...payment,
    version: payment.version + Math.max(1, events.length),
    timeline: (entry === undefined ? states : [entry]).reduce(
      (timeline, what) => noted(timeline, { at, what, cause }),
      payment.timeline,
    ),
  };
  return {
    after,
    changes: [
      { kind: 'updatePayment', payment: after, expectedVersion: payment.version },
      ...events.map((event): Change => ({ kind: 'appendEvent', event })),
    ],
  };
}

/** Records what a refund or dispute has moved, for the statement of its day (D50). */
export function movementChanges(movements: readonly Movement[]): readonly Change[] {
  return movements.map((movement) => ({ kind: 'insertMovement', movement }));
}
