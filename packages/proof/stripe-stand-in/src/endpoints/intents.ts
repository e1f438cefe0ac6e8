import type { AccountBooks, Books } from '../books.ts';
import type { Form } from '../form.ts';
import { listOf, mapOf, numberOf, textOf } from '../form-values.ts';
import { canceled, type Intent, newIntent } from '../intent.ts';
import type { Replies } from '../replies.ts';
import { found, invalid, missing, Refusal, type Reply } from '../reply.ts';
import type { StandInRequest } from '../request.ts';
import {
  checkCapture,
  checkMoney,
  requireCharges,
  requireTransfers,
  usable,
} from './check-intent.ts';
import { page } from './page.ts';

type IntentReply = Reply<Replies['retrievePaymentIntent']>;

export const intentEndpoints = {
  createPaymentIntent(books: Books, { account, form }: StandInRequest): IntentReply {
    const on = textOf(form, 'on_behalf_of');
    requireCharges(books, on ?? account);
    const { destination } = mapOf(form, 'transfer_data');
    requireTransfers(books, destination);
    const types = listOf(form, 'allowed_payment_method_types');
    const amount = numberOf(form, 'amount') ?? 0;
    const currency = textOf(form, 'currency') ?? '';
    checkMoney(amount, currency);
    checkCapture(form, types);
    const fee = numberOf(form, 'application_fee_amount') ?? null;
    // A fee needs somebody else's account to be taken from.
    if (fee !== null && (fee > amount || (account === undefined && destination === undefined))) {
      const param = 'application_fee_amount';
      throw new Refusal(invalid('This fee cannot be taken.', { param }));
    }
    const id = books.nextId('pi');
    const intent = newIntent({
      id,
      allowed_payment_method_types: [...types],
      amount,
      application_fee_amount: fee,
      client_secret: books.nextId(`${id}_secret`),
      created: books.now(),
      currency,
      description: textOf(form, 'description') ?? null,
      destination,
      livemode: books.livemode,
      metadata: mapOf(form, 'metadata'),
      on_behalf_of: on ?? null,
      payment_method_types: usable(books, on ?? account, currency, types),
    });
    const own = books.of(account);
    own.intents.set(id, intent);
    books.tell(account, 'payment_intent.created', intent);
    return shown(own, intent, form);
  },

  retrievePaymentIntent(books: Books, request: StandInRequest): IntentReply {
    return shown(books.of(request.account), intentOf(books, request), request.form);
  },

  listPaymentIntents(
    books: Books,
    { account, form }: StandInRequest,
  ): Reply<Replies['listPaymentIntents']> {
    const own = books.of(account);
    const isExpanded = listOf(form, 'expand').includes('data.latest_charge');
    return page('/v1/payment_intents', [...own.intents.keys()], form, (id) => {
      const intent = own.intents.get(id);
      if (intent === undefined) return undefined;
      const now = aged(books, account, intent);
      return isExpanded ? expanded(own, now) : now;
    });
  },

  /** Any update clears the last card's error. */
  updatePaymentIntent(books: Books, request: StandInRequest): IntentReply {
    const intent = intentOf(books, request);
    const description = textOf(request.form, 'description') ?? intent.description;
    const after: Intent = { ...intent, description, last_payment_error: null };
    const own = books.of(request.account);
    own.intents.set(intent.id, after);
    return shown(own, after, request.form);
  },

  capturePaymentIntent(books: Books, request: StandInRequest): IntentReply {
    const { account, form } = request;
    const intent = intentOf(books, request);
    if (intent.status !== 'requires_capture') throw unexpectedState(intent, 'captured');
    const amount = numberOf(form, 'amount_to_capture') ?? intent.amount_capturable;
    if (amount > intent.amount_capturable || amount < 1) {
      throw new Refusal(
        invalid('The amount to capture is too large.', { code: 'amount_too_large' }),
      );
    }
    const after: Intent = {
      ...intent,
      status: 'succeeded',
      amount_capturable: 0,
      amount_received: amount,
    };
    const own = books.of(account);
    own.intents.set(intent.id, after);
    const charge = own.charges.get(intent.latest_charge ?? '');
    if (charge !== undefined) {
      const balance_transaction = books.nextId('txn');
      own.charges.set(charge.id, {
        ...charge,
        captured: true,
        amount_captured: amount,
        balance_transaction,
      });
    }
    books.tell(account, 'payment_intent.succeeded', after);
    return shown(own, after, form);
  },

  cancelPaymentIntent(books: Books, request: StandInRequest): IntentReply {
    const { account, form } = request;
    const intent = intentOf(books, request);
    // Stripe cancels a processing intent only in rare cases, which it does not document.
    if (!cancelable.has(intent.status)) throw unexpectedState(intent, 'canceled');
    const reason = textOf(form, 'cancellation_reason') ?? null;
    const after = cancel(books, account, canceled(intent, reason, books.now()));
    return shown(books.of(account), after, form);
  },
};

const cancelable: ReadonlySet<string> = new Set(['requires_payment_method', 'requires_capture']);

function intentOf(books: Books, { account, id }: StandInRequest): Intent {
  const intent = books.of(account).intents.get(id);
  if (intent === undefined) throw new Refusal(missing('payment_intent', id, 'intent'));
  return aged(books, account, intent);
}

/** Cancels an authorization that was not captured in time, as Stripe does. */
export function aged(books: Books, account: string | undefined, intent: Intent): Intent {
  if (intent.status !== 'requires_capture') return intent;
  const details = books.of(account).charges.get(intent.latest_charge ?? '')?.payment_method_details;
  const before = details?.card_present?.capture_before;
  if (before === undefined || books.now() < before) return intent;
  books.blame(null);
  return cancel(books, account, canceled(intent, 'automatic', before));
}

/**
 * Stores a canceled intent and its event. The held amount appears as refunded, in the charge and in
 * an event.
 */
function cancel(books: Books, account: string | undefined, after: Intent): Intent {
  const own = books.of(account);
  own.intents.set(after.id, after);
  books.tell(account, 'payment_intent.canceled', after);
  const charge = own.charges.get(after.latest_charge ?? '');
  if (charge?.paid === true) {
    const released = { ...charge, amount_refunded: charge.amount, refunded: true };
    own.charges.set(charge.id, released);
    books.tell(account, 'charge.refunded', released, { amount_refunded: 0, refunded: false });
  }
  return after;
}

function shown(own: AccountBooks, intent: Intent, form: Form): IntentReply {
  return found(listOf(form, 'expand').includes('latest_charge') ? expanded(own, intent) : intent);
}

function expanded(own: AccountBooks, intent: Intent) {
  const charge = own.charges.get(intent.latest_charge ?? '');
  return charge === undefined ? intent : { ...intent, latest_charge: charge };
}

function unexpectedState(intent: Intent, what: string): Refusal {
  const message = `This PaymentIntent could not be ${what} because it has a status of ${intent.status}.`;
  return new Refusal(
    invalid(message, { code: 'payment_intent_unexpected_state', payment_intent: intent }),
  );
}
