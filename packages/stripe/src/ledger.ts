import {
  type Card,
  type EpochMs,
  err,
  ok,
  type PaymentState,
  type ProcessorPayment,
  type ReceiptDetails,
  type Result,
  secondMs,
} from '@chairside/core';
import type { Call } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { markNames } from './marks.ts';
import { type CardRead, cardRead, type Intent, readerTipOf } from './shapes.ts';
import { lookUp, type StripeTables } from './tables.ts';

/** Stripe's states in ours (D15). Other states are implausible. */
const states: Readonly<Record<string, PaymentState>> = {
  requires_payment_method: 'created',
  requires_confirmation: 'processing',
  requires_action: 'processing',
  processing: 'processing',
  requires_capture: 'authorized',
  succeeded: 'captured',
  canceled: 'canceled',
};

/** Stripe's ledger entry in the port's form, or `unknown` if it contradicts our records. */
export function toLedgerEntry(
  { livemode, charges, tables }: Call,
  account: string,
  intent: Intent & { readonly at?: EpochMs },
): Result<ProcessorPayment & { readonly reference: string }, Failure> {
  const status = lookUp(states, intent.status);
  const destination = intent.transfer_data?.destination;
  const isPlausible =
    intent.livemode === livemode &&
    intent.amount > 0 &&
    intent.amount_capturable <= intent.amount &&
    destination === (charges === 'destination' ? account : undefined);
  if (status === undefined || !isPlausible) return err(unknown);

  const charge = chargeOf(intent);
  // Any update of the intent clears its last error, but keeps the charge of the declined card.
  const isDeclined = intent.last_payment_error || charge?.status === 'failed';
  // A declined card leaves a charge too, which does not affect the next card.
  const isApproved = charge?.status === 'succeeded';
  const card = isApproved ? cardRead(charge.payment_method_details) : undefined;
  return ok({
    reference: intent.id,
    status: status === 'created' && isDeclined ? 'failed' : status,
    ...(status === 'created' && needsCustomer(intent) && { refusal: 'customerMustAct' }),
    account,
    currency: intent.currency,
    amountMinor: BigInt(intent.amount),
    ...(status === 'authorized' && { authorizedMinor: BigInt(intent.amount_capturable) }),
    ...(status === 'captured' && { capturedMinor: BigInt(intent.amount_received) }),
    tipMinor: tipOf(intent),
    applicationFeeMinor: BigInt(intent.application_fee_amount ?? 0),
    ...(card !== undefined && { card: toCard(card, tables) }),
    ...(isApproved && { authorizedAt: charge.created * secondMs }),
    ...(card?.capture_before && { captureBefore: card.capture_before * secondMs }),
    openedAt: intent.created * secondMs,
    ...(intent.at !== undefined && { at: intent.at }),
    clientSecret: intent.client_secret,
  });
}

/** Whether the bank refused a saved card because its customer has to authenticate (D49). */
function needsCustomer(intent: Intent): boolean {
  const { last_payment_error: error } = intent;
  return (error?.code ?? chargeOf(intent)?.failure_code) === 'authentication_required';
}

/** A reader's own tip comes first, because it was charged without this service (D48). */
function tipOf(intent: Intent): bigint {
  const marked = intent.metadata[markNames.tip] ?? '';
  return BigInt(readerTipOf(intent) ?? (/^\d{1,15}$/.test(marked) ? marked : 0));
}

function toCard(card: CardRead, tables: StripeTables): Card {
  const wallet = lookUp(tables.wallets, card.wallet?.type ?? '');
  return {
    maskedPersonalAccountNumber: `*${card.last4}`,
    network: lookUp(tables.networks, card.brand ?? '') ?? 'other',
    fundingType: lookUp(tables.funding, card.funding ?? '') ?? 'other',
    expirationMonth: `${card.exp_month}`.padStart(2, '0'),
    expirationYear: `${card.exp_year}`,
    ...(wallet !== undefined && { tokenizationMethod: wallet }),
  };
}

/** The content of a receipt; `undefined` if no card was accepted. */
export function toReceipt({ tables }: Call, intent: Intent): ReceiptDetails | undefined {
  const charge = chargeOf(intent);
  const card = charge?.status === 'succeeded' ? cardRead(charge.payment_method_details) : undefined;
  if (card === undefined) return undefined;
  const { receipt } = card;
  const identifier = receipt?.dedicated_file_name;
  const name = receipt?.application_preferred_name;
  const code = receipt?.authorization_code;
  const method = receipt?.cardholder_verification_method;
  return {
    ...(identifier && isHex(identifier) && { applicationIdentifier: identifier }),
    ...(name && { applicationPreferredName: name }),
    ...(code && { authorizationCode: code }),
    ...(method && { cardholderVerification: lookUp(tables.verification, method) ?? 'other' }),
  };
}

function isHex(text: string): boolean {
  return /^[0-9A-F]{2,64}$/i.test(text);
}

export function chargeOf({ latest_charge }: Intent) {
  return typeof latest_charge === 'object' ? (latest_charge ?? undefined) : undefined;
}
