import type Stripe from 'stripe';
import { noAccess } from '../access.ts';
import { shownAccount } from '../account.ts';
import type { AccountBooks, Books } from '../books.ts';
import type { Form } from '../form.ts';
import { listOf, mapOf, numberOf, textOf } from '../form-values.ts';
import { giveBack } from '../give-back.ts';
import type { Replies } from '../replies.ts';
import { found, invalid, missing, type Reply } from '../reply.ts';
import type { StandInRequest } from '../request.ts';
import { page } from './page.ts';

export const accountEndpoints = {
  retrieveAccount(books: Books, { id }: StandInRequest): Reply<Replies['retrieveAccount']> {
    const account = books.accounts.get(id);
    if (account === undefined || account.revoked) return noAccess(books.switches, id);
    return found(shownAccount(account, 0));
  },

  retrieveCharge(books: Books, { account, id }: StandInRequest): Reply<Replies['retrieveCharge']> {
    const charge = books.of(account).charges.get(id);
    return charge ? found(charge) : missing('charge', id, 'id');
  },

  createRefund(books: Books, { account, form }: StandInRequest): Reply<Replies['createRefund']> {
    const id = textOf(form, 'payment_intent') ?? '';
    const own = books.of(account);
    const intent = own.intents.get(id);
    if (intent === undefined) return missing('payment_intent', id, 'payment_intent', 400);
    const charge = own.charges.get(intent.latest_charge ?? '');
    if (!charge?.captured) return invalid('This payment has no successful charge to refund.');
    const left = charge.amount_captured - charge.amount_refunded;
    const amount = numberOf(form, 'amount') ?? left;
    if (left === 0) return invalid('Already refunded.', { code: 'charge_already_refunded' });
    if (amount > left || amount < 1)
      return invalid('The amount exceeds the rest that was not refunded.', { param: 'amount' });
    const wants = (name: string) => textOf(form, name) === 'true';
    if (wants('reverse_transfer') && !charge.transfer_data) {
      return invalid('There is no transfer to reverse.', { param: 'reverse_transfer' });
    }
    if (wants('refund_application_fee') && !intent.application_fee_amount) {
      return invalid('There is no application fee.', { param: 'refund_application_fee' });
    }
    return found(giveBack(books, account, charge, amount, mapOf(form, 'metadata')));
  },

  listRefunds(books: Books, { account, form }: StandInRequest): Reply<Replies['listRefunds']> {
    const own = books.of(account);
    return page('/v1/refunds', [...own.refunds.keys()], form, ofIntent(own, own.refunds, form));
  },

  listDisputes(books: Books, { account, form }: StandInRequest): Reply<Replies['listDisputes']> {
    const own = books.of(account);
    return page('/v1/disputes', [...own.disputes.keys()], form, ofIntent(own, own.disputes, form));
  },
};

/** Shows what is about one intent, or about any, and its intent where that is asked for. */
function ofIntent<T extends Stripe.Refund | Stripe.Dispute>(
  own: AccountBooks,
  all: ReadonlyMap<string, T>,
  form: Form,
) {
  const intent = textOf(form, 'payment_intent');
  const isExpanded = listOf(form, 'expand').includes('data.payment_intent');
  return (id: string): T | undefined => {
    const one = all.get(id);
    if (one === undefined || (intent !== undefined && one.payment_intent !== intent)) {
      return undefined;
    }
    const whole = isExpanded ? own.intents.get(`${one.payment_intent}`) : undefined;
    return whole === undefined ? one : { ...one, payment_intent: whole };
  };
}
