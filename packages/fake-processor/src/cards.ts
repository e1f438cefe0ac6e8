import { type Card, minuteMs, secondMs } from '@chairside/core';

/** The behaviour of a simulated card at a terminal. */
export interface SimulatedCard {
  readonly card: Card;
  readonly does:
    | 'approve'
    | 'approveHalf'
    /** Approves only {@link approvalDelayMs} later: until then the payment is processing. */
    | 'approveLater'
    | 'decline'
    /** Declines once for each payment, then approves. */
    | 'declineOnce'
    /** The customer cancels at the terminal, and the payment with it. */
    | 'cancel';
  /** How long an authorization is held, in milliseconds. Default: two days. */
  readonly holdMs?: number;
  /**
   * The response to a charge of the saved card, if it differs from that at a terminal: `decline`, the
   * bank declines; `unusable`, it will not accept the card again; `needsCustomer`, it wants the customer to
   * authenticate; `vanish`, the processor has forgotten the card.
   */
  readonly offSession?: 'decline' | 'unusable' | 'needsCustomer' | 'vanish';
  /** Its refund needs the card at a terminal again, as Interac's does. */
  readonly isRefundedInPerson?: true;
}

/** After this time a card with `approveLater` is approved. */
export const approvalDelayMs = 5 * secondMs;

const visa = (last4: string, more: Partial<Card> = {}): Card => ({
  maskedPersonalAccountNumber: `*${last4}`,
  network: 'network_a',
  fundingType: 'credit',
  expirationMonth: '12',
  expirationYear: '2034',
  ...more,
});
const mastercard = (more: Partial<Card> = {}) =>
  visa('4444', { network: 'network_b', fundingType: 'debit', expirationMonth: '01', ...more });

/** Every card that a simulated terminal accepts, by name. */
export const cards = {
  visa_credit: { card: visa('4242'), does: 'approve' },
  mastercard_debit: { card: mastercard(), does: 'approve' },
  amex_credit: { card: visa('0005', { network: 'network_c' }), does: 'approve' },
  discover_prepaid: {
    card: visa('1117', { network: 'network_d', fundingType: 'prepaid' }),
    does: 'approve',
  },
  other_network: {
    card: visa('0505', { network: 'other', fundingType: 'other' }),
    does: 'approve',
  },
  apple_pay: { card: visa('4242', { tokenizationMethod: 'wallet_method_a' }), does: 'approve' },
  google_pay: { card: mastercard({ tokenizationMethod: 'wallet_method_b' }), does: 'approve' },
  interac: {
    card: visa('1933', { network: 'other', fundingType: 'debit' }),
    does: 'approve',
    isRefundedInPerson: true,
  },
  declined: { card: visa('0002'), does: 'decline' },
  declined_then_approved: { card: visa('0101'), does: 'declineOnce' },
  canceled: { card: visa('4242'), does: 'cancel' },
  partially_authorized: { card: visa('0050', { fundingType: 'prepaid' }), does: 'approveHalf' },
  slow_to_approve: { card: visa('0119'), does: 'approveLater' },
  declined_when_saved: { card: visa('0341'), does: 'approve', offSession: 'decline' },
  unusable_when_saved: { card: visa('9987'), does: 'approve', offSession: 'unusable' },
  needs_customer: { card: visa('3184'), does: 'approve', offSession: 'needsCustomer' },
  vanishes: { card: visa('3063'), does: 'approve', offSession: 'vanish' },
  expires_soon: { card: visa('0069'), does: 'approve', holdMs: minuteMs },
} as const satisfies Readonly<Record<string, SimulatedCard>>;

export type CardName = keyof typeof cards;

/** Whether a text, for example from a request, is the name of a card. */
export function isCardName(name: string): name is CardName {
  return typeof name === 'string' && Object.hasOwn(cards, name);
}

export function findCard(name: string): SimulatedCard | undefined {
  return isCardName(name) ? cards[name] : undefined;
}
