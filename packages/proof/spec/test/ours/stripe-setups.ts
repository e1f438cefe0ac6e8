import { markNames } from '@chairside/stripe';
import { type StripeCardName, type StripeStandIn, stripeCards } from '@chairside/stripe-stand-in';
import type { SetupBookEntry } from '@chairside/testkit';

type Setup = ReturnType<StripeStandIn['setups']>[number];

/** The final states of the stand-in; all others are open. */
const statuses: Readonly<Record<string, SetupBookEntry['status']>> = {
  succeeded: 'completed',
  canceled: 'canceled',
};

/** A setup of the stand-in in the port's terms. Its customer is known only as a hash. */
export function setupEntryOf({ id, metadata, status, client_secret, customer }: Setup) {
  return {
    id,
    setupId: metadata?.[markNames.setup] ?? '',
    installation: metadata?.[markNames.installation] ?? '',
    status: statuses[status] ?? 'open',
    clientSecret: client_secret ?? '',
    savePaymentMethod: customer !== null,
  } satisfies SetupBookEntry;
}

/** Enters a card as a customer does in the app: the setup is completed, canceled, or stays open. */
export function enterCard(standIn: StripeStandIn, clientSecret: string, card: string) {
  const setup = standIn.setups().find(({ client_secret }) => client_secret === clientSecret);
  if (setup?.status !== 'requires_payment_method') throw new Error('the setup takes no card');
  if (card === 'declined' || card === 'declined_then_approved') return 'declined';
  if (card === 'canceled') standIn.cancelSetup(clientSecret);
  else standIn.completeSetup(clientSecret, isCardName(card) ? card : 'visa_credit');
  return card === 'canceled' ? 'canceled' : 'completed';
}

function isCardName(name: string): name is StripeCardName {
  return Object.hasOwn(stripeCards, name);
}
