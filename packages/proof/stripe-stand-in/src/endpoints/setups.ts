import type Stripe from 'stripe';
import type { Books } from '../books.ts';
import { type StripeCardName, stripeCards } from '../cards.ts';
import type { Endpoints } from '../endpoint.ts';
import { shownMethod } from '../method.ts';
import { found, invalid, missing, type Reply, refuse } from '../reply.ts';
import { completed, newSetup, type Setup } from '../setup.ts';
import { page, pageParams } from './page.ts';

export const setupEndpoints = {
  createSetupIntent: {
    at: 'POST /v1/setup_intents',
    params: {
      allowed_payment_method_types: 'strings',
      customer: 'string',
      metadata: 'map',
      usage: 'string',
    },
    run(own, { params }) {
      const { allowed_payment_method_types: types = [], customer = null, metadata = {} } = params;
      if (customer !== null && !own.customers.has(customer)) {
        return missing('customer', customer, 'customer', 400);
      }
      const id = own.nextId('seti');
      const setup = newSetup({
        id,
        allowed_payment_method_types: [...types],
        client_secret: own.nextId(`${id}_secret`),
        created: own.now(),
        customer,
        livemode: own.livemode,
        metadata,
        payment_method_types: [...types],
        usage: params.usage ?? 'off_session',
      });
      own.setups.set(id, setup);
      return shown(own, setup);
    },
  },

  /** With one of Stripe's test methods, as a server of test mode does. */
  confirmSetupIntent: {
    at: 'POST /v1/setup_intents/{id}/confirm',
    params: { payment_method: 'string' },
    run(own, { id, params }) {
      const name = testMethods[params.payment_method ?? ''];
      if (name === undefined) {
        return missing('PaymentMethod', `${params.payment_method}`, 'payment_method', 400);
      }
      return shown(own, complete(own, setupOf(own, id), name));
    },
  },

  retrieveSetupIntent: {
    at: 'GET /v1/setup_intents/{id}',
    params: { expand: 'strings' },
    run: (own, { id, params }) => shown(own, setupOf(own, id), params.expand),
  },

  cancelSetupIntent: {
    at: 'POST /v1/setup_intents/{id}/cancel',
    params: { expand: 'strings' },
    run(own, { id, params }) {
      const setup = setupOf(own, id);
      if (setup.status === 'succeeded' || setup.status === 'canceled') {
        const message = `This SetupIntent could not be canceled because it has a status of ${setup.status}.`;
        return invalid(message, {
          code: 'setup_intent_unexpected_state',
          setup_intent: brief(setup),
        });
      }
      const after: Setup = { ...setup, status: 'canceled' };
      own.setups.set(id, after);
      return shown(own, after, params.expand);
    },
  },

  listSetupIntents: {
    at: 'GET /v1/setup_intents',
    params: pageParams,
    run: (own, { params }) => page('/v1/setup_intents', params, own.setups, brief),
  },
} satisfies Partial<Endpoints>;

/** Completes a setup with a card, which is kept for its customer. */
export function complete(own: Books, setup: Setup, name: StripeCardName): Setup {
  const ids = { attempt: own.nextId('setatt'), paymentMethod: own.nextId('pm') };
  own.methods.set(ids.paymentMethod, {
    id: ids.paymentMethod,
    created: own.now(),
    customer: setup.customer,
    card: stripeCards[name],
    isOffSession: setup.usage === 'off_session',
    // It is detached when it is charged.
    isUsed: name === 'vanishes',
  });
  const after = completed(setup, ids, own.now());
  own.setups.set(setup.id, after);
  return after;
}

/** Stripe's test methods that the stand-in knows. */
const testMethods: Readonly<Record<string, StripeCardName>> = {
  pm_card_visa: 'visa_credit',
  pm_card_chargeCustomerFail: 'declined_when_saved',
};

function setupOf({ setups }: Books, id: string): Setup {
  return setups.get(id) ?? refuse(missing('setupintent', id, 'intent'));
}

/** Stripe's view of a setup: with the ids of the attempt and the method, unless the request expands them. */
function shown(
  { methods, livemode }: Books,
  setup: Setup,
  expand: readonly string[] = [],
): Reply<Stripe.SetupIntent> {
  const seen = expand.includes('latest_attempt') ? setup : brief(setup);
  const method = methods.get(setup.payment_method ?? '');
  const isWhole = method !== undefined && expand.includes('payment_method');
  return found(isWhole ? { ...seen, payment_method: shownMethod(method, livemode) } : seen);
}

function brief(setup: Setup): Stripe.SetupIntent {
  return { ...setup, latest_attempt: setup.latest_attempt?.id ?? null };
}
