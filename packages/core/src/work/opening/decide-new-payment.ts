import { type Appointment, type Ledger, remainingMinor } from '../../domain/appointment.ts';
import {
  type Business,
  feeOf,
  type ProcessorAccount,
  paymentAccount,
} from '../../domain/business.ts';
import { hasOtherCurrency } from '../../domain/dues.ts';
import { canBeMoney } from '../../domain/money.ts';
import { type Fault, type FaultOf, fault } from '../../domain/problem.ts';
import { conflict, unfit } from '../../domain/refusals.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { RequestedAmount } from '../dues/requested-amount.ts';
import { notSetUp } from '../faults.ts';

export type NewPaymentFault = FaultOf<
  'appointmentAlreadyPaid' | 'conflict' | 'paymentProviderNotSetup' | 'unprocessableEntity'
>;

export interface Opening {
  readonly account: ProcessorAccount;
  /** All that the card is charged. */
  readonly amountMinor: bigint;
  /** The part of the amount that is tip; zero without one (D48). */
  readonly tipMinor: bigint;
  /** The platform's fee, if there is one (D46). */
  readonly feeMinor?: bigint;
}

/** Decides the amount and account of a new payment (D13, D14, D39). */
export function decideNewPayment(
  appointment: Appointment,
  ledger: Ledger,
  business: Business | undefined,
  requested: RequestedAmount,
): Result<Opening, NewPaymentFault> {
  const account = paymentAccount(business);
  // The remainder is undefined if the sums are in different currencies.
  if (account !== undefined && hasOtherCurrency({ business, ledger }, account.currency)) {
    return err(conflict('currencyChanged', 'Earlier payments are in another currency.'));
  }
  const decided = decideAmount(appointment, ledger, requested);
  if (decided.isErr()) return err(decided.error);
  if (account === undefined) return err(notSetUp());
  const amountMinor = decided.value;
  const { tipMinor = 0n } = requested;
  const fee = business?.applicationFee;
  const feeBaseMinor = fee?.includesTip === true ? amountMinor : amountMinor - tipMinor;
  const feeMinor = feeOf(fee, feeBaseMinor, account.currency);
  if (feeMinor === 'otherCurrency') return err(feeInOtherCurrency());
  return ok({ account, amountMinor, tipMinor, ...(feeMinor !== undefined && { feeMinor }) });
}

/** The fee cannot be taken of the payment, and the host has to correct it (D46). */
function feeInOtherCurrency(): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', 'The platform fee of the business is in another currency.');
}

/** The amount to collect: the requested one, or the full remainder and the tip (D13, D48). */
function decideAmount(
  appointment: Appointment,
  ledger: Ledger,
  { amountMinor: requestedMinor, tipMinor = 0n }: RequestedAmount,
): Result<bigint, FaultOf<'appointmentAlreadyPaid' | 'unprocessableEntity'>> {
  const owedMinor = remainingMinor(appointment, ledger);
  if (owedMinor <= 0n) {
    return err(fault('appointmentAlreadyPaid', 'The appointment has no remaining balance.'));
  }
  const amountMinor = requestedMinor ?? owedMinor + tipMinor;
  if (!canBeMoney(amountMinor)) return err(unfit('/amount', 'The amount has more than 15 digits.'));
  // The tip pays no part of what the appointment owes.
  if (tipMinor >= amountMinor) return err(unfit('/tip', 'The tip must be less than the amount.'));
  return amountMinor - tipMinor > owedMinor
    ? err(unfit('/amount', 'The amount is more than the appointment still owes.'))
    : ok(amountMinor);
}
