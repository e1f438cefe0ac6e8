import type Stripe from 'stripe';
import { localCurrency } from '../account.ts';
import type { Books } from '../books.ts';
import type { StandInCard } from '../cards.ts';
import type { Endpoints } from '../endpoint.ts';
import type { StandInEvent } from '../event.ts';
import { canceled, type Intent, newIntent, presented } from '../intent.ts';
import { found, invalid, missing, type Reply, refuse } from '../reply.ts';
import { page, pageParams } from './page.ts';

export const intentEndpoints = {
  createPaymentIntent: {
    at: 'POST /v1/payment_intents',
    params: {
      amount: 'integer',
      application_fee_amount: 'integer',
      currency: 'string',
      allowed_payment_method_types: 'strings',
      capture_method: 'string',
      description: 'string',
      expand: 'strings',
      metadata: 'map',
      on_behalf_of: 'string',
      transfer_data: { destination: 'string' },
    },
    required: ['amount', 'currency'],
    run(own, { params }) {
      const { amount = 0, currency = '', allowed_payment_method_types: types = [] } = params;
      const { application_fee_amount: fee = null, on_behalf_of = null } = params;
      const { destination } = params.transfer_data ?? {};
      const owner = on_behalf_of ?? own.account;
      requireCharges(own, owner);
      requireTransfers(own, destination);
      checkMoney(amount, currency);
      checkCapture(params.capture_method, types);
      // A fee needs somebody else's account to be taken from.
      if (fee !== null && (fee > amount || (own.account ?? destination) === undefined)) {
        return invalid('This fee cannot be taken.', { param: 'application_fee_amount' });
      }
      const id = own.nextId('pi');
      const intent = newIntent({
        id,
        allowed_payment_method_types: [...types],
        amount,
        application_fee_amount: fee,
        client_secret: own.nextId(`${id}_secret`),
        created: own.now(),
        currency,
        description: params.description ?? null,
        livemode: own.livemode,
        metadata: params.metadata ?? {},
        on_behalf_of,
        payment_method_types: usable(own, owner, currency, types),
        transfer_data: destination === undefined ? null : { destination },
      });
      own.intents.set(id, intent);
      own.tell('payment_intent.created', intent);
      return shown(own, intent, params);
    },
  },

  retrievePaymentIntent: {
    at: 'GET /v1/payment_intents/{id}',
    params: { expand: 'strings' },
    run: (own, { id, params }) => shown(own, intentOf(own, id), params),
  },

  listPaymentIntents: {
    at: 'GET /v1/payment_intents',
    params: { ...pageParams, expand: 'strings' },
    run(own, { params }) {
      const isExpanded = params.expand?.includes('data.latest_charge');
      return page('/v1/payment_intents', params, own.intents, (intent) => {
        const now = aged(own, intent);
        return isExpanded ? expanded(own, now) : now;
      });
    },
  },

  /** Any update clears the last card's error. */
  updatePaymentIntent: {
    at: 'POST /v1/payment_intents/{id}',
    params: { description: 'string' },
    run(own, { id, params }) {
      const intent = intentOf(own, id);
      const { description = intent.description } = params;
      const after: Intent = { ...intent, description, last_payment_error: null };
      own.intents.set(id, after);
      return found(after);
    },
  },

  capturePaymentIntent: {
    at: 'POST /v1/payment_intents/{id}/capture',
    params: { amount_to_capture: 'integer', expand: 'strings' },
    run(own, { id, params }) {
      const intent = intentOf(own, id);
      if (intent.status !== 'requires_capture') return unexpectedState(intent, 'captured');
      const { amount_to_capture: amount = intent.amount_capturable } = params;
      if (amount > intent.amount_capturable || amount < 1) {
        return invalid('The amount to capture is too large.', { code: 'amount_too_large' });
      }
      const after: Intent = {
        ...intent,
        status: 'succeeded',
        amount_capturable: 0,
        amount_received: amount,
      };
      own.intents.set(id, after);
      const charge = own.charges.get(intent.latest_charge ?? '');
      if (charge !== undefined) {
        const balance_transaction = own.nextId('txn');
        const captured = { captured: true, amount_captured: amount, balance_transaction };
        own.charges.set(charge.id, { ...charge, ...captured });
      }
      own.tell('payment_intent.succeeded', after);
      return shown(own, after, params);
    },
  },

  cancelPaymentIntent: {
    at: 'POST /v1/payment_intents/{id}/cancel',
    params: { expand: 'strings' },
    run(own, { id, params }) {
      const intent = intentOf(own, id);
      // Stripe cancels a processing intent only in rare cases, which it does not document.
      if (!cancelable.has(intent.status)) return unexpectedState(intent, 'canceled');
      return shown(own, cancel(own, canceled(intent, null, own.now())), params);
    },
  },
} satisfies Partial<Endpoints>;

const cancelable: ReadonlySet<string> = new Set(['requires_payment_method', 'requires_capture']);

