import type Stripe from 'stripe';
import { localCurrency } from '../account.ts';
import { bookCharge, shownEntry } from '../booking.ts';
import type { Books } from '../books.ts';
import type { Params } from '../calls.ts';
import type { StandInCard } from '../cards.ts';
import { sparse } from '../charge.ts';
import type { Endpoints } from '../endpoint.ts';
import type { StandInEvent } from '../event.ts';
import { type Charging, canceled, type Intent, newIntent, presented, refused } from '../intent.ts';
import type { Method } from '../method.ts';
import { failed, found, invalid, missing, type Reply, refuse } from '../reply.ts';
import { requireCharges, takeMethod } from './customers.ts';
import { page, pageParams } from './page.ts';
import { release } from './refunds.ts';

export const intentEndpoints = {
  createPaymentIntent: {
    at: 'POST /v1/payment_intents',
    params: {
      amount: 'integer',
      application_fee_amount: 'integer',
      currency: 'string',
      allowed_payment_method_types: 'strings',
      capture_method: 'string',
      confirm: 'boolean',
      customer: 'string',
      description: 'string',
      expand: 'strings',
      metadata: 'map',
      off_session: 'string',
      on_behalf_of: 'string',
      payment_method: 'string',
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
      checkConfirm(params, types);
      // A fee needs somebody else's account to be taken from.
      if (fee !== null && (fee > amount || (own.account ?? destination) === undefined)) {
        return invalid('This fee cannot be taken.', { param: 'application_fee_amount' });
      }
      const saved = params.confirm
        ? takeMethod(own, params.payment_method ?? '', params.customer)
        : undefined;
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
        customer: params.customer ?? null,
        payment_method_options: types.includes('card') ? cardOptions : terminalOptions,
      });
      own.intents.set(id, intent);
      own.tell('payment_intent.created', intent);
      if (saved !== undefined) return confirm(own, intent, saved, params);
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
      const { expand = [] } = params;
      const ofEach = expand.map((path) => path.replace(/^data\./, ''));
      return page('/v1/payment_intents', params, own.intents, (intent) =>
        expanded(own, aged(own, intent), ofEach),
      );
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
        const balance_transaction = bookCharge(own, charge, amount);
        const captured = { captured: true, amount_captured: amount, balance_transaction };
        own.charges.set(charge.id, { ...charge, ...captured });
        const rest = intent.amount_capturable - amount;
        if (rest > 0) release(own, { ...charge, ...captured }, rest);
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
  const before = (details?.card_present ?? details?.card)?.capture_before;
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
export function hold(own: Books, id: string, card: StandInCard): void {
  if (card.wallet !== undefined && !own.livemode) {
    throw new Error("Stripe's test mode has no wallets");
  }
  const ids = { chargeId: own.nextId('ch'), paymentMethod: own.nextId('pm'), at: own.now() };
  const from = own.intents.get(id);
  const isAtReader = from?.payment_method_types.includes('card_present') === true;
  const after = isAtReader ? presented(from, card, ids) : undefined;
  if (after === undefined) throw new Error('the intent accepts no card any more');
  own.blame(null);
  record(own, after);
}

/** Ends the processing of an intent: the bank approves it, with a card at a reader or a saved one. */
export function approve(own: Books, intent: Intent, card: StandInCard): void {
  const { payment_method: method } = intent;
  const paymentMethod = typeof method === 'string' ? method : own.nextId('pm');
  const ids = { chargeId: own.nextId('ch'), paymentMethod, at: own.now() };
  const waiting: Intent = { ...intent, status: 'requires_payment_method' };
  own.blame(null);
  record(own, presented(waiting, card, ids) ?? { intent: waiting });
}

function record(own: Books, { intent, charge }: Charging): void {
  if (charge !== undefined) {
    own.charges.set(charge.id, own.switches.sparseCards ? sparse(charge) : charge);
  }
  own.intents.set(intent.id, intent);
  own.tell(toldOf(intent), intent);
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
  return found(expanded(own, intent, expand));
}

/** Shows the charge, and its booking, where the request asks for them. */
function expanded(own: Books, intent: Intent, expand: readonly string[]): Stripe.PaymentIntent {
  const charge = own.charges.get(intent.latest_charge ?? '');
  const asked = expand.find((path) => path.split('.')[0] === 'latest_charge');
  if (charge === undefined || asked === undefined) return intent;
  const entry = own.entries.get(`${charge.balance_transaction}`);
  const isBookingShown = asked === 'latest_charge.balance_transaction' && entry !== undefined;
  return {
    ...intent,
    latest_charge: isBookingShown
      ? { ...charge, balance_transaction: shownEntry(own, entry, []) }
      : charge,
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
  const [type, ...others] = types;
  const isKnown = (type === 'card' || type === 'card_present') && others.length === 0;
  if (method !== 'manual' || !isKnown) {
    refuse(invalid('The stand-in knows only manual intents of one kind of card.'));
  }
}

function requireTransfers({ accounts }: Books, destination: string | undefined): void {
  if (destination === undefined || accounts.get(destination)?.transfers === 'active') return;
  refuse(invalid('The destination cannot receive transfers.', { code: 'transfers_not_allowed' }));
}

type Confirming = Params<Stripe.PaymentIntentCreateParams>;

/** Stripe takes these parameters only with a confirmation. */
function checkConfirm(
  { confirm: isConfirmed = false, off_session: offSession, payment_method: method }: Confirming,
  types: readonly string[],
): void {
  const about = (param: string) => ({ code: 'payment_intent_invalid_parameter', param }) as const;
  if (offSession !== undefined && !isConfirmed) {
    refuse(invalid('off_session can only be used with confirm=true.', about('off_session')));
  }
  if (isConfirmed && types.includes('card_present')) {
    refuse(invalid('A reader confirms this intent.', about('confirm')));
  }
  if (isConfirmed && method === undefined) {
    refuse(invalid('A confirmation needs a payment method.', about('payment_method')));
  }
  if (types.includes('card') && !isConfirmed) {
    refuse(invalid('The stand-in charges cards only without their customers.'));
  }
}

/** Confirms an intent, as its creation demands. A refused one stays, and is part of the error. */
function confirm(
  own: Books,
  intent: Intent,
  { id, card, isOffSession }: Method,
  params: Confirming,
): Reply<Stripe.PaymentIntent> {
  const ids = { chargeId: own.nextId('ch'), paymentMethod: id, at: own.now() };
  const isPresent = params.off_session === undefined || params.off_session === 'false';
  const refusal = refusalOf(card, isOffSession, isPresent);
  const after =
    refusal === undefined
      ? (presented(intent, card, ids) ?? { intent })
      : refused(intent, card, refusal, ids);
  record(own, after);
  const { last_payment_error: error } = after.intent;
  if (error === null) return shown(own, after.intent, params);
  return failed(402, {
    type: 'card_error',
    code: error.code === 'authentication_required' ? 'authentication_required' : 'card_declined',
    ...(error.decline_code !== undefined && { decline_code: error.decline_code }),
    message: error.message ?? '',
    payment_intent: after.intent,
  });
}

/** The bank wants the customer for a card that was not set up for charges without the customer. */
function refusalOf({ does, offSession }: StandInCard, isOffSession: boolean, isPresent: boolean) {
  if (isPresent || offSession === 'needsCustomer' || !isOffSession) {
    return 'authentication_required';
  }
  const isDeclined = offSession === 'decline' || does === 'decline' || does === 'declineOnce';
  return isDeclined ? 'card_declined' : undefined;
}

const cardOptions = {
  card: {
    installments: null,
    mandate_options: null,
    network: null,
    request_three_d_secure: 'automatic',
  },
} as const;
const terminalOptions = {
  card_present: {
    request_extended_authorization: false,
    request_incremental_authorization_support: false,
  },
} as const;
