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
): Stripe.Refund {
  const amount_refunded = charge.amount_refunded + amount;
  const refunded = amount_refunded === charge.amount_captured;
  const after: Charge = { ...charge, amount_refunded, refunded };
  books.of(account).charges.set(charge.id, after);
  const { amount_refunded: before } = charge;
  books.tell(account, 'charge.refunded', after, { amount_refunded: before });
  const refund = refundOf(charge, { id: books.nextId('re'), amount, at: books.now() });
  books.tell(account, 'refund.created', refund);
  return refund;
}
