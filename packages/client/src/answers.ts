import type { Chairside, ClientOperation, ResultAsync, Unvalidated } from '@chairside/core';
import type { Open } from './parse.ts';

// The response members that an app can rely on. Others are not checked.

export type ContactlessPayment = AnswerOf<'getContactlessPayment'>;

export interface ContactlessPayments {
  readonly items: readonly ContactlessPayment[];
  readonly count: number;
}

/** A registered device. The processor's SDK needs `terminalLocation` to connect (D6). */
export type Terminal = Open<CoreAnswer<'getTerminal'>> & { readonly terminalLocation?: string };

export interface Terminals {
  readonly items: readonly Terminal[];
  readonly count: number;
}

export type TerminalConnectionToken = AnswerOf<'createTerminalConnectionToken'>;
export type PaymentMethodSetup = AnswerOf<'preparePaymentMethod'>;
export type ChallengeMethods = AnswerOf<'listChallengeMethods'>;

/** `frequency` determines the other members. */
export interface BusinessPayoutPreferences {
  readonly settings: {
    readonly frequency: Open<CoreAnswer<'getPayoutPreferences'>['settings']['frequency']>;
    readonly delayDays?: number;
    readonly dayOfWeek?: string;
    readonly dayOfMonth?: number;
  };
}

/** Responses with types of their own. The others have the core's, with open enums. */
interface OwnAnswers {
  readonly listContactlessPayments: ContactlessPayments;
  readonly registerTerminal: Terminal;
  readonly listTerminals: Terminals;
  readonly getTerminal: Terminal;
  readonly getPayoutPreferences: BusinessPayoutPreferences;
}

type CoreAnswer<N extends ClientOperation> = Chairside[N] extends (
  ...given: never
) => ResultAsync<infer T, unknown>
  ? T
  : never;

/** The response of an operation. One without a body is `{ none: true }`. */
export type AnswerOf<N extends ClientOperation> = N extends keyof OwnAnswers
  ? OwnAnswers[N]
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

/** The same key means the same payment. Keep it until the payment has ended. */
export interface CreateContactlessPaymentInput extends InputOf<'createContactlessPayment'> {}

/** Other visits that a payment pays, each with its amount, where the service shares payments. */
export type AlsoPays = readonly { readonly appointmentId: string; readonly amount: string }[];

/** The same key means the same capture. */
export interface CaptureContactlessPaymentInput extends InputOf<'captureContactlessPayment'> {}

/** Default of the key: a new one for each call. */
export interface PreparePaymentMethodInput extends InputOf<'preparePaymentMethod'> {}
