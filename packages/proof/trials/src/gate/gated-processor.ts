import {
  err,
  errAsync,
  hourMs,
  ok,
  okAsync,
  type Result,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import {
  type CancelPaymentRequest,
  type CapturePaymentRequest,
  openLifetimeMs,
  type PaymentHandle,
  type Processor,
  type ProcessorError,
  type ProcessorPayment,
  type ProcessorRefund,
  type ProcessorRefunds,
  type RefundPaymentRequest,
} from '@chairside/core/ports';
import type { ChangingCall } from '@chairside/testkit';
import { minor } from '../check/readings.ts';
import type { FaultKind, PortKind } from '../plan/plan.ts';
import { hash } from '../plan/random.ts';
import { callThrough, entryOf, type Gate, type Task } from './gate.ts';
import {
  type CaptureWatch,
  watchCaptureSent,
  watchChargeSent,
  watchTake,
} from './watch-captures.ts';
import { watchRefundReply, watchRefundSent } from './watch-refunds.ts';
import { watchSetupCall, watchSetupLook, watchSetupOpening } from './watch-setups.ts';

/** The processor for one task. */
export function gatedProcessor(gate: Gate, task: Task, watch: CaptureWatch): Processor {
  const { ask, tell } = processorCalls(gate, task);
  const processor = withLostAccounts(gate.evidence.lost, gate.world().processor);
  const { charges, disputes, settlements } = processor;

  async function isReserved(paymentId: string): Promise<boolean> {
    const stored = await gate.world().store.payments.get(paymentId);
    return stored.isOk() && stored.value?.reserved === true;
  }

  /** Reads one payment. While its amount is reserved, the processor may deny knowing it (D13). */
  function look(
    { paymentId }: PaymentHandle,
    act: () => ResultAsync<ProcessorPayment | undefined, ProcessorError>,
  ) {
    return ask('readPayment', act, {
      port: 'reading',
      missing: async () => ((await isReserved(paymentId)) ? ok(undefined) : act()),
    });
  }

  /** Records the stored payment at the moment when it is canceled. */
  async function cancel(
    request: CancelPaymentRequest,
  ): Promise<Result<ProcessorPayment | undefined, ProcessorError>> {
    const { paymentId, reference } = request;
    const read = await gate.world().store.payments.get(paymentId);
    const entries = await processor.entries();
    gate.evidence.cancels.push({
      at: gate.scheduler.clock.now(),
      payment: paymentId,
      stored: read.unwrapOr(undefined),
      entry: entries.find(({ id, paymentId: of }) =>
        reference ? id === reference : of === paymentId,
      ),
    });
    return processor.cancelPayment(request);
  }

  function unlisted(list: NonNullable<typeof gate.evidence.unlisted>) {
    return gate.evidence.unlisted === list ? errAsync(failed) : undefined;
  }

  return {
    deadlineMs: processor.deadlineMs,
    openPayment(request) {
      // By the clock of the store, which all nodes share, and not by the node's.
      const lateMs = gate.scheduler.clock.now() - request.begunAt;
      if (lateMs >= openLifetimeMs) {
        const what = `${request.paymentId} was newly opened after ${lateMs} ms`;
        gate.evidence.faults.push({ rule: 'calls', what });
      }
      return tell('openPayment', () => processor.openPayment(request));
    },
    capturePayment(request) {
      const sent = watchCaptureSent(gate, watch, request);
      const take = <T>(act: () => PromiseLike<T>) => watchTake(gate, request, sent, act);
      return tell('capturePayment', () => take(() => processor.capturePayment(request)), {
        endsLater: (drawn) => acceptCapture(gate, request, take, drawn),
      });
    },
    cancelPayment: (request) =>
      tell('cancelPayment', () => cancel(request), {
        missing: async () =>
          (await isReserved(request.paymentId)) ? ok(undefined) : cancel(request),
      }).orTee(({ kind }) => {
        if (kind === 'rejected') gate.evidence.refusedCancels.add(request.paymentId);
      }),
    readPayment: (handle, claimed) =>
      look(handle, () =>
        processor.readPayment(handle, claimed).map((seen) => altered(gate, watch, handle, seen)),
      ),
    createConnectionToken: (request) =>
      ask('createConnectionToken', () =>
        processor.createConnectionToken(request).andTee(({ clientSecret }) => {
          gate.evidence.tokens.set(clientSecret, request.account);
        }),
      ),
    booksOf: (account) => processor.booksOf?.(account) ?? account,
    listPayments: (request) => ask('listPayments', () => processor.listPayments(request)),
    readReceipt: (handle) => ask('readReceipt', () => processor.readReceipt(handle)),
    openSetup(request) {
      watchSetupCall(gate, request);
      return tell('openSetup', () => watchSetupOpening(gate, task.action, request));
    },
    readSetup: (handle) =>
      ask('readSetup', () => {
        watchSetupLook(gate, task.action, handle.setupId);
        return processor.readSetup(handle);
      }),
    cancelSetup: (request) => tell('cancelSetup', () => processor.cancelSetup(request)),
    ...(charges !== undefined && {
      charges: {
        authorize(request) {
          watchChargeSent(gate, watch, request);
          gate.evidence.charges.set(request.paymentId, request);
          return tell('authorizeMethod', () => charges.authorize(request));
        },
      },
    }),
    refunds: gatedRefunds(gate, task, processor.refunds),
    disputes: gate.evidence.plan.hidesDisputes
      ? // Its lists lag behind its messages.
        { list: () => okAsync([]), listRecent: () => okAsync({ items: [] }) }
      : {
          list: (payment) => ask('listDisputes', () => disputes.list(payment)),
          listRecent: (request) => ask('listRecentDisputes', () => disputes.listRecent(request)),
        },
    ...(settlements !== undefined && {
      settlements: {
        listEntries: (request) =>
          ask('listEntries', () => unlisted('listEntries') ?? settlements.listEntries(request)),
        listPayouts: (request) =>
          ask('listPayouts', () => unlisted('listPayouts') ?? settlements.listPayouts(request)),
      },
    }),
    // Checking a signature is local: it takes no turn and cannot fail.
    parseEvent: (event, now) => processor.parseEvent(event, now),
  };
}

/** A change at the processor appears in every later read. */
function altered(
  { evidence }: Gate,
  watch: CaptureWatch,
  { paymentId }: PaymentHandle,
  seen: ProcessorPayment | undefined,
): ProcessorPayment | undefined {
  const change = evidence.altered.get(paymentId);
  if (seen === undefined || change === undefined) return seen;
  if (change.how === 'alterDeadline') {
    // A deadline that was known before keeps its time, and one that was shown stays changed.
    const isKnown = evidence.authorized.has(paymentId) && change.seenBy.size === 0;
    if (seen.status !== 'authorized' || isKnown) return seen;
    change.seenBy.add(watch);
    // One second earlier, because Stripe shows its time in whole seconds.
    return { ...seen, captureBefore: change.at - secondMs };
  }
  change.seenBy.add(watch);
  switch (change.how) {
    case 'alterAmount':
      return { ...seen, amountMinor: seen.amountMinor + 100n };
    case 'alterCurrency':
      return { ...seen, currency: seen.currency === 'eur' ? 'usd' : 'eur' };
    case 'alterAccount':
      return { ...seen, account: 'acct_elsewhere' };
  }
}

/** Makes a call, and records whether it took the money. */
type Take = <T>(act: () => PromiseLike<T>) => Promise<T>;

/** The processor accepts a capture, and ends it later; one in three fails. */
async function acceptCapture(
  gate: Gate,
  request: CapturePaymentRequest,
  take: Take,
  drawn: number,
): Promise<Result<ProcessorPayment, ProcessorError>> {
  const { processor } = gate.world();
  const end = hash(drawn, 1) % 3 === 0 ? 'failed' : 'captured';
  await processor.slowCaptures?.(true);
  const accepted = await take(() => processor.capturePayment(request));
  await processor.slowCaptures?.(false);
  void gate.scheduler.after(laterMs(drawn), () =>
    take(async () => {
      const reference = (await entryOf(gate, request.paymentId))?.id ?? '';
      const ended = (await processor.endCapture?.(reference, end)) ?? ok(undefined);
      // It fails if the processor did not accept the capture.
      if (ended.isErr()) gate.evidence.texts.add(JSON.stringify(ended.error));
    }),
  );
  return accepted;
}

/** A processor, or a part of it, which refuses each call about an account that it has closed. */
function withLostAccounts<P extends object>(lost: ReadonlySet<string>, real: P): P {
  const gone: ProcessorError = { kind: 'notSetUp' };
  return new Proxy(real, {
    get(_, name) {
      const member: unknown = Reflect.get(real, name);
      if (typeof member === 'object' && member !== null) return withLostAccounts(lost, member);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        const about: { account?: string; books?: string } = Object(args[0]);
        const isLost = lost.has(about.account ?? about.books ?? '');
        return isLost ? errAsync(gone) : Reflect.apply(member, real, args);
      };
    },
  });
}

