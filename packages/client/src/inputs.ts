import type { Chairside, ClientOperation, Unvalidated } from '@chairside/core';
import type { operations } from './operations.ts';

export type OperationName = keyof typeof operations;

type CoreInput<N extends ClientOperation> =
  Parameters<Chairside[N]> extends readonly [unknown, infer Input] ? Input : undefined;

/** An input of the core, as a client sends it: its optional members may be undefined. */
type Sent<Input> = {
  readonly [M in keyof Input]:
    | Exclude<Input[M], Unvalidated>
    | (Input extends Readonly<Record<M, unknown>> ? never : undefined);
};

/** The input of an operation: its path ids, key, body and query. */
export type InputOf<N extends ClientOperation> =
  CoreInput<N> extends infer Input ? (Input extends object ? Sent<Input> : undefined) : never;

/** The same key means the same payment. Keep it until the payment is settled. */
export interface CreateContactlessPaymentInput extends InputOf<'createContactlessPayment'> {}

/** The same key means the same capture. */
export interface CaptureContactlessPaymentInput extends InputOf<'captureContactlessPayment'> {}

/** Default of the key: a new one for each call. */
export interface PreparePaymentMethodInput extends InputOf<'preparePaymentMethod'> {}
