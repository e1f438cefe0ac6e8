import type { Call } from '../frame/access.ts';
import { commit, report } from '../frame/commit.ts';
import { hostTask } from '../frame/operation.ts';
import { hostCaller, isObject, type Run } from '../frame/perform.ts';
import { ask, readAtProcessor } from '../payment/carry.ts';
import { cannotRead } from '../payment/faults.ts';
import { followBooks } from '../payment/follow.ts';
import { isOpened, type OpenedPayment } from '../payment/payment.ts';
import { openReview, orphanReview } from '../payment/reviews.ts';
import { compareAgain, compareForeign, endUnsettled } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorEvent, RawEvent } from '../ports/processor.ts';
import type { Change } from '../ports/store.ts';
import { badRequest, type Fault, fieldFault, unavailable } from '../problems/problem.ts';
import type { ProcessorDispute } from '../refund/dispute.ts';
import {
  followReturns,
  readBothReturns,
  recordReturns,
  refundableMinor,
} from '../refund/returns.ts';
import { err } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';

/** What became of a message of the processor. */
export interface ProcessorEventReceipt {
  /** `duplicate`: the message was applied before. `ignored`: it concerns no payment of ours. */
  readonly outcome: 'applied' | 'duplicate' | 'ignored';
}

export const processorEvents = {
  /**
   * Receives a message of the processor exactly as it arrived, because the signature covers its bytes.
   * The messages make updates faster; correctness does not need them. `known` are facts of the transport
   * about the request, for problems and the observer.
   *
   * @example
   * const received = await chairside.receiveProcessorEvent({
   *   payload: await request.text(),
   *   headers: { 'stripe-signature': request.headers.get('stripe-signature') ?? undefined },
   * });
   */
  receiveProcessorEvent: hostTask<
    [input: RawEvent, known?: Partial<Omit<Call, 'auth'>> | null],
    ProcessorEventReceipt
  >()({
    problems: ['badRequest'],
    callOf: (_input, known) => ({
      facts: {},
      ...known,
      // Stryker disable next-line OptionalChaining: what throws here has the same end.
      instance: known?.instance, // a transport may build it on demand, by a getter of its class
      auth: hostCaller,
    }),
    task: steps,
  }),
};

/**
 * Handles a message of the processor. It checks the signature, then reads the payment's
 * version and the processor's books. It commits against that version, together with the message's
 * id. On a conflict it starts again, so that messages in any order and number lead to the same
 * state.
 */
async function* steps({ ports }: Run, input: RawEvent | undefined) {
  const event = yield* await parse(ports, input);
  if (event.kind === 'ignored') {
    const { why: outcome, id: reference } = event;
    if (outcome !== undefined)
      report(ports, { kind: 'failure', name: 'parseEvent', outcome, reference });
    return { outcome: 'ignored' } as const;
  }
  if (event.installation !== ports.installation) return { outcome: 'ignored' } as const;
  if (yield* await ports.store.processorEvents.has(event.id)) {
    return { outcome: 'duplicate' } as const;
  }
  const payment = yield* await ports.store.payments.get(event.paymentId);
  // An unopened payment is read when it is opened. Payments of other systems are ignored.
  if (payment === undefined || !isOpened(payment) || !isAbout(event, payment)) {
    return { outcome: 'ignored' } as const;
  }
  const noted: Change = { kind: 'insertProcessorEvent', id: event.id, at: ports.clock.now() };
  if (event.kind === 'payment') {
    const { after, changes, isForeign } = yield* changesSeen(ports, payment);
    const ended = yield* endUnsettled(ports, payment, after);
    yield* await commit(ports, [...changes, ...ended, noted]);
    if (isForeign) await compareAgain(ports, after);
    return { outcome: 'applied' } as const;
  }
  if (event.kind === 'fraudWarning') {
    yield* receiveWarning(ports, payment, event.reference, noted);
    return { outcome: 'applied' } as const;
  }
  return { outcome: yield* receiveReturned(ports, payment, event, noted) } as const;
}

