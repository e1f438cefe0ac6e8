import type { AnswerOf, InputOf } from './answers.ts';
import { type Calls, callsOf } from './calls.ts';
import { chargeOperations } from './charge-operations.ts';
import { type ClientOptions, toSettings } from './settings.ts';

// Apart from the other operations, so that an app without charges does not carry them.

export type Charge = AnswerOf<'getCharge'>;

/** The charges of an appointment, oldest first, and what its deposits exceed the amount due by. */
export type Charges = AnswerOf<'listCharges'>;

/** The same key means the same charge. Store it before the call. */
export interface ChargePaymentMethodInput extends InputOf<'chargePaymentMethod'> {}
export interface ListChargesInput extends InputOf<'listCharges'> {}
export interface GetChargeInput extends InputOf<'getCharge'> {}

/** The operations of charges, which a service may switch on. */
export type ChargeClient = Calls<typeof chargeOperations>;

/** Takes the options of `createClient`. Throws a TypeError for invalid ones. */
export function createChargeClient(options: ClientOptions): ChargeClient {
  return callsOf(toSettings(options), chargeOperations);
}
