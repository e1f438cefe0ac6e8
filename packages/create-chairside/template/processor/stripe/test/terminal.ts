import { systemClock as clock } from '@chairside/core';
import { createStripeProcessor } from '@chairside/stripe';
import { createStripeStandIn } from '@chairside/stripe-stand-in';

/** Stripe's stand-in, so the tests need neither an account nor a network. */
export function openTerminal() {
  const secretKey = 'sk_test_standIn';
  const standIn = createStripeStandIn({
    clock,
    secretKey,
    webhookSecret: 'whsec_standIn_0123456789',
  });
  const opened = createStripeProcessor({ clock, secretKey, httpClient: standIn.httpClient });
  if (opened.isErr()) throw new Error(opened.error.kind);
  const { id, currency } = standIn.addAccount();

  /** Holds a card to the phone. Returns the reference to capture with. */
  function tap(clientSecret: string) {
    return {
      id: standIn.present(clientSecret, 'visa_credit'),
      paymentProcessor: 'processor_a',
    } as const;
  }

  return { processor: opened.value, account: { id, currency }, tap };
}
