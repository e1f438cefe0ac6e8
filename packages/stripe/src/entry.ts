import {
  type Card,
  type EpochMs,
  err,
  ok,
  type PaymentState,
  type Result,
  secondMs,
} from '@chairside/core';
import type { ProcessorPayment, ReceiptDetails } from '@chairside/core/ports';
import type { Call } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { markNames } from './marks.ts';
import { type CardRead, cardRead, type Intent } from './shapes.ts';
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

/** Stripe's entry in the port's form, or `unknown` if it contradicts our records. */
export function toEntry(
  { livemode, charges, tables }: Call,
  account: string,
  intent: Intent & { readonly at?: EpochMs },
): Result<ProcessorPayment & { readonly reference: string }, Failure> {
  const { amount } = intent;
  const status = lookUp(states, intent.status);
  const destination = intent.transfer_data?.destination;
  const isPlausible =
    intent.livemode === livemode &&
    amount > 0 &&
    (intent.amount_capturable ?? 0) <= amount &&
    destination === (charges === 'destination' ? account : undefined);
  if (status === undefined || !isPlausible) return err(unknown);

  const charge = intent.latest_charge;
  // Any update of the intent clears its last error, but keeps the charge of the declined card.
  const isDeclined = intent.last_payment_error || charge?.status === 'failed';
  // A declined card leaves a charge too, which does not affect the next card.
  const isApproved = charge?.status === 'succeeded';
  const card = isApproved ? cardRead(charge.payment_method_details) : undefined;
  const shown = card && toCard(card, tables);
  const authorized = intent.amount_capturable ?? card?.amount_authorized;
  const captured = intent.amount_received ?? charge?.amount_captured;
  // A captured amount is never guessed: it decides what can be given back.
  if (status === 'captured' && captured === undefined) return err(unknown);
  const { application_fee_amount: fee } = intent;
  return ok({
    reference: intent.id,
    status: status === 'created' && isDeclined ? 'failed' : status,
    ...(status === 'created' && refusalOf(intent)),
    account,
    currency: intent.currency,
    amountMinor: BigInt(amount),
    ...(status === 'authorized' &&
      authorized !== undefined && { authorizedMinor: BigInt(authorized) }),
    ...(status === 'captured' && captured !== undefined && { capturedMinor: BigInt(captured) }),
    ...(status === 'captured' && capturedAt(intent)),
    tipMinor: tipOf(intent),
    ...(fee !== undefined && { applicationFeeMinor: BigInt(fee ?? 0) }),
    ...(shown !== undefined && { card: shown }),
    ...(isApproved && charge.created && { authorizedAt: charge.created * secondMs }),
    ...(card?.capture_before && { captureBefore: card.capture_before * secondMs }),
    ...(intent.created !== undefined && { openedAt: intent.created * secondMs }),
    ...(intent.at !== undefined && { at: intent.at }),
    clientSecret: intent.client_secret ?? '',
  });
}

/** When Stripe booked the charge. Before that, no time is nearer than the reply's own. */
function capturedAt(intent: Intent & { readonly at?: EpochMs }): { readonly capturedAt?: EpochMs } {
  const booked = intent.latest_charge?.balance_transaction?.created;
  const at = booked === undefined ? intent.at : booked * secondMs;
  return at === undefined ? {} : { capturedAt: at };
}

/** Whether it shows when the capture was booked. Stripe may book some captures later. */
export function isBooked(intent: Intent): boolean {
  return intent.latest_charge?.balance_transaction?.created !== undefined;
}

/** Stripe's codes with which the bank asks for the customer. */
const mustAct: ReadonlySet<string | undefined> = new Set([
  'authentication_not_handled',
  'authentication_required',
]);

/** Stripe's codes and advice that no later attempt with the same card can change. */
const unusable: ReadonlySet<string | undefined> = new Set([
  'card_not_supported',
  'do_not_try_again',
  'expired_card',
  'incorrect_number',
  'invalid_account',
  'invalid_number',
  'lost_card',
  'pickup_card',
  'restricted_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'stolen_card',
  'stop_payment_order',
]);

/** Why the bank refused a saved card, unless it may accept the card later (D49). */
function refusalOf(intent: Intent): Pick<ProcessorPayment, 'refusal'> {
  const { last_payment_error: error, payment_method_types: types } = intent;
  const { failure_code: failure, outcome } = intent.latest_charge ?? {};
  // The customer of a tap is there, and presents another card.
  if (!types?.includes('card')) return {};
  // Stripe states one refusal in any of these members.
  const ofError = [error?.code, error?.decline_code, error?.advice_code];
  const codes = [...ofError, failure, outcome?.reason, outcome?.advice_code];
  if (codes.some((code) => mustAct.has(code))) return { refusal: 'customerMustAct' };
  return codes.some((code) => unusable.has(code)) ? { refusal: 'cardUnusable' } : {};
}

/** A reader's own tip comes first, because it was charged without this service (D48); 0 if nobody chose one. */
function tipOf(intent: Intent): bigint {
  const marked = intent.metadata[markNames.tip] ?? '';
  const added = intent.amount_details?.tip?.amount;
  return BigInt(added || (/^\d{1,15}$/.test(marked) ? marked : 0));
}

/** The interface's card has digits and an expiry; without them there is none. */
function toCard(card: CardRead, tables: StripeTables): Card | undefined {
  const { last4, exp_month: month, exp_year: year } = card;
  if (last4 === undefined || month === undefined || year === undefined) return undefined;
  const wallet = lookUp(tables.wallets, card.wallet?.type ?? '');
  return {
    maskedPersonalAccountNumber: `*${last4}`,
    network: lookUp(tables.networks, card.brand ?? '') ?? 'other',
    fundingType: lookUp(tables.funding, card.funding ?? '') ?? 'other',
    expirationMonth: `${month}`.padStart(2, '0'),
    expirationYear: `${year}`,
    ...(wallet !== undefined && { tokenizationMethod: wallet }),
  };
}

/** The content of a receipt; `undefined` if no card was accepted. */
export function toReceipt({ tables }: Call, intent: Intent): ReceiptDetails | undefined {
  const charge = intent.latest_charge;
  const card = charge?.status === 'succeeded' ? cardRead(charge.payment_method_details) : undefined;
  if (card === undefined) return undefined;
  const { receipt } = card;
  const method = receipt?.cardholder_verification_method;
  return {
    ...member('applicationIdentifier', hexOf(receipt?.dedicated_file_name)),
    ...member('applicationPreferredName', receipt?.application_preferred_name),
    ...member('accountType', receipt?.account_type),
    ...member('authorizationCode', receipt?.authorization_code),
    ...member('authorizationResponseCode', receipt?.authorization_response_code),
    ...member('applicationCryptogram', hexOf(receipt?.application_cryptogram)),
    ...member('terminalVerificationResults', hexOf(receipt?.terminal_verification_results)),
    ...member('transactionStatusInformation', hexOf(receipt?.transaction_status_information)),
    ...(method && { cardholderVerification: lookUp(tables.verification, method) ?? 'other' }),
  };
}

function member<Name extends keyof ReceiptDetails>(
  name: Name,
  text: ReceiptDetails[Name] | null,
): Pick<ReceiptDetails, Name> | undefined {
  // cast: an object with a computed name is wider
  return text ? ({ [name]: text } as Pick<ReceiptDetails, Name>) : undefined;
}

function hexOf(text: string | null | undefined): string | undefined {
  return text && /^[0-9A-F]{2,64}$/i.test(text) ? text : undefined;
}
