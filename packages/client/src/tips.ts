import type { TipAnswerOf, TipInputOf, TipOperation } from './answers.ts';
import { callsOf, type ProblemsOf } from './calls.ts';
import { type Client, createClient } from './client.ts';
import type { TakeInput, Unfinished } from './register.ts';
import { createRegister, type Register, type RegisterOptions } from './register.ts';
import type { Result } from './result.ts';
import type { CallOptions, ErrorOf } from './send.ts';
import { type ClientOptions, toSettings } from './settings.ts';
import type { Taking } from './taking.ts';
import { tipOperations } from './tip-operations.ts';

export { ownTip, type TipChoice, tipChoices, tipWords } from './tip-choices.ts';

// Apart from the other operations, so that an app without tips does not carry them (D48).

/** A payment that may have a tip, the part of its amount that the appointment does not owe. */
export type TippedPayment = TipAnswerOf<'getContactlessPayment'>;
export type TippedRefund = TipAnswerOf<'getRefund'>;

/** The operations of payments and refunds, of a service that has switched tips on. */
export type TipCalls = {
  readonly [N in TipOperation]: (
    input: TipInputOf<N>,
    options?: CallOptions,
  ) => Promise<Result<TipAnswerOf<N>, ErrorOf<ProblemsOf<(typeof tipOperations)[N]>>>>;
};

/** The operations of `createClient`, those with tips among them. */
export interface TipClient extends Omit<Client, TipOperation>, TipCalls {}

/** Takes the options of `createClient`. Throws a TypeError for invalid ones. */
export function createTipClient(options: ClientOptions): TipClient {
  const calls = callsOf(toSettings(options), tipOperations);
  // cast: the table has the parsers and the problems of the operations with tips
  return { ...createClient(options), ...(calls as TipCalls) };
}

export interface TakeTippedInput extends TakeInput {
  /**
   * The part of `amount` that is tip; `0.00` if the customer gives none. Without it an unfinished payment is
   * resumed as it is, and a new one has no tip.
   */
  readonly tip?: string | undefined;
}

export interface TippedTaking extends Taking {
  /** The tip in the amount. */
  readonly tip?: string | undefined;
}

export interface UnfinishedTipped extends Unfinished {
  readonly tip?: string | undefined;
}

/** A till of a shop that takes tips. The note of a payment holds its tip, so a restart sends the same request. */
export interface TipRegister extends Register {
  /** Takes a payment. One with another tip is begun only once the first cannot be charged. */
  take(input: TakeTippedInput): Promise<TippedTaking>;
  resume(appointmentId: string): Promise<TippedTaking>;
  unfinished(): Promise<readonly UnfinishedTipped[] | undefined>;
  readonly getSnapshot: (appointmentId?: string) => TippedTaking;
}

/** Takes the options of `createRegister`, with a client of `createTipClient`. */
export const createTipRegister: (options: RegisterOptions) => TipRegister = createRegister;
