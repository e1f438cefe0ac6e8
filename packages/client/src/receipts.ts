import type { AnswerOf, InputOf } from './answers.ts';
import { type Calls, callsOf } from './calls.ts';
import { receiptOperations } from './receipt-operations.ts';
import { type ClientOptions, toSettings } from './settings.ts';

// Apart from the other operations, so that an app without receipts does not carry them.

/** What a receipt must show. `receiptToText` and `receiptToHtml` of `@chairside/core/receipt` print it. */
export type Receipt = AnswerOf<'getReceipt'>;

export interface GetReceiptInput extends InputOf<'getReceipt'> {}

/** The operation of receipts, which a service may switch on. */
export type ReceiptClient = Calls<typeof receiptOperations>;

/** Takes the options of `createClient`. Throws a TypeError for invalid ones. */
export function createReceiptClient(options: ClientOptions): ReceiptClient {
  return callsOf(toSettings(options), receiptOperations);
}
