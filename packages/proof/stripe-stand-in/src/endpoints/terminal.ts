import type Stripe from 'stripe';
import type { Books, StandInLocation } from '../books.ts';
import { type StandInCard, stripeCards } from '../cards.ts';
import type { Endpoints } from '../endpoint.ts';
import { found, invalid, missing, refuse } from '../reply.ts';
import { hold } from './intents.ts';

type Reader = Stripe.Terminal.Reader;

/** @internal Declarations cannot name the parameters of test helpers. */
export const terminalEndpoints = {
  createConnectionToken: {
    at: 'POST /v1/terminal/connection_tokens',
    params: { location: 'string' },
    run(own, { params: { location } }) {
      const known = own.locations.get(location ?? '');
      if (location !== undefined && (known === undefined || known.deleted)) {
        return missing('location', location, 'location', own.switches.unknownLocation);
      }
      return found({
        object: 'terminal.connection_token',
        secret: own.nextId(own.livemode ? 'pst_live' : 'pst_test'),
        ...(location !== undefined && { location }),
      });
    },
  },

  createLocation: {
    at: 'POST /v1/terminal/locations',
    params: {
      address: {
        city: 'string',
        country: 'string',
        line1: 'string',
        postal_code: 'string',
        state: 'string',
      },
      display_name: 'string',
    },
    run(own, { params: { address, display_name: displayName } }) {
      const { country } = address ?? {};
      if (country === undefined || displayName === undefined) {
        return invalid('Missing required param.', { code: 'parameter_missing' });
      }
      const location = { id: own.nextId('tml'), country, deleted: false, displayName };
      own.locations.set(location.id, location);
      return found(shownLocation(own, location));
    },
  },

  retrieveLocation: {
    at: 'GET /v1/terminal/locations/{id}',
    params: {},
    run: (own, { id }) => found(shownLocation(own, locationOf(own, id))),
  },

  deleteLocation: {
    at: 'DELETE /v1/terminal/locations/{id}',
    params: {},
    run(own, { id }) {
      const deleted = { ...locationOf(own, id), deleted: true };
      own.locations.set(id, deleted);
      return found(shownLocation(own, deleted));
    },
  },

  createReader: {
    at: 'POST /v1/terminal/readers',
    params: { label: 'string', location: 'string', registration_code: 'string' },
    run(own, { params: { label = 'simulated', location = null, registration_code: code } }) {
      if (!code?.startsWith('simulated-')) {
        return invalid('The stand-in has only simulated readers.', { param: 'registration_code' });
      }
      if (location !== null && !own.locations.has(location)) {
        return missing('location', location, 'location', 400);
      }
      const id = own.nextId('tmr');
      return kept(own, {
        id,
        object: 'terminal.reader',
        action: null,
        device_sw_version: '',
        device_type: 'simulated_wisepos_e',
        ip_address: '127.0.0.1',
        label,
        last_seen_at: own.now(),
        livemode: own.livemode,
        location,
        metadata: {},
        serial_number: id,
        status: 'online',
      });
    },
  },

  retrieveReader: {
    at: 'GET /v1/terminal/readers/{id}',
    params: {},
    run: (own, { id }) => found(readerOf(own, id)),
  },

  processPaymentIntent: {
    at: 'POST /v1/terminal/readers/{id}/process_payment_intent',
    params: { payment_intent: 'string' },
    run(own, { id, params: { payment_intent: intent = '' } }) {
      const reader = readerOf(own, id);
      const status = own.intents.get(intent)?.status;
      if (status === undefined) return missing('payment_intent', intent, 'payment_intent', 400);
      if (status !== 'requires_payment_method') {
        const message = 'The PaymentIntent must be in the requires_payment_method state.';
        return invalid(message, { code: 'intent_invalid_state', param: 'payment_intent' });
      }
      return kept(own, {
        ...reader,
        action: {
          api_error: null,
          failure_code: null,
          failure_message: null,
          process_payment_intent: { payment_intent: intent, process_config: {} },
          status: 'in_progress',
          type: 'process_payment_intent',
        },
      });
    },
  },

  presentPaymentMethod: {
    at: 'POST /v1/test_helpers/terminal/readers/{id}/present_payment_method',
    params: { card_present: { number: 'string' }, type: 'string' },
    run(own, { id, params }) {
      const reader = readerOf(own, id);
      const { action } = reader;
      const intent = action?.process_payment_intent?.payment_intent;
      if (action?.status !== 'in_progress' || typeof intent !== 'string') {
        return invalid('This reader does not wait for a card.');
      }
      const card = cardsByNumber[params.card_present?.number ?? visaNumber];
      if (card === undefined) return invalid('No test card.', { param: 'card_present[number]' });
      hold(own, intent, card);
      const isApproved = card.does === 'approve';
      return kept(own, {
        ...reader,
        action: {
          ...action,
          failure_code: isApproved ? null : 'card_declined',
          failure_message: isApproved ? null : 'Your card was declined.',
          status: isApproved ? 'succeeded' : 'failed',
        },
      });
    },
  },
} satisfies Partial<Endpoints>;

const visaNumber = '4242424242424242';
/** Stripe's test cards that the stand-in knows. */
const cardsByNumber: Readonly<Record<string, StandInCard>> = {
  [visaNumber]: stripeCards.visa_credit,
  '5555555555554444': stripeCards.mastercard_debit,
  '4000000000000002': stripeCards.declined,
};

function readerOf({ readers }: Books, id: string): Reader {
  return readers.get(id) ?? refuse(missing('reader', id, 'reader'));
}

function kept({ readers }: Books, reader: Reader) {
  readers.set(reader.id, reader);
  return found(reader);
}

function locationOf({ locations }: Books, id: string): StandInLocation {
  return locations.get(id) ?? refuse(missing('location', id, 'location'));
}

function shownLocation(
  { livemode }: Books,
  { id, country, deleted, displayName = 'A shop' }: StandInLocation,
): Stripe.Terminal.Location | Stripe.Terminal.DeletedLocation {
  if (deleted) return { id, object: 'terminal.location', deleted: true };
  return {
    id,
    object: 'terminal.location',
    address: {
      city: 'A city',
      country,
      line1: '1 Main Street',
      line2: null,
      postal_code: '12345',
      state: null,
    },
    display_name: displayName,
    livemode,
    metadata: {},
  };
}
