import { createFakeProcessor } from '@chairside/fake-processor';

/** Moves no money. Its books are a file beside your database: delete both or neither. */
export function openProcessor(file = `${process.env['DATABASE'] ?? 'shop'}.fake.ndjson`) {
  const processor = createFakeProcessor({ file });
  const account = { id: 'acct_shop', currency: 'eur' };

  /** Holds a card to the phone. Returns the reference to capture with. */
  function tap(clientSecret: string) {
    const tapped = processor.presentCard(clientSecret, 'visa_credit');
    if (tapped.isErr()) throw new Error(tapped.error.kind);
    return tapped.value.externalPaymentReference;
  }

  return { processor, account, tap };
}
