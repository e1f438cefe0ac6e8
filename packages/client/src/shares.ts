import type { AnswerOf, InputOf } from './answers.ts';
import { type Calls, callsOf } from './calls.ts';
import { type ClientOptions, toSettings } from './settings.ts';
import { shareOperations } from './share-operations.ts';

export * from './share-screen.ts';

// Apart from the other operations, so that an app of single visits does not carry them.

/** Whose a payment is from now on. */
export type Sharing = AnswerOf<'sharePayment'>;

/** What a visit has of the captured payments. */
export type VisitShares = AnswerOf<'listShares'>;

/** The same key means the same sharing. Store it before the call. */
export interface SharePaymentInput extends InputOf<'sharePayment'> {}
export interface ListSharesInput extends InputOf<'listShares'> {}

/** The operations of shares, which a service may switch on. */
export type ShareClient = Calls<typeof shareOperations>;

/** Takes the options of `createClient`. Throws a TypeError for invalid ones. */
export function createShareClient(options: ClientOptions): ShareClient {
  return callsOf(toSettings(options), shareOperations);
}
