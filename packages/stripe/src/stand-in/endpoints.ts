import type { AccountBooks, Books, Customer, Setup } from './books.ts';
import type { Form } from './form.ts';
import { canceled, type Intent } from './intent.ts';
import { listOf, mapOf, numberOf, type Route, textOf } from './params.ts';
import { found, invalid, missing, Refusal, type Reply } from './reply.ts';
import type { StandInRequest } from './request.ts';

type Endpoint = (books: Books, request: StandInRequest) => Reply;

/** What each call does, once it is let in. */
export const endpoints: Readonly<Record<Route, Endpoint>> = {
  createPaymentIntent(books, { account, form }) {
    const on = textOf(form, 'on_behalf_of');
    requireCharges(books, on ?? account);
    const { destination } = mapOf(form, 'transfer_data');
    requireTransfers(books, destination);
    const amount = numberOf(form, 'amount') ?? 0;
    const currency = textOf(form, 'currency') ?? '';
    const types = listOf(form, 'allowed_payment_method_types');
    if (amount < 50) {
      throw new Refusal(
        invalid('Amount is too small.', { code: 'amount_too_small', param: 'amount' }),
      );
    }
    if (!/^[a-z]{3}$/.test(currency)) {
      throw new Refusal(
        invalid('Invalid currency.', { code: 'currency_invalid', param: 'currency' }),
      );
    }
    // Whatever else Stripe can do with an intent, a terminal can not.
    if (textOf(form, 'capture_method') !== 'manual' || !types.includes('card_present')) {
      throw new Refusal(invalid('The stand-in knows manual card_present intents alone.'));
    }
    const id = books.nextId('pi');
    const intent: Intent = {
      id,
      object: 'payment_intent',
      allowed_payment_method_types: [...types],
      amount,
      amount_capturable: 0,
      amount_received: 0,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: 'manual',
      client_secret: `${books.nextId(`${id}_secret`)}`,
      created: books.now(),
      currency,
      last_payment_error: null,
      latest_charge: null,
      livemode: books.livemode,
      metadata: mapOf(form, 'metadata'),
      on_behalf_of: on ?? null,
      payment_method_types: [...types],
      status: 'requires_payment_method',
      transfer_data: destination === undefined ? null : { destination },
    };
    const own = books.of(account);
    own.intents.set(id, intent);
    books.tell(account, 'payment_intent.created', intent);
    return shown(own, intent, form);
  },

  retrievePaymentIntent: (books, request) => {
    const own = books.of(request.account);
    return shown(own, intentOf(books, request), request.form);
  },

  listPaymentIntents(books, { account, form }) {
    const own = books.of(account);
    const isExpanded = listOf(form, 'expand').includes('data.latest_charge');
    return page([...own.intents.keys()], form, (id) => {
      const intent = own.intents.get(id);
      if (intent === undefined) return undefined;
      const now = aged(books, account, intent);
      return isExpanded ? expanded(own, now) : now;
    });
  },

  capturePaymentIntent(books, request) {
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
      own.charges.set(charge.id, { ...charge, captured: true, amount_captured: amount });
    }
    books.tell(account, 'payment_intent.succeeded', after);
    return shown(own, after, form);
  },

  cancelPaymentIntent(books, request) {
    const { account, form } = request;
    const intent = intentOf(books, request);
    if (intent.status === 'succeeded' || intent.status === 'canceled') {
      throw unexpectedState(intent, 'canceled');
    }
    const reason = textOf(form, 'cancellation_reason') ?? null;
    const after = cancel(books, account, canceled(intent, reason, books.now()));
    return shown(books.of(account), after, form);
  },

  retrieveCharge(books, { account, id }) {
    const charge = books.of(account).charges.get(id);
    return charge ? found(charge) : missing('charge', id, 'id');
  },

  createConnectionToken(books, { account, form }) {
    const location = textOf(form, 'location');
    const known = books.of(account).locations.get(location ?? '');
    if (location !== undefined && (known === undefined || known.deleted)) {
      return missing('location', location, 'location');
    }
    return found({
      object: 'terminal.connection_token',
      secret: books.nextId(books.livemode ? 'pst_live' : 'pst_test'),
      ...(location !== undefined && { location }),
    });
  },

  retrieveLocation(books, { account, id }) {
    const location = books.of(account).locations.get(id);
    if (location === undefined) return missing('location', id, 'location');
    if (location.deleted) return found({ id, object: 'terminal.location', deleted: true });
    return found({
      id,
      object: 'terminal.location',
      livemode: books.livemode,
      display_name: 'A shop',
      address: { country: location.country },
      metadata: {},
    });
  },

  createSetupIntent(books, { account, form }) {
    const customer = textOf(form, 'customer') ?? null;
    const own = books.of(account);
    if (customer !== null && !own.customers.has(customer)) {
      return missing('customer', customer, 'customer');
    }
    const id = books.nextId('seti');
    const setup: Setup = {
      id,
      object: 'setup_intent',
      allowed_payment_method_types: [...listOf(form, 'allowed_payment_method_types')],
      client_secret: books.nextId(`${id}_secret`),
      created: books.now(),
      customer,
      latest_attempt: null,
      livemode: books.livemode,
      metadata: mapOf(form, 'metadata'),
      payment_method: null,
      status: 'requires_payment_method',
      usage: textOf(form, 'usage') ?? 'off_session',
    };
    own.setups.set(id, setup);
    return shownSetup(setup, form);
  },

  retrieveSetupIntent(books, { account, id, form }) {
    const setup = books.of(account).setups.get(id);
    return setup ? shownSetup(setup, form) : missing('setupintent', id, 'intent');
  },

  cancelSetupIntent(books, { account, id, form }) {
    const setup = books.of(account).setups.get(id);
    if (setup === undefined) return missing('setupintent', id, 'intent');
    if (setup.status === 'succeeded' || setup.status === 'canceled') {
      const message = `This SetupIntent could not be canceled: its status is ${setup.status}.`;
      return invalid(message, { code: 'setup_intent_unexpected_state' });
    }
    const after: Setup = { ...setup, status: 'canceled' };
    books.of(account).setups.set(id, after);
    return shownSetup(after, form);
  },

  listSetupIntents: (books, { account, form }) =>
    page([...books.of(account).setups.keys()], form, (id) => {
      const setup = books.of(account).setups.get(id);
      return setup && { ...setup, latest_attempt: setup.latest_attempt?.id ?? null };
    }),

  createCustomer(books, { account, form }) {
    const customer: Customer = {
      id: books.nextId('cus'),
      object: 'customer',
      created: books.now(),
      livemode: books.livemode,
      metadata: mapOf(form, 'metadata'),
    };
    books.of(account).customers.set(customer.id, customer);
    return found(customer);
  },

  listCustomers: (books, { account, form }) =>
    page([...books.of(account).customers.keys()], form, (id) =>
      books.of(account).customers.get(id),
    ),

  searchCustomers(books, { account, form }) {
    const { searchLagSeconds } = books.switches;
    if (searchLagSeconds === 'noSearch') return invalid('Search is not available in your country.');
    const [, name = '', value = ''] =
      /^metadata\['([^']+)'\]:'([^']*)'$/.exec(textOf(form, 'query') ?? '') ?? [];
    if (name === '') return invalid('The stand-in searches for one value of the metadata alone.');
    // Stripe's own index lags.
    const data = [...books.of(account).customers.values()].filter(
      ({ created, metadata }) =>
        metadata[name] === value && created <= books.now() - searchLagSeconds,
    );
    return found({ object: 'search_result', data, has_more: false, url: '/v1/customers/search' });
  },

  createCustomerSession(books, { account, form }) {
    const customer = textOf(form, 'customer') ?? '';
    if (!books.of(account).customers.has(customer)) {
      return missing('customer', customer, 'customer');
    }
    return found({
      object: 'customer_session',
      client_secret: books.nextId('cuss_secret'),
      customer,
      created: books.now(),
      expires_at: books.now() + 1800,
      livemode: books.livemode,
    });
  },

  retrieveAccount(books, { id }) {
    const account = books.accounts.get(id);
    if (account === undefined || account.revoked) return missing('account', id, 'account');
    return found({
      id,
      object: 'account',
      capabilities: { card_payments: account.cardPayments, transfers: account.transfers },
      charges_enabled: account.chargesEnabled,
      country: account.country,
      default_currency: account.currency,
      details_submitted: true,
      payouts_enabled: true,
      email: null,
      type: 'standard',
      requirements: { disabled_reason: account.chargesEnabled ? null : 'requirements.past_due' },
    });
  },
};

