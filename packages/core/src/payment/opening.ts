import { commit } from '../frame/commit.ts';
import { keyRetentionMs } from '../frame/record.ts';
import type { Ports } from '../ports/ports.ts';
import type { OpenedAtProcessor, ProcessorError } from '../ports/processor.ts';
import type { Change } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import { err, type Result } from '../values/result.ts';
import { type EpochMs, isAgedBy } from '../values/time.ts';
import {
  ask,
  carry,
  didNothing,
  type Hold,
  handleOf,
  type LeftUnknown,
  leftUnknown,
  processorKey,
  readAtProcessor,
  visitOf,
  type Written,
} from './carry.ts';
import type { Undue } from './dues.ts';
import { didNotSay, type ProcessorFault, refusalOf } from './faults.ts';
import {
  draftWithoutWork,
  noted,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type PaymentAtWork,
  type Work,
  withoutUnsettled,
} from './payment.ts';
import { holdPayment, ledgerMoves, letGo, slotChange, writePayment } from './write.ts';

type OpenedOrFault = Written<OpenedPayment, ProcessorFault>;

/**
 * Finishes a create that this call holds: opens the payment at the processor and records it. A
 * retry repeats the same call under the same processor key (D20).
 * @param before `unread`: reads the processor before it opens again.
 */
export function finishOpening(
  ports: Ports,
  payment: PaymentAtWork,
  before?: 'unread',
): OpenedOrFault {
  return carryOpening<PaymentAtWork, OpenedAtProcessor, OpenedPayment, ProcessorFault>(
    ports,
    payment,
    before,
    {
      ...paymentOpening(ports),
      send: async (held) => ({ sent: await sendOpening(ports, held) }),
      end: (held, end) => endOpening(ports, held, end),
    },
  );
}

/** What opening a payment and opening a charge share. */
export function paymentOpening(ports: Ports) {
  return {
    lifetimeMs: openLifetimeMs,
    read: (held: Payment) => readAtProcessor(ports, held),
    hold: holdPayment,
  };
}

/** How a payment, a charge or a setup is opened at the processor. */
interface OpeningCourse<R, O, Done, E> {
  /** It is too late to open one that is older. */
  readonly lifetimeMs: number;
  readonly read: (held: R) => Promise<Result<O | undefined, ProcessorError>>;
  readonly send: (held: R) => Promise<Sent<O>>;
  readonly hold: Hold<R, R>;
  readonly end: (held: R, end: OpeningEnd<O>) => Written<Done, E>;
}

/** Carries the opening of a record that this call holds. */
export function carryOpening<
  R extends { readonly work: Work; readonly createdAt: EpochMs },
  O extends { readonly clientSecret: string },
  Done,
  E,
>(
  ports: Ports,
  record: R,
  before: 'unread' | undefined,
  { lifetimeMs, read, send, hold, end }: OpeningCourse<R, O, Done, E>,
): Written<Done, E> {
  const known: Omit<OpeningFacts<O>, 'isOver'> = { isFirstCall: record.work.fence === 1, before };
  // The age is measured anew for each step, because the process may have been stopped for days.
  const isOver = () => isAgedBy(lifetimeMs, record.createdAt, ports.clock.now());
  return carry(ports, record, known, {
    decide: (_, seen) => decideOpening({ ...seen, isOver: isOver() }),
    steps: {
      readBefore: async (held) => ({ before: withSecret(await read(held)) }),
      send: async (held) => {
        const found = await send(held);
        return 'sent' in found ? { sent: withSecret(found.sent) } : found;
      },
      readAfter: async (held) => ({ after: withSecret(await read(held)) }),
    },
    hold,
    end,
  });
}

function sendOpening(ports: Ports, payment: PaymentAtWork) {
  return ask(ports, 'openPayment', () =>
    ports.processor.openPayment({
      ...handleOf(ports, payment),
      visit: visitOf(payment),
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
      }));
      return written.map((stored) => ({ ...stored, clientSecret }));
    }
    case 'withdraw': {
      const written = await commit(ports, withdrawal(payment));
      const detail = 'The payment processor rejected this payment.';
      return written.andThen(() => err(refusalOf(end.error, detail)));
    }
    case 'unknown': {
      const written = await letGo(ports, payment, 'unknown', end.needsNewKey);
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
  draft.nextCheckAt = payment.expiresAt;
  draft.checks = 0;
  draft.timeline = noted(payment.timeline, { at, what: 'created', cause: 'open' });
  return draft;
}

