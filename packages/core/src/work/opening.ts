import { commit } from '../call/commit.ts';
import { noted } from '../domain/follow-ledger.ts';
import {
  keyRetentionMs,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type PaymentAtWork,
} from '../domain/payment.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../domain/problem.ts';
import { err, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { OpenedAtProcessor } from '../ports/processor.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { ask, handleOf, processorKey, readAtProcessor } from './ask.ts';
import { notSetUp } from './faults.ts';
import { letGo, writePayment } from './write-payment.ts';

type OpeningFault = FaultOf<
  'conflict' | 'paymentProviderNotSetup' | 'unprocessableEntity' | 'serviceUnavailable'
>;
type Ending<T> = Steps<T, OpeningFault | StoreConflict | StoreUnavailable>;

/**
 * Carries a create that this call holds to its end: opens the payment at the processor and records
 * it. The same call as before is made again on a retry, under the same processor key (D20).
 */
export async function* finishOpening(ports: Ports, payment: PaymentAtWork): Ending<OpenedPayment> {
  if (ports.clock.now() >= payment.createdAt + openLifetimeMs) {
    return yield* adopt(ports, payment, () => close(ports, payment));
  }
  const opened = await openAtProcessor(ports, payment);
  if (opened.isOk()) return yield* recordOpened(ports, payment, opened.value);
  const { error } = opened;
  switch (error.kind) {
    case 'notSetUp':
      return yield* refused(ports, payment, notSetUp());
    case 'rejected':
      return yield* refused(ports, payment, rejected(error.reason));
    case 'rateLimited':
      return yield* notOpened(ports, payment);
    case 'unavailable':
      if (error.outcome === 'notApplied') return yield* notOpened(ports, payment);
      return yield* adopt(ports, payment, () => unknown(ports, payment, error.answered));
  }
}

function openAtProcessor(ports: Ports, payment: PaymentAtWork) {
  return ask(ports, 'openPayment', () =>
    ports.processor.openPayment({
      ...handleOf(ports, payment),
      amountMinor: payment.amountMinor,
      currency: payment.currency,
      idempotencyKey: processorKey(payment, 'open'),
    }),
  );
}

/** Takes over what the processor has opened after all; otherwise does what the caller says. */
async function* adopt(
  ports: Ports,
  payment: PaymentAtWork,
  otherwise: () => Ending<never>,
): Ending<OpenedPayment> {
  const read = await readAtProcessor(ports, payment);
  if (read.isErr()) return yield* unknown(ports, payment, false);
  if (read.value === undefined) return yield* otherwise();
  return yield* recordOpened(ports, payment, read.value);
}

async function* recordOpened(
  ports: Ports,
  payment: PaymentAtWork,
  { clientSecret, reference }: OpenedAtProcessor,
): Ending<OpenedPayment> {
  const opened = yield* await writePayment(ports, payment, (stored) => {
    const { work: _work, ...rest } = stored;
    const opened: Payment = {
      ...rest,
      clientSecret,
      ...(reference !== undefined && { reference }),
      version: stored.version + 1,
      nextCheckAt: stored.expiresAt,
      checks: 0,
    };
    const entry = { at: ports.clock.now(), what: 'created', cause: 'open' };
    return { payment: noted(opened, entry), passed: ['created'] };
  });
  return { ...opened, clientSecret };
}

/** The processor refuses this call; an earlier one of ours may have got through all the same. */
async function* refused(
  ports: Ports,
  payment: PaymentAtWork,
  why: OpeningFault,
): Ending<OpenedPayment> {
  return isFirstCall(payment)
    ? yield* withdraw(ports, payment, why)
    : yield* adopt(ports, payment, () => withdraw(ports, payment, why));
}

function isFirstCall({ work }: PaymentAtWork): boolean {
  return work.fence === 1;
}

/** It is proven that nothing was opened: the claim goes, and with it all trace (D21). */
async function* withdraw(ports: Ports, payment: PaymentAtWork, why: OpeningFault): Ending<never> {
  yield* await commit(ports, [
    { kind: 'deletePayment', id: payment.id, expectedVersion: payment.version },
    { kind: 'deleteKeys', resourceId: payment.id },
    {
      kind: 'moveLedger',
      appointmentId: payment.appointment.id,
      openPayments: -1,
      reservedMinor: 0n,
      capturedMinor: 0n,
      currency: payment.currency,
    },
  ]);
  return yield* err(why);
}

/**
 * This call did nothing. If it was the first, nothing was done at all; otherwise an earlier one may
 * have got through.
 */
async function* notOpened(ports: Ports, payment: PaymentAtWork): Ending<never> {
  const why = unavailable('The payment processor cannot be reached.', 'notApplied');
  return isFirstCall(payment)
    ? yield* withdraw(ports, payment, why)
    : yield* unknown(ports, payment, false);
}

async function* unknown(ports: Ports, payment: PaymentAtWork, provedDead: boolean): Ending<never> {
  yield* await letGo(ports, payment, 'unknown', provedDead);
  return yield* err(
    unavailable('The payment processor did not say whether it opened the payment.', 'unknown'),
  );
}

/** Too late to open it: its time to live has passed (D20). The key stays closed. */
async function* close(ports: Ports, payment: PaymentAtWork): Ending<never> {
  yield* await writePayment(ports, payment, (stored) => {
    const { work: _work, ...rest } = stored;
    const now = ports.clock.now();
    const closed: Payment = { ...rest, state: 'canceled', nextCheckAt: now + keyRetentionMs };
    return { payment: noted(closed, { at: now, what: 'closed', cause: 'expired' }), passed: [] };
  });
  return yield* err(neverOpened());
}

/** The answer of a key whose payment was not opened in time, and never will be. */
export function neverOpened(): Fault<'conflict'> {
  return fault('conflict', 'The payment was not opened in time; begin a new one with a new key.', {
    attributes: { reason: 'expired' },
  });
}

function rejected(reason: string): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', 'The payment processor refuses this payment.', {
    attributes: { reason },
  });
}