type Refunded = Promise<Result<ProcessorRefund, ProcessorError>>;

/** The bank of a card may take days, also longer than a key is kept. */
const daysMs = [30 * hourMs, 100 * hourMs] as const;

/** The processor's refunds for one task. */
function gatedRefunds(gate: Gate, task: Task, refunds: ProcessorRefunds): ProcessorRefunds {
  const { ask, tell } = processorCalls(gate, task);
  const { processor } = gate.world();
  const referenceOf = async ({ paymentId }: RefundPaymentRequest) =>
    (await entryOf(gate, paymentId))?.id ?? '';

  /** It may have ended otherwise by then. */
  function noteError(done: Result<unknown, unknown> | undefined): void {
    if (done?.isErr()) gate.evidence.texts.add(JSON.stringify(done.error));
  }

  function endLater(request: RefundPaymentRequest, state: 'succeeded' | 'failed', drawn: number) {
    return ({ reference }: ProcessorRefund) => {
      const days = hash(drawn) % 4 === 0 ? daysMs[hash(drawn, 2) % daysMs.length] : undefined;
      const ms = days ?? laterMs(drawn);
      void gate.scheduler.after(ms, async () =>
        noteError(await processor.endRefund?.(await referenceOf(request), reference, state)),
      );
    };
  }

  /** Accepted as pending; one in three fails in the end. */
  async function pend(request: RefundPaymentRequest, drawn: number): Refunded {
    // One in two waits until the balance suffices.
    await processor.slowRefunds?.(true, hash(drawn, 3) % 2 === 0);
    const accepted = await refund(request);
    await processor.slowRefunds?.(false);
    const state = hash(drawn, 1) % 3 === 0 ? 'failed' : 'succeeded';
    return accepted.andTee(endLater(request, state, drawn));
  }

  async function overtake(request: RefundPaymentRequest): Refunded {
    const entry = await entryOf(gate, request.paymentId);
    const left = (entry?.refunds ?? [])
      .filter(({ state }) => state === 'pending' || state === 'succeeded')
      .reduce((sum, { amount }) => sum - minor(amount), minor(entry?.amountCaptured ?? '0.00'));
    // It fails if there is no rest, or the payment is not captured.
    if (left > 0n) noteError(await processor.refund(await referenceOf(request), left));
    return refund(request);
  }

  async function refund(request: RefundPaymentRequest): Refunded {
    const replied = await refunds.refund(request);
    watchRefundReply(gate, request, replied);
    return replied;
  }

  return {
    refund(request) {
      watchRefundSent(gate, request);
      return tell('refund', () => refund(request), {
        pends: (drawn) => pend(request, drawn),
        failsLater: async (drawn) => {
          const made = await refund(request);
          return made.andTee(endLater(request, 'failed', drawn));
        },
        overtaken: () => overtake(request),
      });
    },
    list: (payment) => ask('listRefunds', () => refunds.list(payment)),
    listRecent: (request) => ask('listRecentRefunds', () => refunds.listRecent(request)),
  };
}

