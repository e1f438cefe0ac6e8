import type { AnswerOf, InputOf } from './answers.ts';
import { type Calls, callsOf } from './calls.ts';
import { refundOperations } from './refund-operations.ts';
import { type ClientOptions, toSettings } from './settings.ts';

// Apart from the other operations, so that an app without refunds does not carry them.

export type Refund = AnswerOf<'getRefund'>;

/** The refunds of a payment, oldest first, and the rest that can still be refunded. */
export type Refunds = AnswerOf<'listRefunds'>;

/** The same key means the same refund. Store it before the call. Without an amount, all that is left. */
export interface RefundPaymentInput extends InputOf<'refundPayment'> {}
export interface ListRefundsInput extends InputOf<'listRefunds'> {}
export interface GetRefundInput extends InputOf<'getRefund'> {}

/** The operations of refunds, which a service may switch on. */
export type RefundClient = Calls<typeof refundOperations>;

/** Takes the options of `createClient`. Throws a TypeError for invalid ones. */
export function createRefundClient(options: ClientOptions): RefundClient {
  return callsOf(toSettings(options), refundOperations);
}
