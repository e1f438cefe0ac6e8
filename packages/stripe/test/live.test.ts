import { processorContract } from '@chairside/testkit/contracts';
import { describe, it } from 'vitest';
import { liveHarness, notInTestMode, testModeOf } from './live-harness.ts';

/**
 * Live: the contract against Stripe's test mode, where money is only play money. Needs
 * - `STRIPE_SECRET_KEY`: a test key of a Connect platform;
 * - `STRIPE_ACCOUNTS`: two or more of its connected test accounts in the United States, separated
 *   by commas, each with the capability `card_payments`.
 *
 * See docs/guide/stripe.md.
 */
const mode = testModeOf(process.env);
if (mode === undefined) {
  describe('live: Stripe’s test mode', () => {
    it('fulfils the contract', (test) => {
      test.skip('NOT RUN: set STRIPE_SECRET_KEY and STRIPE_ACCOUNTS, see docs/guide/stripe.md');
    });
  });
  console.warn('live: the contract was NOT run against Stripe; STRIPE_SECRET_KEY is not set');
} else {
  processorContract('stripe, live test mode', liveHarness(mode), notInTestMode);
}
