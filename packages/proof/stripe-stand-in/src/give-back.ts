import type Stripe from 'stripe';
import type { Books } from './books.ts';
import type { Charge } from './charge.ts';
import { refundOf } from './refund.ts';

/** Refunds a part of a captured charge, with Stripe's event. */
export function giveBack(
  books: Books,
  account: string | undefined,
  charge: Charge,
  amount: number,
  metadata: Readonly<Record<string, string>> = {},
): Stripe.Refund {
  const amount_refunded = charge.amount_refunded + amount;
  const refunded = amount_refunded === charge.amount_captured;
  const after: Charge = { ...charge, amount_refunded, refunded };
  books.of(account).charges.set(charge.id, after);
  const { amount_refunded: before } = charge;
  books.tell(account, 'charge.refunded', after, { amount_refunded: before });
  const made = refundOf(charge, { id: books.nextId('re'), amount, at: books.now() });
  const refund = { ...made, metadata };
  books.of(account).refunds.set(refund.id, refund);
  books.tell(account, 'refund.created', refund);
  return refund;
}

/** Ends a refund otherwise than it began: the card's bank sends the money back. */
export function endRefund(
  books: Books,
  account: string | undefined,
  refund: Stripe.Refund,
  status: 'pending' | 'failed' | 'canceled' | 'succeeded',
): void {
  const after: Stripe.Refund = {
    ...refund,
    status,
    ...(status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
  };
  const own = books.of(account);
  own.refunds.set(refund.id, after);
  const charge = own.charges.get(typeof refund.charge === 'string' ? refund.charge : '');
  if (charge !== undefined && (status === 'failed' || status === 'canceled')) {
    const amount_refunded = charge.amount_refunded - refund.amount;
    own.charges.set(charge.id, { ...charge, amount_refunded, refunded: false });
  }
  books.tell(account, 'refund.updated', after, { status: refund.status });
  if (status === 'failed') books.tell(account, 'refund.failed', after);
}
