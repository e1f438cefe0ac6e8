import { type Appointment, type Ledger, maxOpenPayments } from '../../domain/appointment.ts';
import { type Charge, type ChargePurpose, dueMinorFor } from '../../domain/charge.ts';
import type { Dues } from '../../domain/dues.ts';
import type { OpenedSetup } from '../../domain/method-setup.ts';
import type { Payment } from '../../domain/payment.ts';
import type { Fault, FaultOf } from '../../domain/problem.ts';
import { conflict, unfit } from '../../domain/refusals.ts';
import { err, type Result } from '../../domain/result.ts';
import { type EpochMs, minuteMs } from '../../domain/time.ts';
import { whyNeverFits } from '../capturing/reserving.ts';
import { reservedElsewhere, tooManyOpenPayments } from '../faults.ts';
import {
  decideNewPayment,
  type NewPaymentFault,
  type Opening,
} from '../opening/decide-new-payment.ts';
import type { MethodUse } from '../setup/charged-method.ts';

/** The host's clock may be ahead by so much. */
const aheadMs = 5 * minuteMs;

export interface RequestedCharge extends Pick<Charge, 'purpose' | 'agreedAt'> {
  readonly amountMinor: bigint;
}

/** The stored records that decide whether a method may be charged. The ledger is the purpose's. */
export interface ChargeRecords extends Dues {
  readonly appointment: Appointment;
  /** The requested setup, if there is one. */
  readonly setup: OpenedSetup | undefined;
  readonly use: MethodUse;
  /** The payments of every business: an appointment that moved keeps what it was charged. */
  readonly earlier: readonly Payment[];
}

/** Decides which method is charged, how much and at which account, as far as the store knows (D49). */
export function decideCharge(
  requested: RequestedCharge,
  records: ChargeRecords,
  now: EpochMs,
): Result<Opening & { readonly setup: OpenedSetup }, NewPaymentFault> {
  const { purpose, amountMinor, agreedAt } = requested;
  const { appointment, setup, use, earlier, ledger, business } = records;
  // Not stored under the key, because the time will come (D21).
  if (agreedAt > now + aheadMs) return err(unfit('/agreedAt', '/agreedAt is in the future.'));
  if (setup === undefined || !isMethodOf(appointment, setup)) {
    const pointer = '/paymentMethodSetupId';
    return err(unfit(pointer, `${pointer} is no method of the appointment's customer.`));
  }
  const refusal =
    whyNotFree(setup, use) ??
    whyChargedBefore(purpose, earlier) ??
    whyNoFee(requested, appointment);
  if (refusal !== undefined) return err(refusal);
  const due = { ...appointment, amountDueMinor: dueMinorFor({ charge: requested }, appointment) };
  const opening = decideNewPayment(due, ledger, business, { amountMinor, tipMinor: undefined });
  return opening.map((decided) => ({ ...decided, setup }));
}

/** The setup must be the appointment's own, or its customer's. */
function isMethodOf(
  { customerId, paymentMethodSetupId }: Appointment,
  { id, savePaymentMethod, customerId: ownerId }: OpenedSetup,
): boolean {
  const isOfCustomer = customerId === ownerId;
  return savePaymentMethod
    ? isOfCustomer
    : paymentMethodSetupId === id && (customerId === undefined || isOfCustomer);
}

function whyNotFree({ releasedAt }: OpenedSetup, use: MethodUse): Fault<'conflict'> | undefined {
  if (releasedAt !== undefined) {
    return conflict('methodReleased', 'The customer has withdrawn the method.');
  }
  switch (use) {
    case 'usedUp':
      return conflict('methodUsed', 'The method was for one charge, which it has had.');
    case 'underWay':
      return conflict('chargeUnderWay', 'Another charge of the method has not ended yet.');
    case 'free':
      return undefined;
  }
}

/** An appointment has one deposit. Two desks that charge the same method meet at its setup's version. */
function whyChargedBefore(
  purpose: ChargePurpose,
  earlier: readonly Payment[],
): Fault<'conflict'> | undefined {
  const isSame = ({ charge, state }: Payment) =>
    charge?.purpose === purpose && state !== 'canceled';
  return earlier.some(isSame)
    ? conflict('alreadyCharged', 'The appointment has such a charge already.')
    : undefined;
}

function whyNoFee(
  { purpose, amountMinor }: RequestedCharge,
  { isMissed, noShowFeeMinor = 0n }: Appointment,
): FaultOf<'conflict' | 'unprocessableEntity'> | undefined {
  if (purpose !== 'noShow') return undefined;
  if (isMissed !== true) {
    return conflict('notMissed', 'The appointment was not recorded as missed.');
  }
  return amountMinor > noShowFeeMinor
    ? unfit('/amount', '/amount is more than the no-show fee of the appointment.')
    : undefined;
}

/** Why the reservation of a charge did not fit its ledger, which is read anew. */
export function whyFull(
  payment: Payment,
  appointment: Appointment,
  ledger: Ledger,
): Fault<'conflict'> {
  if (payment.charge?.purpose === 'noShow' && ledger.capturedMinor > 0n) {
    return conflict('alreadyCharged', 'The fee for the missed visit was charged before.');
  }
  if (ledger.openPayments >= maxOpenPayments) return tooManyOpenPayments();
  const due = { ...appointment, amountDueMinor: dueMinorFor(payment, appointment) };
  const why = whyNeverFits(payment, due, ledger);
  return why === undefined ? reservedElsewhere() : conflict(why, 'The charge is not due any more.');
}
