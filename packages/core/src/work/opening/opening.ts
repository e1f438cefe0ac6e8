import { commit } from '../../call/commit.ts';
import { withoutUnsettled } from '../../domain/follow-ledger.ts';
import {
  draftWithoutWork,
  keyRetentionMs,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type PaymentAtWork,
} from '../../domain/payment.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../../domain/problem.ts';
import { err, type Result } from '../../domain/result.ts';
import { type EpochMs, isAgedBy } from '../../domain/time.ts';
import { noted } from '../../domain/timeline.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { OpenedAtProcessor, ProcessorError } from '../../ports/processor-calls.ts';
import type { StoreConflict, StoreUnavailable } from '../../ports/store.ts';
import { ask, handleOf, processorKey, readAtProcessor } from '../ask.ts';
import { notSetUp } from '../faults.ts';
import { letGo, stillHeld, writePayment } from '../payment/write-payment.ts';
import { carryOpening } from './carry-opening.ts';
import type { OpeningEnd } from './decide-opening.ts';

type OpeningFault = FaultOf<
  'conflict' | 'paymentProviderNotSetup' | 'unprocessableEntity' | 'serviceUnavailable'
>;
type OpenedOrFault = Promise<
  Result<OpenedPayment, OpeningFault | StoreConflict | StoreUnavailable>
>;

/**
 * Finishes a create that this call holds: opens the payment at the processor and records it. A
 * retry repeats the same call under the same processor key (D20).
 * @param before `unread`: reads the processor before it opens again (D42).
 */
export function finishOpening(
  ports: Ports,
  payment: PaymentAtWork,
  before?: 'unread',
): OpenedOrFault {
  const isFirstCall = payment.work.fence === 1;
  const kind = {
    isOver: () => isAgedBy(openLifetimeMs, payment.createdAt, ports.clock.now()),
    hold: (held: PaymentAtWork) => stillHeld(ports, held),
    send: (held: PaymentAtWork) => sendOpening(ports, held),
    read: (held: PaymentAtWork) => readAtProcessor(ports, held),
    end: (held: PaymentAtWork, end: OpeningEnd<OpenedAtProcessor>) => endOpening(ports, held, end),
  };
  return carryOpening(kind, payment, { isFirstCall, before });
}

function sendOpening(ports: Ports, payment: PaymentAtWork) {
  return ask(ports, 'openPayment', () =>
    ports.processor.openPayment({
      ...handleOf(ports, payment),
      amountMinor: payment.amountMinor,
      currency: payment.currency,
      ...(payment.applicationFeeMinor !== undefined && {
        applicationFeeMinor: payment.applicationFeeMinor,
      }),
      idempotencyKey: processorKey(payment, 'open'),
    }),
  );
}

async function endOpening(
  ports: Ports,
  payment: PaymentAtWork,
  end: OpeningEnd<OpenedAtProcessor>,
): OpenedOrFault {
  const now = ports.clock.now();
  switch (end.next) {
    case 'record': {
      const { clientSecret } = end.seen;
      const written = await writePayment(ports, payment, (stored) => ({
        payment: afterOpening(stored, end.seen, now),
        passed: ['created'],
        reviewedAt: now,
      }));
      return written.map((stored) => ({ ...stored, clientSecret }));
    }
    case 'withdraw': {
      const written = await commit(ports, withdrawal(payment));
      return written.andThen(() => err(openingRefusal(end.error)));
    }
    case 'unknown': {
      const written = await letGo(ports, payment, 'unknown', end.provedDead);
      return written.andThen(() => err(openingUnknown()));
    }
    case 'close': {
      const become = (stored: Payment) => ({
        payment: closed(stored, now),
        passed: [],
        reviewedAt: now,
      });
      const written = await writePayment(ports, payment, become);
      return written.andThen(() => err(neverOpened()));
    }
  }
}

function afterOpening(
  payment: Payment,
  { clientSecret, reference }: OpenedAtProcessor,
  at: EpochMs,
): Payment {
  const draft = draftWithoutWork(withoutUnsettled(payment));
  draft.clientSecret = clientSecret;
  if (reference !== undefined) draft.reference = reference;
  draft.version = payment.version + 1;
  draft.nextCheckAt = payment.expiresAt;
  draft.checks = 0;
  draft.timeline = noted(payment.timeline, { at, what: 'created', cause: 'open' });
  return draft;
}

function closed(payment: Payment, at: EpochMs): Payment {
  const draft = draftWithoutWork(withoutUnsettled(payment));
  draft.state = 'canceled';
  draft.nextCheckAt = at + keyRetentionMs;
  draft.timeline = noted(payment.timeline, { at, what: 'closed', cause: 'expired' });
  return draft;
}

/** Removes the claim and every record of it. */
function withdrawal({ id, version, appointment, currency }: PaymentAtWork): readonly Change[] {
  return [
    { kind: 'deletePayment', id, expectedVersion: version },
    { kind: 'deleteKeys', resourceId: id },
    {
      kind: 'moveLedger',
      appointmentId: appointment.id,
      openPayments: -1,
      reservedMinor: 0n,
      capturedMinor: 0n,
      currency,
    },
  ];
}

function openingRefusal(error: ProcessorError): OpeningFault {
  switch (error.kind) {
    case 'notSetUp':
      return notSetUp();
    case 'rejected':
      return fault('unprocessableEntity', 'The payment processor rejected this payment.', {
        attributes: { reason: error.reason },
      });
    default:
      return unavailable('The payment processor is unavailable.', 'notApplied');
  }
}

function openingUnknown(): Fault<'serviceUnavailable'> {
  return unavailable('The payment processor did not say whether it opened the payment.', 'unknown');
}

/** The response to a key whose payment was not opened in time, and never will be. */
export function neverOpened(): Fault<'conflict'> {
  return fault('conflict', 'The payment was not opened in time; begin a new one with a new key.', {
    attributes: { reason: 'expired' },
  });
}
