import type { RefundPaymentBody, RefundsView, RefundView } from '@chairside/core';
import type { Open } from './parse.ts';
import { refundOperations } from './refund-operations.ts';
import type { Result } from './result.ts';
import { type CallOptions, type ErrorOf, send } from './send.ts';
import { type ClientOptions, toSettings } from './settings.ts';

// Apart from the other operations, so that an app without refunds does not carry them.

export type Refund = Open<RefundView>;

/** The refunds of a payment, oldest first, and the rest that can still be refunded. */
export type Refunds = Open<RefundsView>;

export interface RefundPaymentInput {
  readonly contactlessPaymentId: string;
  /** 1 to 255 characters. The same key means the same refund. Store it before the call. */
  readonly idempotencyKey: string;
  /** Without an amount, all that can be refunded. */
  readonly body?: RefundPaymentBody | undefined;
}

export interface ListRefundsInput {
  readonly contactlessPaymentId: string;
}

export interface GetRefundInput extends ListRefundsInput {
  readonly refundId: string;
}

type Table = typeof refundOperations;
type Errors<N extends keyof Table> = ErrorOf<Table[N]['problems'][number]>;

/** The operations of refunds, which a service may switch on. Every call resolves to a Result. */
export interface RefundClient {
  refundPayment(
    input: RefundPaymentInput,
    options?: CallOptions,
  ): Promise<Result<Refund, Errors<'refundPayment'>>>;
  listRefunds(
    input: ListRefundsInput,
    options?: CallOptions,
  ): Promise<Result<Refunds, Errors<'listRefunds'>>>;
  getRefund(
    input: GetRefundInput,
    options?: CallOptions,
  ): Promise<Result<Refund, Errors<'getRefund'>>>;
}

/** Takes the options of `createClient`. Throws a TypeError for invalid ones. */
export function createRefundClient(options: ClientOptions): RefundClient {
  const settings = toSettings(options);
  const { refundPayment, listRefunds, getRefund } = refundOperations;
  return {
    refundPayment: (input, options = {}) =>
      send(settings, refundPayment, { name: 'refundPayment', input, options }),
    listRefunds: (input, options = {}) =>
      send(settings, listRefunds, { name: 'listRefunds', input, options }),
    getRefund: (input, options = {}) =>
      send(settings, getRefund, { name: 'getRefund', input, options }),
  };
}