/** Asks a person to look at a payment that a bank reports as fraud, while a refund can prevent a dispute. */
async function* receiveWarning(
  ports: Ports,
  payment: OpenedPayment,
  reference: string,
  noted: Change,
) {
  const returned = yield* followReturns(ports, payment, 'processorEvent');
  const { id: paymentId, account } = payment;
  const warning = { account, paymentId, reference, openedAt: ports.clock.now() };
  const review = openReview(orphanReview(warning, 'fraudWarning'));
  const isRefundable = refundableMinor(returned) > 0n;
  yield* await commit(ports, [noted, ...(isRefundable ? review : [])]);
}

/** A refund or dispute is reported once, even if its message is repeated weeks later. */
async function* receiveReturned(
  ports: Ports,
  payment: OpenedPayment,
  event: ReturnedEvent,
  noted: Change,
) {
  const { here, there } = yield* readBothReturns(ports, payment, 'processorEvent');
  const shown = { ...there, disputes: withMessage(there.disputes, event, ports.clock.now()) };
  const after = yield* recordReturns(ports, here, shown, 'processorEvent', [noted]);
  const known = event.kind === 'refund' ? here.refunds : here.disputes;
  const isKnown = known.some(({ reference }) => reference === event.subject);
  return isKnown && after.payment === here.payment ? ('duplicate' as const) : ('applied' as const);
}

/** A message counts where the processor's list does not show its dispute yet. */
function withMessage(
  listed: readonly ProcessorDispute[],
  { kind, subject: reference, amountMinor, dispute }: ReturnedEvent,
  now: EpochMs,
): readonly ProcessorDispute[] {
  const isListed = listed.some((one) => one.reference === reference);
  if (kind !== 'dispute' || isListed) return listed;
  // Without details its amount counts as withheld.
  const opened = { state: 'open', bookings: [{ amountMinor: -amountMinor }], at: now } as const;
  return [...listed, { reference, amountMinor, ...(dispute ?? opened) }];
}

type ReturnedEvent = Extract<ProcessorEvent, { kind: 'refund' | 'dispute' }>;
type EventAboutPayment = Exclude<ProcessorEvent, { kind: 'ignored' }>;

/** The owner of another account or payment may have copied our marks to it. */
function isAbout(event: EventAboutPayment, payment: OpenedPayment): boolean {
  if (event.account !== payment.account) return false;
  if (event.kind === 'payment' || payment.reference === undefined) return true;
  return event.reference === payment.reference;
}

async function parse(ports: Ports, input: RawEvent | undefined) {
  // Hosts without types may omit the headers. A message without signature headers is rejected.
  if (input === undefined || !isObject(input.headers)) return err(notBelieved('malformedEvent'));
  const parsed = await ask(ports, 'parseEvent', () =>
    ports.processor.parseEvent(input, ports.clock.now()),
  );
  return parsed.mapErr((error) =>
    error.kind === 'rejected'
      ? notBelieved(error.reason)
      : unavailable('The message is not valid.', 'notApplied'),
  );
}

/** The reason appears in the processor's delivery log, where the operator needs it. */
function notBelieved(reason: string): Fault<'badRequest'> {
  const detail = `The message is rejected (${reason}): check the signing secret and the endpoint.`;
  return badRequest([fieldFault('', detail)]);
}

/** The changes that the processor's books show now; the message's own content is not trusted. */
async function* changesSeen(ports: Ports, payment: OpenedPayment) {
  const read = await readAtProcessor(ports, payment);
  const seen = yield* read.mapErr(cannotRead);
  if (seen === undefined) {
    return yield* err(unavailable('The processor does not show the payment yet.', 'notApplied'));
  }
  const moved = followBooks(payment, seen, ports.clock.now(), 'processorEvent');
  const isNews = moved.passed.length > 0 || moved.payment.review !== payment.review;
  if (!isNews) return { after: payment, changes: [], isForeign: false };
  return yield* await compareForeign(ports, payment, moved);
}
