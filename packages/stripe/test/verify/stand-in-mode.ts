import { systemClock } from '@chairside/core';
import { createStripeStandIn } from '@chairside/stripe-stand-in';
import type { TestMode } from '../live-harness.ts';
import { secretKey, webhookSecret } from '../stand-in.ts';

/** The stand-in over HTTP, instead of Stripe's test mode. */
export async function standInAsTestMode() {
  const standIn = createStripeStandIn({ clock: systemClock, secretKey, webhookSecret });
  const accounts = [standIn.addAccount().id, standIn.addAccount().id];
  const { host, port, protocol, close } = await standIn.listen();
  const mode: TestMode = { secretKey, accounts, api: { host, port, protocol } };
  return { mode, close };
}
