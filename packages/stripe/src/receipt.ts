import {
  ok,
  type PaymentHandle,
  type ReceiptDetails,
  type ResultAsync,
  safeTry,
} from '@chairside/core';
import type { Call } from './connection.ts';
import type { Failure } from './failure.ts';
import { findIntent } from './intents.ts';
import { toLedgerEntry } from './ledger.ts';
import { cardRead } from './shapes.ts';
import { lookUp } from './tables.ts';

/** The receipt fields that the card schemes require (D36), from the payment's charge. */
export function readReceipt(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<ReceiptDetails | undefined, Failure> {
  return safeTry(async function* () {
    const intent = yield* findIntent(call, payment);
    if (intent === undefined) return ok(undefined);
    yield* toLedgerEntry(call, payment.account, intent);
    const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : undefined;
    if (charge?.status !== 'succeeded') return ok(undefined);
    const card = cardRead(charge.payment_method_details);
    if (card === undefined) return ok(undefined);
    const { receipt } = card;
    const method = receipt?.cardholder_verification_method;
    const identifier = receipt?.dedicated_file_name;
    return ok({
      ...(identifier && isHex(identifier) && { applicationIdentifier: identifier }),
      ...(receipt?.application_preferred_name && {
        applicationPreferredName: receipt.application_preferred_name,
      }),
      ...(receipt?.authorization_code && { authorizationCode: receipt.authorization_code }),
      ...(method && {
        cardholderVerification: lookUp(call.tables.verification, method) ?? 'other',
      }),
    });
  });
}

function isHex(text: string): boolean {
  return /^[0-9A-F]{2,64}$/i.test(text);
}
