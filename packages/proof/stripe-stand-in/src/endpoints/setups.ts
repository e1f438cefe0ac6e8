import type Stripe from 'stripe';
import type { Books } from '../books.ts';
import { type StripeCardName, stripeCards } from '../cards.ts';
import type { Endpoints } from '../endpoint.ts';
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
      return shown(setup);
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
      return shown(complete(own, setupOf(own, id), name));
    },
  },

  retrieveSetupIntent: {
    at: 'GET /v1/setup_intents/{id}',
    params: { expand: 'strings' },
    run: (own, { id, params }) => shown(setupOf(own, id), params.expand),
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
      return shown(after, params.expand);
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
  const isDetached = name === 'vanishes';
  own.methods.set(ids.paymentMethod, {
    id: ids.paymentMethod,
    created: own.now(),
    customer: isDetached ? null : setup.customer,
    card: stripeCards[name],
    isOffSession: setup.usage === 'off_session',
    isUsed: isDetached,
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

/** Stripe's view of a setup: with the attempt's id, unless the request expands it. */
function shown(setup: Setup, expand: readonly string[] = []): Reply<Stripe.SetupIntent> {
  return found(expand.includes('latest_attempt') ? setup : brief(setup));
}

function brief(setup: Setup): Stripe.SetupIntent {
  return { ...setup, latest_attempt: setup.latest_attempt?.id ?? null };
}
