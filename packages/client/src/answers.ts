import type { Chairside, ClientOperation, ResultAsync, Unvalidated } from '@chairside/core';
import type { Open } from './parse.ts';

/** `frequency` determines the other members. */
type PayoutPreferences = {
  readonly settings: {
    readonly frequency: Open<CoreAnswer<'getPayoutPreferences'>['settings']['frequency']>;
    readonly delayDays?: number;
    readonly dayOfWeek?: string;
    readonly dayOfMonth?: number;
  };
};

type CoreAnswer<N extends ClientOperation> = Chairside[N] extends (
  ...given: never
) => ResultAsync<infer T, unknown>
  ? T
  : never;

/**
 * The response members of an operation that an app can rely on: the core's, with open enums. Others are not checked.
 * A response without a body is `{ none: true }`.
 */
export type AnswerOf<N extends ClientOperation> = N extends 'getPayoutPreferences'
  ? PayoutPreferences
  : CoreAnswer<N> extends infer T
    ? T extends object
      ? Open<T>
      : { readonly none: true }
    : never;

type InputOfCall<Call> = Call extends (caller: never, input: infer Input) => unknown
  ? Input
  : undefined;

/** An input of the core, as a client sends it: its optional members may be undefined. */
type Sent<Input> = {
  readonly [M in keyof Input]:
    | Exclude<Input[M], Unvalidated>
    | (Input extends Readonly<Record<M, unknown>> ? never : undefined);
};

/** The input of an operation: its path ids, key, body and query. */
export type InputOf<N extends ClientOperation> =
  InputOfCall<Chairside[N]> extends infer Input
    ? Input extends object
      ? Sent<Input>
      : undefined
    : never;

/** Other visits that a payment pays, each with its amount, where the service shares payments. */
export type AlsoPays = readonly { readonly appointmentId: string; readonly amount: string }[];
