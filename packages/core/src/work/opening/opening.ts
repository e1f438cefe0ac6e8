import { commit } from '../../call/commit.ts';
import { ledgerIdOf } from '../../domain/charge.ts';
import { withoutUnsettled } from '../../domain/follow-ledger.ts';
import {
  draftWithoutWork,
  keyRetentionMs,
  noted,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type PaymentAtWork,
  type ProcessorPayment,
} from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import { conflict } from '../../domain/refusals.ts';
import { err, type Result } from '../../domain/result.ts';
import { type EpochMs, isAgedBy } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { OpenedAtProcessor, ProcessorError } from '../../ports/processor-calls.ts';
import { ask, handleOf, processorKey, readAtProcessor } from '../ask.ts';
import { carry, type Written } from '../carry.ts';
import { didNotSay, type ProcessorFault, refusalOf } from '../faults.ts';
import { holdPayment, letGo, writePayment } from '../payment/write-payment.ts';
import { decideOpening, type OpeningEnd, type OpeningSeen } from './decide-opening.ts';

type OpenedOrFault = Written<OpenedPayment, ProcessorFault>;

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
  return carryOpening<OpenedAtProcessor, OpenedPayment, ProcessorFault>(ports, payment, before, {
    send: (held) => sendOpening(ports, held),
    end: (held, end) => endOpening(ports, held, end),
  });
}

/** How payments of one kind are opened: the request, and how its end is written. */
interface OpeningCourse<O, Done, E> {
  readonly send: (held: PaymentAtWork) => Promise<Result<O, ProcessorError>>;
  readonly end: (held: PaymentAtWork, end: OpeningEnd<O>) => Written<Done, E>;
}

/** Carries the opening of a payment that this call holds. Its entry shows all that `O` needs. */
export function carryOpening<O, Done, E>(
  ports: Ports,
  payment: PaymentAtWork,
  before: 'unread' | undefined,
  { send, end }: OpeningCourse<O | ProcessorPayment, Done, E>,
): Written<Done, E> {
  const known: Omit<OpeningSeen<O | ProcessorPayment>, 'isOver'> = {
    isFirstCall: payment.work.fence === 1,
    before,
  };
  const isOver = () => isAgedBy(openLifetimeMs, payment.createdAt, ports.clock.now());
  return carry(ports, payment, known, {
    // The age is measured anew for each step, because the process may have been stopped for days.
    decide: (_, seen) => decideOpening({ ...seen, isOver: isOver() }),
    steps: {
      readBefore: async (held) => ({ before: await readAtProcessor(ports, held) }),
      send: async (held) => ({ sent: await send(held) }),
      readAfter: async (held) => ({ after: await readAtProcessor(ports, held) }),
    },
    hold: holdPayment,
    end,
  });
}

function sendOpening(ports: Ports, payment: PaymentAtWork) {
  return ask(ports, 'openPayment', () =>
    ports.processor.openPayment({
      ...handleOf(ports, payment),
      amountMinor: payment.amountMinor,
      ...(payment.tipMinor !== undefined && { tipMinor: payment.tipMinor }),
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
      const detail = 'The payment processor rejected this payment.';
      return written.andThen(() => err(refusalOf(end.error, detail)));
    }
    case 'unknown': {
      const written = await letGo(ports, payment, 'unknown', end.provedDead);
      return written.andThen(() => err(didNotSay('it opened the payment')));
    }
    case 'close':
      return closeOpening(ports, payment, now);
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
  // Otherwise the write copies the payment once more.
  draft.version = payment.version + 1;
  draft.nextCheckAt = payment.expiresAt;
  draft.checks = 0;
  draft.timeline = noted(payment.timeline, { at, what: 'created', cause: 'open' });
  return draft;
}

/** Records that the payment was not opened in time, so its key stays closed (D20). */
export async function closeOpening(
  ports: Ports,
  payment: PaymentAtWork,
  now: EpochMs,
): Written<never, Fault<'conflict'>> {
  const written = await writePayment(ports, payment, (stored) => ({
    payment: closed(stored, now),
    passed: [],
    reviewedAt: now,
  }));
  return written.andThen(() => err(neverOpened()));
}

/** It was never opened, and keeps its key closed. */
export function closed(payment: Payment, at: EpochMs): Payment {
  const draft = draftWithoutWork(withoutUnsettled(payment));
  draft.state = 'canceled';
  draft.reserved = false;
  draft.nextCheckAt = at + keyRetentionMs;
  draft.timeline = noted(payment.timeline, { at, what: 'closed', cause: 'expired' });
  return draft;
}

/** Removes the claim and every record of it. */
export function withdrawal(payment: PaymentAtWork): readonly Change[] {
  const { id, version, reserved, amountMinor, currency } = payment;
  return [
    { kind: 'deletePayment', id, expectedVersion: version },
    { kind: 'deleteKeys', resourceId: id },
    {
      kind: 'moveLedger',
      appointmentId: ledgerIdOf(payment),
      openPayments: -1,
      reservedMinor: reserved ? -amountMinor : 0n,
      capturedMinor: 0n,
      currency,
    },
  ];
}

/** The response to a key whose payment was not opened in time, and never will be. */
export function neverOpened(): Fault<'conflict'> {
  return conflict('expired', 'The payment was not opened in time; begin a new one with a new key.');
}