function requireCharges(books: Books, account: string | undefined): void {
  const known = books.accounts.get(account ?? '');
  if (account === undefined || (known?.chargesEnabled && known.cardPayments === 'active')) return;
  // What Stripe calls this is not documented, and was seen with this code and without one.
  const isCapability = known?.chargesEnabled === true;
  const about = isCapability ? { code: 'payment_intent_invalid_parameter' } : {};
  throw new Refusal(invalid('This account cannot take card payments.', about));
}

function requireTransfers(books: Books, destination: string | undefined): void {
  if (destination === undefined) return;
  if (books.accounts.get(destination)?.transfers === 'active') return;
  const code = 'transfers_not_allowed';
  throw new Refusal(invalid('The destination cannot receive transfers.', { code }));
}

function intentOf(books: Books, { account, id }: StandInRequest): Intent {
  const intent = books.of(account).intents.get(id);
  if (intent === undefined) throw new Refusal(missing('payment_intent', id, 'intent'));
  return aged(books, account, intent);
}

/** Cancels an authorization that nobody captured in time, as Stripe does. */
export function aged(books: Books, account: string | undefined, intent: Intent): Intent {
  if (intent.status !== 'requires_capture') return intent;
  const details = books.of(account).charges.get(intent.latest_charge ?? '')?.payment_method_details;
  const before = details?.card_present?.capture_before;
  if (before === undefined || books.now() < before) return intent;
  return cancel(books, account, canceled(intent, 'automatic', before));
}

