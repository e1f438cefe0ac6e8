import { claimKey, type KeyUse } from '../../call/idempotency.ts';
import { type Appointment, maxOpenPayments, snapshotOf } from '../../domain/appointment.ts';
import { type Charge, ledgerIdOf } from '../../domain/charge.ts';
import { openLifetimeMs, type PaymentAtWork } from '../../domain/payment.ts';
import { sweepFrom } from '../../domain/swept-ledger.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import { lease } from '../lease.ts';
import type { Opening } from './decide-new-payment.ts';

/**
 * A payment that is about to be opened at the processor.
 * @param charge of a saved method; its amount is reserved from the beginning (D49).
 */
export function newPayment(
  ports: Ports,
  appointment: Appointment,
  { account, amountMinor, tipMinor, feeMinor }: Opening,
  charge?: Charge,
): PaymentAtWork {
  const at = ports.clock.now();
  const work = lease(ports, { kind: 'open', fence: 1 });
  const isCharge = charge !== undefined;
  return {
    id: ports.ids.next(isCharge ? 'chg' : 'cpm'),
    appointment: snapshotOf(appointment),
    businessId: appointment.businessId,
    account: account.id,
    currency: account.currency,
    amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(feeMinor !== undefined && { applicationFeeMinor: feeMinor }),
    ...(isCharge && { charge }),
    state: 'created',
    version: 1,
    expiresAt: at + openLifetimeMs,
    createdAt: at,
    updatedAt: at,
    reserved: isCharge,
    work,
    nextCheckAt: work.leaseUntil,
    checks: 0,
    timeline: [
      isCharge
        ? { at, what: 'charging', cause: 'charge' }
        : { at, what: 'opening', cause: 'create' },
    ],
  };
}

/**
 * Claims the key for a new payment, and counts the payment on its ledger (D13, D19).
 * @param maxCommittedMinor the bound of its reservation, if it has one.
 */
export function claimPayment(
  ports: Ports,
  use: KeyUse,
  payment: PaymentAtWork,
  maxCommittedMinor?: bigint,
): readonly Change[] {
  return [
    claimKey(use, payment.id),
    {
      kind: 'insertPayment',
      payment,
      ledger: ports.processor.ledgerOf?.(payment.account),
      sweepFrom: sweepFrom(payment),
    },
    {
      kind: 'moveLedger',
      appointmentId: ledgerIdOf(payment),
      openPayments: 1,
      reservedMinor: payment.reserved ? payment.amountMinor : 0n,
      capturedMinor: 0n,
      currency: payment.currency,
      maxOpenPayments,
      ...(maxCommittedMinor !== undefined && { maxCommittedMinor }),
    },
  ];
}
