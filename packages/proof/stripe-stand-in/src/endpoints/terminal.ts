import { shownLocation } from '../account.ts';
import type { Books } from '../books.ts';
import { type StandInCard, stripeCards } from '../cards.ts';
import { mapOf, textOf } from '../form-values.ts';
import { hold } from '../hold.ts';
import { ended, newReader, processing, type Reader } from '../reader.ts';
import type { Replies } from '../replies.ts';
import { found, invalid, missing, Refusal, type Reply } from '../reply.ts';
import type { StandInRequest } from '../request.ts';

type ReaderReply = Reply<Replies['retrieveReader']>;

export const terminalEndpoints = {
  createConnectionToken(
    books: Books,
    { account, form }: StandInRequest,
  ): Reply<Replies['createConnectionToken']> {
    const location = textOf(form, 'location');
    const known = books.of(account).locations.get(location ?? '');
    if (location !== undefined && (known === undefined || known.deleted)) {
      return missing('location', location, 'location', books.switches.unknownLocation);
    }
    return found({
      object: 'terminal.connection_token',
      secret: books.nextId(books.livemode ? 'pst_live' : 'pst_test'),
      ...(location !== undefined && { location }),
    });
  },

  createLocation(
    books: Books,
    { account, form }: StandInRequest,
  ): Reply<Replies['createLocation']> {
    const { country } = mapOf(form, 'address');
    const displayName = textOf(form, 'display_name');
    if (country === undefined || displayName === undefined) {
      return invalid('Missing required param.', { code: 'parameter_missing' });
    }
    const location = { id: books.nextId('tml'), country, deleted: false, displayName };
    books.of(account).locations.set(location.id, location);
    return found(shownLocation(location, books.livemode));
  },

  retrieveLocation(
    books: Books,
    { account, id }: StandInRequest,
  ): Reply<Replies['retrieveLocation']> {
    const location = books.of(account).locations.get(id);
    if (location === undefined) return missing('location', id, 'location');
    return found(shownLocation(location, books.livemode));
  },

  deleteLocation(books: Books, { account, id }: StandInRequest): Reply<Replies['deleteLocation']> {
    const { locations } = books.of(account);
    const location = locations.get(id);
    if (location === undefined) return missing('location', id, 'location');
    locations.set(id, { ...location, deleted: true });
    return found({ id, object: 'terminal.location', deleted: true });
  },

  createReader(books: Books, { account, form }: StandInRequest): ReaderReply {
    if (!textOf(form, 'registration_code')?.startsWith('simulated-')) {
      return invalid('The stand-in has only simulated readers.', { param: 'registration_code' });
    }
    const own = books.of(account);
    const location = textOf(form, 'location') ?? null;
    if (location !== null && !own.locations.has(location)) {
      return missing('location', location, 'location', 400);
    }
    const reader = newReader({
      id: books.nextId('tmr'),
      label: textOf(form, 'label') ?? 'simulated',
      livemode: books.livemode,
      location,
      last_seen_at: books.now(),
    });
    own.readers.set(reader.id, reader);
    return found(reader);
  },

  retrieveReader(books: Books, request: StandInRequest): ReaderReply {
    return found(readerOf(books, request));
  },

  processPaymentIntent(books: Books, request: StandInRequest): ReaderReply {
    const reader = readerOf(books, request);
    const id = textOf(request.form, 'payment_intent') ?? '';
    const own = books.of(request.account);
    if (!own.intents.has(id)) return missing('payment_intent', id, 'payment_intent', 400);
    const busy = processing(reader, id);
    own.readers.set(reader.id, busy);
    return found(busy);
  },

  presentPaymentMethod(books: Books, request: StandInRequest): ReaderReply {
    const reader = readerOf(books, request);
    const intent = reader.action?.process_payment_intent?.payment_intent;
    if (reader.action?.status !== 'in_progress' || typeof intent !== 'string') {
      return invalid('This reader does not wait for a card.');
    }
    const { number = visaNumber } = mapOf(request.form, 'card_present');
    const card = cardsByNumber[number];
    if (card === undefined) return invalid('No test card.', { param: 'card_present[number]' });
    hold(books, request.account, intent, card);
    const after = ended(reader, card.does === 'approve');
    books.of(request.account).readers.set(reader.id, after);
    return found(after);
  },
};

const visaNumber = '4242424242424242';
/** Stripe's test cards that the stand-in knows. */
const cardsByNumber: Readonly<Record<string, StandInCard>> = {
  [visaNumber]: stripeCards.visa_credit,
  '5555555555554444': stripeCards.mastercard_debit,
  '4000000000000002': stripeCards.declined,
};

function readerOf(books: Books, { account, id }: StandInRequest): Reader {
  const reader = books.of(account).readers.get(id);
  if (reader === undefined) throw new Refusal(missing('reader', id, 'reader'));
  return reader;
}