/** Records that the payment was not opened in time, so its key stays closed. */
export async function closeOpening(
  ports: Ports,
  payment: PaymentAtWork,
  now: EpochMs,
): Written<never, Fault<'conflict'>> {
  const written = await writePayment(ports, payment, (stored) => ({
    payment: closed(stored, now),
    passed: [],
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
  const { id, version } = payment;
  return [
    { kind: 'deletePayment', id, expectedVersion: version },
    { kind: 'deleteKeys', resourceId: id },
    ...ledgerMoves(payment, undefined),
    ...slotChange(payment, 'free'),
  ];
}

/** The response to a key whose payment was not opened in time, and never will be. */
export function neverOpened(): Fault<'conflict'> {
  return conflict('expired', 'The payment was not opened in time; begin a new one with a new key.');
}

/** The facts known while a payment or a setup is being opened at the processor. */
export interface OpeningFacts<O> {
  /** The processor cannot have received an earlier call of ours. */
  readonly isFirstCall: boolean;
  /** Its lifetime has passed, so it is too late to open it. */
  readonly isOver: boolean;
  /**
   * The processor's view of it before the request, or `unread` until it is known; absent if it is not
   * needed.
   */
  readonly before?: 'unread' | Result<O | undefined, ProcessorError> | undefined;
  /** The reply to the request that opens it, once sent. */
  readonly sent?: Result<O, ProcessorError> | undefined;
  /** Why a charge must not be made any more, if its appointment says so just before the request. */
  readonly undue?: Undue | undefined;
  /** The appointment could not be read, so no request was sent. */
  readonly isUnread?: boolean | undefined;
  /** The processor's view of it afterwards, once read. */
  readonly after?: Result<O | undefined, ProcessorError> | undefined;
}

/** The result of the step that opens it: the reply, or why no request was sent. */
export type Sent<O> =
  | { readonly sent: Result<O, ProcessorError> }
  | { readonly undue: Undue }
  | { readonly isUnread: true };

export type OpeningEnd<O> =
  /** The processor has opened it: record it. */
  | { readonly next: 'record'; readonly seen: O }
  /** It is proven that it was not opened: remove the claim and its key. */
  | { readonly next: 'withdraw'; readonly error: ProcessorError }
  | LeftUnknown
  /** It was not opened in time, or must not be: the key stays closed. */
  | { readonly next: 'close'; readonly undue?: Undue | undefined };

type OpeningNext<O> = OpeningEnd<O> | { readonly next: 'readBefore' | 'send' | 'readAfter' };

/**
 * Decides the next step for a payment or a setup that is being opened. Each processor
 * call is requested at most once.
 */
export function decideOpening<O>(seen: OpeningFacts<O>): OpeningNext<O> {
  const { isFirstCall, isOver, before, sent, undue, after } = seen;
  if (seen.isUnread === true) return leftUnknown();
  if (sent === undefined && undue === undefined && !isOver) {
    if (before === undefined) return { next: 'send' };
    if (before === 'unread') return { next: 'readBefore' };
    if (before.isErr()) return leftUnknown();
    return before.value === undefined ? { next: 'send' } : { next: 'record', seen: before.value };
  }
  if (sent?.isOk()) return { next: 'record', seen: sent.value };
  const error = sent?.isErr() ? sent.error : undefined;
  // An earlier call may have been applied, although this call was not.
  if (error !== undefined && didNothing(error) && isFirstCall) return { next: 'withdraw', error };
  const isUndecided = error?.kind === 'rateLimited' || error?.kind === 'unavailable';
  if (isUndecided && didNothing(error)) return leftUnknown();
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return leftUnknown();
  if (after.value !== undefined) return { next: 'record', seen: after.value };
  if (error === undefined) return { next: 'close', undue };
  return error.kind === 'unavailable' ? leftUnknown(error.answered) : { next: 'withdraw', error };
}

/** Without its secret no app can use what was opened. A later read may show the secret. */
function withSecret<O extends { readonly clientSecret: string } | undefined>(
  seen: Result<O, ProcessorError>,
): Result<O, ProcessorError> {
  return seen.isOk() && seen.value && !seen.value.clientSecret ? err(unshown) : seen;
}

const unshown: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
