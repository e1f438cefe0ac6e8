import type Stripe from 'stripe';
import type { Books } from '../books.ts';
import type { Endpoints } from '../endpoint.ts';
import { found, invalid, missing, type Reply, refuse } from '../reply.ts';
import { newSetup, type Setup } from '../setup.ts';
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