const refused: ProcessorError = {
  kind: 'unavailable',
  outcome: 'notApplied',
  answered: false,
};
const unanswered: ProcessorError = {
  kind: 'unavailable',
  outcome: 'unknown',
  answered: false,
};
const failed: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: true };

const portOf: Readonly<Partial<Record<ChangingCall, PortKind>>> = {
  capturePayment: 'capture',
  cancelPayment: 'cancel',
  refund: 'refund',
};

/** The faults that have another effect on one call than on the others. */
type OwnFaults<T> = Readonly<
  Partial<Record<FaultKind, (drawn: number) => PromiseLike<Result<T, ProcessorError>>>>
>;

/** How one question differs from the others. */
interface OwnAnswer<T> {
  readonly port?: PortKind;
  readonly missing?: () => PromiseLike<Result<T, ProcessorError>>;
}

/** After the lease; after the payment's lifetime; after the age at which orphans are swept. */
const lateMs = [70_000, 20 * 60_000, 2 * 60 * 60_000] as const;

/** The delay of a call that its caller has given up. */
function laterMs(drawn: number): number {
  return lateMs[(drawn >>> 4) % lateMs.length] ?? 0;
}

/** The kinds of calls that one task makes at the processor, with their faults. */
function processorCalls(gate: Gate, task: Task) {
  const call = callThrough(gate, task);
  const { processor } = gate.world();

  function ask<T>(
    name: string,
    act: () => ResultAsync<T, ProcessorError>,
    { port = 'processor', missing }: OwnAnswer<T> = {},
  ) {
    const onFault = async (fault: FaultKind): Promise<Result<T, ProcessorError>> => {
      if (fault === 'missing' && missing !== undefined) return missing();
      if (fault === 'rateLimited') return err({ kind: 'rateLimited' });
      if (fault === 'notSetUp') return err({ kind: 'notSetUp' });
      return err(fault === 'breaks' ? failed : unanswered);
    };
    return new ResultAsync(call({ port, name, act, failure: refused, onFault }));
  }

  /** A call that the processor applies once for each key. */
  function tell<T>(
    name: ChangingCall,
    act: () => PromiseLike<Result<T, ProcessorError>>,
    own: OwnFaults<T> = {},
  ) {
    const onFault = async (fault: FaultKind, drawn: number): Promise<Result<T, ProcessorError>> => {
      const owned = own[fault];
      if (owned !== undefined) return owned(drawn);
      switch (fault) {
        case 'missing':
          return act();
        case 'rateLimited':
          return err({ kind: 'rateLimited' });
        case 'notSetUp':
          return err({ kind: 'notSetUp' });
        case 'breaks':
          processor.failNext(name, 'failure');
          return act();
        case 'breaksAfterApplying':
          processor.failNext(name, 'failureAfterApplying');
          return act();
        case 'rejects':
          processor.failNext(name, 'rejected');
          return act();
        case 'repeats': {
          const first = await act();
          if (first.isErr()) return first;
          const again = await act();
          // A rejection of the second call does not prove the outcome of the first.
          return again.isOk() ? again : err(unanswered);
        }
        case 'losesReply': {
          const applied = await act();
          return applied.andThen(() => err(unanswered));
        }
        case 'landsLater':
          void gate.scheduler.after(laterMs(drawn), async () => (await act()).isOk());
          return err(unanswered);
        default:
          return err(unanswered);
      }
    };
    const port = portOf[name] ?? 'keyedProcessor';
    return new ResultAsync(call({ port, name, act, failure: refused, onFault })).orTee((error) => {
      if (error.kind !== 'rejected' || error.reason !== 'keyReused') return;
      const what = `${name} was called again under the same key with other parameters`;
      gate.evidence.faults.push({ rule: 'calls', what });
    });
  }

  return { ask, tell };
}
