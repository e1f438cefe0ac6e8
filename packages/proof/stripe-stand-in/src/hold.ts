import type { Books } from './books.ts';
import type { StandInCard } from './cards.ts';
import type { StandInEvent } from './event.ts';
import { type Intent, presented } from './intent.ts';

/** Presents a card to the reader that collects an intent, with Stripe's events. */
export function hold(
  books: Books,
  account: string | undefined,
  id: string,
  card: StandInCard,
  from?: Intent,
): void {
  if (card.wallet !== undefined && !books.livemode) {
    throw new Error("Stripe's test mode has no wallets");
  }
  const own = books.of(account);
  const intent = from ?? own.intents.get(id);
  const ids = { chargeId: books.nextId('ch'), paymentMethod: books.nextId('pm'), at: books.now() };
  const after = intent && presented(intent, card, ids);
  if (after === undefined) throw new Error('the intent accepts no card any more');
  if (after.charge !== undefined) own.charges.set(ids.chargeId, after.charge);
  own.intents.set(id, after.intent);
  books.blame(null);
  books.tell(account, toldOf(after.intent), after.intent);
}

function toldOf({ status, last_payment_error }: Intent): StandInEvent['type'] {
  if (status === 'requires_capture') return 'payment_intent.amount_capturable_updated';
  if (status === 'processing') return 'payment_intent.processing';
  if (status === 'canceled') return 'payment_intent.canceled';
  return last_payment_error === null ? 'payment_intent.created' : 'payment_intent.payment_failed';
}
