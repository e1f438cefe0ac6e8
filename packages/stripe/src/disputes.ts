import { type DisputeState, type ResultAsync, secondMs } from '@chairside/core';
import type { PaymentHandle, ProcessorDispute } from '@chairside/core/ports';
import type { Call } from './connection.ts';
import type { Failure } from './failure.ts';
import { listOfIntent } from './intents.ts';
import { type Dispute, disputeShape } from './shapes.ts';
import { minorOf } from './tables.ts';

export function listDisputes(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<readonly ProcessorDispute[], Failure> {
  return listOfIntent(
    call,
    payment,
    disputeShape,
    (payment_intent) => (stripe, params, options) =>
      stripe.disputes.list({ ...params, payment_intent }, options),
  ).map((disputes) => disputes.map(toDispute));
}

/**
 * A dispute as Stripe shows it. Its status tells the case alone, its balance transactions what is
 * withheld, and `is_charge_refundable` whether Stripe refunds the charge now.
 */
export function toDispute(dispute: Dispute): ProcessorDispute {
  const { id, amount, created, currency, status, reason, evidence_details } = dispute;
  const booked = bookedFor(dispute);
  // Stripe refunds no more of a charge that went back whole, which is how an inquiry ends, but an inquiry holds nothing.
  const isInquiry = isWarning(status) && booked.bookings.length === 0;
  const isRefundable = isInquiry || dispute.is_charge_refundable;
  const respondBy = evidence_details?.due_by;
  return {
    reference: id,
    amountMinor: minorOf(amount, currency),
    state: stateOf(status),
    ...booked,
    ...(isRefundable !== undefined && { isRefundable }),
    ...(currency !== undefined && { currency }),
    ...(reason && { reason }),
    ...(respondBy && { respondBy: respondBy * secondMs }),
    ...(created && { openedAt: created * secondMs }),
  };
}

/** A warning that was closed, and a dispute that was prevented, take no money. */
function stateOf(status: string | undefined): DisputeState {
  if (status === 'lost') return 'lost';
  return status === 'won' || status === 'warning_closed' || status === 'prevented' ? 'won' : 'open';
}

function isWarning(status = ''): boolean {
  return status.startsWith('warning_');
}

type Booked = Pick<ProcessorDispute, 'bookings' | 'bookedIn'>;

/** Where Stripe does not say what it has booked, all but an inquiry and a case that was won withhold it. */
function bookedFor({ balance_transactions: booked, ...dispute }: Dispute): Booked {
  const { amount, currency, status } = dispute;
  const bookedIn = booked?.[0]?.currency;
  if (booked === undefined || booked.some((one) => one.currency !== bookedIn)) {
    const isWithheld = stateOf(status) !== 'won' && !isWarning(status);
    return { bookings: isWithheld ? [{ amountMinor: minorOf(-amount, currency) }] : [] };
  }
  return {
    bookings: booked.map(({ amount: amountMinor, created }) => ({
      amountMinor: minorOf(amountMinor, bookedIn),
      ...(created !== undefined && { at: created * secondMs }),
    })),
    ...(bookedIn !== undefined && { bookedIn }),
  };
}