/** Keeps and tells that an intent is canceled; what it held is shown, and told, as refunded. */
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

function shown(own: AccountBooks, intent: Intent, form: Form): Reply {
  return found(listOf(form, 'expand').includes('latest_charge') ? expanded(own, intent) : intent);
}

function shownSetup(setup: Setup, form: Form): Reply {
  const { latest_attempt: attempt } = setup;
  const isExpanded = listOf(form, 'expand').includes('latest_attempt');
  return found(isExpanded ? setup : { ...setup, latest_attempt: attempt?.id ?? null });
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

/** A page of a list: newest first, after the one that was named. */
function page<T extends { readonly id: string; readonly created: number }>(
  ids: readonly string[],
  form: Form,
  get: (id: string) => T | undefined,
): Reply {
  const limit = numberOf(form, 'limit') ?? 10;
  if (limit < 1 || limit > 100) throw new Refusal(invalid('Invalid limit', { param: 'limit' }));
  const { gt, gte, lt, lte } = mapOf(form, 'created');
  const inRange = ({ created }: T) =>
    (gt === undefined || created > Number(gt)) &&
    (gte === undefined || created >= Number(gte)) &&
    (lt === undefined || created < Number(lt)) &&
    (lte === undefined || created <= Number(lte));
  const all = ids.toReversed().flatMap((id) => get(id) ?? []);
  const after = textOf(form, 'starting_after');
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0)
    throw new Refusal(missing('object', after, 'starting_after'));
  const rest = all.slice(start).filter(inRange);
  const data = rest.slice(0, limit);
  return found({ object: 'list', data, has_more: rest.length > limit, url: '/v1/list' });
}
