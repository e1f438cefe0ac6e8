import { type Clock, err, type PaymentState, type Result } from '@chairside/core';
import type { Books } from './books.ts';
import { findCard } from './cards.ts';
import { presented } from './entry-changes.ts';
import { type StorageFailed, withStorage } from './errors.ts';
import { referenceIn } from './ids.ts';

/** The result that a terminal app receives when a card was presented. */
export interface Presented {
  readonly status: 'authorized' | 'processing' | 'declined' | 'canceled';
  /** The app sends it with its capture request. */
  readonly externalPaymentReference: {
    readonly id: string;
    readonly paymentProcessor: 'processor_a';
  };
}

export type PresentError =
  | { readonly kind: 'unknownClientSecret' }
  | { readonly kind: 'unknownCard' }
  /** The payment accepts no card any more, or is processing one. */
  | { readonly kind: 'notPresentable'; readonly status: PaymentState }
  | StorageFailed;

/** A simulated terminal that collects the payment of a client secret. */
export function presentCard(
  books: Books,
  clock: Clock,
  clientSecret: string,
  cardName: string,
): Result<Presented, PresentError> {
  return withStorage<Presented, PresentError>(() => {
    const entry = books.load(referenceIn(clientSecret));
    if (entry?.clientSecret !== clientSecret) return err({ kind: 'unknownClientSecret' });
    const card = findCard(cardName);
    if (card === undefined) return err({ kind: 'unknownCard' });
    return presented(entry, card, clock.now())
      .mapErr((kind): PresentError => ({ kind, status: entry.status }))
      .map((after) => {
        books.save(after);
        return {
          status: shown[after.status],
          externalPaymentReference: { id: after.id, paymentProcessor: 'processor_a' },
        };
      });
  });
}

const shown = {
  created: 'processing',
  processing: 'processing',
  authorized: 'authorized',
  captured: 'authorized',
  failed: 'declined',
  canceled: 'canceled',
} as const satisfies Readonly<Record<PaymentState, Presented['status']>>;
