import { type EpochMs, err, ok, type RawEvent, type Result, ResultAsync } from '@chairside/core';
import Stripe from 'stripe';
import type { Call } from './connection.ts';
import { type Failure, rejected } from './failure.ts';

const toleranceSeconds = 300;

export function checkSignature(
  { webhookSecrets }: Call,
  { payload, headers }: RawEvent,
  now: EpochMs,
): ResultAsync<void, Failure> {
  return new ResultAsync(checked());

  async function checked(): Promise<Result<void, Failure>> {
    const header = headers['stripe-signature'] ?? '';
    const { signature } = Stripe.webhooks;
    if (signature === null) return err(rejected('invalidSignature'));
    for (const secret of webhookSecrets) {
      try {
        await signature.verifyHeaderAsync(
          payload,
          header,
          secret,
          toleranceSeconds,
          undefined,
          now,
        );
        return ok(undefined);
      } catch {
        // The error quotes the message and the header, and may contain a secret.
      }
    }
    return err(rejected('invalidSignature'));
  }
}
