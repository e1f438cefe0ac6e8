import { randomUUID } from 'node:crypto';
import { systemClock } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';

/** Moves no money. It forgets its ledger when the process ends. */
export function openProcessor() {
  const processor = createFakeProcessor({ clock: systemClock, seed: randomUUID() });
  const account = { id: 'acct_shop', currency: 'eur' };

  /** Holds a card to the phone. Returns the reference to capture with. */
  function tap(clientSecret: string) {
    const tapped = processor.presentCard(clientSecret, 'visa_credit');
    if (tapped.isErr()) throw new Error(tapped.error.kind);
    return tapped.value.externalPaymentReference;
  }

  return { processor, account, tap };
}