function intentOf(own: Books, id: string): Intent {
  return aged(own, own.intents.get(id) ?? refuse(missing('payment_intent', id, 'intent')));
}

/** Cancels an authorization that was not captured in time, as Stripe does. */
export function aged(own: Books, intent: Intent): Intent {
  if (intent.status !== 'requires_capture') return intent;
  const details = own.charges.get(intent.latest_charge ?? '')?.payment_method_details;
  const before = details?.card_present?.capture_before;
  if (before === undefined || own.now() < before) return intent;
  own.blame(null);
  return cancel(own, canceled(intent, 'automatic', before));
}

/**
 * Stores a canceled intent and its event. The held amount appears as refunded, in the charge and in
 * an event.
 */
function cancel(own: Books, after: Intent): Intent {
  own.intents.set(after.id, after);
  own.tell('payment_intent.canceled', after);
  const charge = own.charges.get(after.latest_charge ?? '');
  if (charge?.paid === true) {
    const released = { ...charge, amount_refunded: charge.amount, refunded: true };
    own.charges.set(charge.id, released);
    own.tell('charge.refunded', released, { amount_refunded: 0, refunded: false });
  }
  return after;
}

/** Presents a card to the reader that collects an intent, with Stripe's events. */
export function hold(own: Books, id: string, card: StandInCard, from = own.intents.get(id)): void {
  if (card.wallet !== undefined && !own.livemode) {
    throw new Error("Stripe's test mode has no wallets");
  }
  const ids = { chargeId: own.nextId('ch'), paymentMethod: own.nextId('pm'), at: own.now() };
  const after = from && presented(from, card, ids);
  if (after === undefined) throw new Error('the intent accepts no card any more');
  if (after.charge !== undefined) own.charges.set(ids.chargeId, after.charge);
  own.intents.set(id, after.intent);
  own.blame(null);
  own.tell(toldOf(after.intent), after.intent);
}

function toldOf({ status, last_payment_error }: Intent): StandInEvent['type'] {
  if (status === 'requires_capture') return 'payment_intent.amount_capturable_updated';
  if (status === 'processing') return 'payment_intent.processing';
  if (status === 'canceled') return 'payment_intent.canceled';
  return last_payment_error === null ? 'payment_intent.created' : 'payment_intent.payment_failed';
}

function shown(
  own: Books,
  intent: Intent,
  { expand = [] }: { readonly expand?: readonly string[] },
): Reply<Stripe.PaymentIntent> {
  return found(expand.includes('latest_charge') ? expanded(own, intent) : intent);
}

function expanded({ charges }: Books, intent: Intent): Stripe.PaymentIntent {
  return {
    ...intent,
    latest_charge: charges.get(intent.latest_charge ?? '') ?? intent.latest_charge,
  };
}

function unexpectedState(intent: Intent, what: string): Reply<never> {
  const message = `This PaymentIntent could not be ${what} because it has a status of ${intent.status}.`;
  return invalid(message, { code: 'payment_intent_unexpected_state', payment_intent: intent });
}

/** Stripe silently omits methods that the account cannot take in this currency. */
function usable(
  { accounts }: Books,
  owner: string | undefined,
  currency: string,
  types: readonly string[],
): string[] {
  const account = accounts.get(owner ?? '');
  const local = localCurrency(account?.country ?? '') ?? account?.currency ?? currency;
  return types.filter((type) => type !== 'card_present' || currency === local);
}

function checkMoney(amount: number, currency: string): void {
  if (amount < 50) {
    refuse(invalid('Amount is too small.', { code: 'amount_too_small', param: 'amount' }));
  }
  if (!/^[a-z]{3}$/.test(currency)) {
    refuse(invalid(`Invalid currency: ${currency}`, { param: 'currency' }));
  }
}

function checkCapture(method: string | undefined, types: readonly string[]): void {
  if (method === 'manual' && types.includes('interac_present')) {
    const about = { code: 'payment_intent_invalid_parameter', param: 'capture_method' } as const;
    refuse(invalid('Interac payments cannot be captured by hand.', about));
  }
  if (method !== 'manual' || !types.includes('card_present')) {
    refuse(invalid('The stand-in knows only manual card_present intents.'));
  }
}

function requireCharges({ accounts }: Books, account: string | undefined): void {
  const known = accounts.get(account ?? '');
  if (account === undefined || (known?.chargesEnabled && known.cardPayments === 'active')) return;
  // Stripe's code for this is not documented. It was seen with this code and without one.
  const isCapability = known?.chargesEnabled === true;
  const about = isCapability ? { code: 'payment_intent_invalid_parameter' as const } : {};
  refuse(invalid('This account cannot take card payments.', about));
}

function requireTransfers({ accounts }: Books, destination: string | undefined): void {
  if (destination === undefined || accounts.get(destination)?.transfers === 'active') return;
  refuse(invalid('The destination cannot receive transfers.', { code: 'transfers_not_allowed' }));
}
