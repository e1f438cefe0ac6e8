import type {
  Chairside,
  ClientOperation,
  ResultAsync,
  ChallengeMethods as StrictChallengeMethods,
  ContactlessPayment as StrictPayment,
  BusinessPayoutPreferences as StrictPayoutPreferences,
  PaymentMethodSetup as StrictSetup,
  TerminalConnectionToken as StrictToken,
  TerminalView,
} from '@chairside/core';
import type { Open } from './parse.ts';

// The response members that an app can rely on. Others are not checked.

export type ContactlessPayment = Open<StrictPayment>;

export interface ContactlessPayments {
  readonly items: readonly ContactlessPayment[];
  readonly count: number;
}

/** A registered device. The processor's SDK needs `terminalLocation` to connect (D6). */
export type Terminal = Open<TerminalView> & { readonly terminalLocation?: string };

export interface Terminals {
  readonly items: readonly Terminal[];
  readonly count: number;
}

export type TerminalConnectionToken = Open<StrictToken>;
export type PaymentMethodSetup = Open<StrictSetup>;
export type ChallengeMethods = Open<StrictChallengeMethods>;

/** `frequency` determines the other members. */
export interface BusinessPayoutPreferences {
  readonly settings: {
    readonly frequency: Open<StrictPayoutPreferences['settings']['frequency']>;
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

type CoreAnswer<N extends ClientOperation> =
  ReturnType<Chairside[N]> extends ResultAsync<infer T, unknown> ? T : never;

/** The response of an operation. One without a body is `{ none: true }`. */
export type AnswerOf<N extends ClientOperation> = N extends keyof OwnAnswers
  ? OwnAnswers[N]
  : CoreAnswer<N> extends infer T
    ? T extends object
      ? Open<T>
      : { readonly none: true }
    : never;
