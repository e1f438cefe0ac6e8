import type { Call } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { isObject } from '../call/input.ts';
import { hostTask } from '../call/operation.ts';
import { hostCaller, type Run } from '../call/perform.ts';
import type { ProcessorDispute } from '../domain/dispute.ts';
import { followLedger } from '../domain/follow-ledger.ts';
import { formatMoney } from '../domain/money.ts';
import { movement } from '../domain/movement.ts';
import { isOpened, type OpenedPayment } from '../domain/payment.ts';
import { badRequest, type Fault, fieldFault, unavailable } from '../domain/problem.ts';
import { err } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type { Change } from '../ports/change.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorEvent, RawEvent } from '../ports/processor-calls.ts';
import { ask, readAtProcessor } from '../work/ask.ts';
import { withDues } from '../work/dues/read-dues.ts';
import { cannotRead } from '../work/faults.ts';
import { changesOf, movementChanges, touchPayment } from '../work/payment/payment-changes.ts';
import { reviewLowered } from '../work/payment/write-payment.ts';
import { listReturned, readReturned, recordReturned } from '../work/refunding/follow-returned.ts';
import { onSharedTime } from '../work/shared-time.ts';

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
      instance: known?.instance, // a transport may build it on demand, by a getter of its class
      auth: hostCaller,
    }),
    task: steps,
  }),
};

/**
 * Handles a message of the processor (D25). It checks the signature, then reads the payment's
 * version and the processor's ledger. It commits against that version, together with the message's
 * id. On a conflict it starts again, so that messages in any order and number lead to the same
 * state.
 */
async function* steps({ ports }: Run, input: RawEvent | undefined) {
  const event = yield* await parse(ports, input);
  if (event.kind === 'ignored' || event.installation !== ports.installation) {
    return { outcome: 'ignored' } as const;
  }
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
    const { followed, after, changes } = yield* changesSeen(ports, payment);
    yield* await commit(ports, changes.concat(noted));
    await reviewLowered(ports, followed, after);
    return { outcome: 'applied' } as const;
  }
  // The keys of a refund are kept by the shared clock, from its last change (D42, D44).
  const shared = yield* await onSharedTime(ports);
  return { outcome: yield* receiveReturned(shared, payment, event, noted) } as const;
}

/** A refund or dispute is reported once, even if its message is repeated weeks later (D25). */
async function* receiveReturned(
  ports: Ports,
  payment: OpenedPayment,
  event: ReturnedEvent,
  noted: Change,
) {
  if (event.kind === 'refund' && ports.processor.refunds === undefined) {
    const { account, kind, subject } = event;
    // Without a list of the processor's refunds, the remembered messages show which were reported.
    const wasReported = yield* await ports.store.returned.has(account, kind, subject);
    if (wasReported) return 'duplicate' as const;
    yield* await commit(ports, [...reportingChanges(ports, payment, event), noted]);
    return 'applied' as const;
  }
  const before = yield* readReturned(ports, payment);
  const there = yield* (await listReturned(ports, payment)).mapErr(cannotRead);
  const shown = { ...there, disputes: withMessage(there.disputes, event, ports.clock.now()) };
  const after = yield* recordReturned(ports, before, shown, 'processorEvent', [noted]);
  const known = event.kind === 'refund' ? before.refunds : before.disputes;
  const isKnown = known.some(({ reference }) => reference === event.subject);
  return isKnown && after.payment === payment ? ('duplicate' as const) : ('applied' as const);
}

/** A message counts where the processor's list does not show its dispute, or there is no list. */
function withMessage(
  listed: readonly ProcessorDispute[],
  { kind, subject: reference, amountMinor, dispute }: ReturnedEvent,
  now: EpochMs,
): readonly ProcessorDispute[] {
  const isListed = listed.some((one) => one.reference === reference);
  if (kind !== 'dispute' || isListed) return listed;
  return [...listed, { reference, amountMinor, ...(dispute ?? { state: 'open', at: now }) }];
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

/** The changes that the processor's ledger shows now; the message's own content is not trusted. */
async function* changesSeen(ports: Ports, payment: OpenedPayment) {
  const read = await readAtProcessor(ports, payment);
  const seen = yield* read.mapErr(cannotRead);
  if (seen === undefined) {
    return yield* err(unavailable('The processor does not show the payment yet.', 'notApplied'));
  }
  const moved = followLedger(payment, seen, ports.clock.now(), 'processorEvent');
  const followed = yield* await withDues(ports, payment, moved);
  const isNews = followed.passed.length > 0 || followed.payment.review !== payment.review;
  const written = isNews ? changesOf(payment, followed) : { after: payment, changes: [] };
  return { followed, ...written };
}

/** The refund is reported to the host. It changes neither state nor balance (D25). */
function reportingChanges(
  ports: Ports,
  payment: OpenedPayment,
  event: ReturnedEvent,
): readonly Change[] {
  const at = ports.clock.now();
  const { kind, account, subject, amountMinor } = event;
  const returned = { kind, id: subject, account, paymentId: payment.id, amountMinor, at };
  const money = { amount: formatMoney(amountMinor), currency: payment.currency };
  const { changes } = touchPayment(payment, at, 'processorEvent', [
    (frame, about) => ({
      ...frame,
      type: 'contactlessPayment.refunded',
      data: { ...about, ...money },
    }),
  ]);
  const moved = movement(`${account}/${subject}`, payment, {
    kind,
    subject,
    currency: payment.currency,
    amountMinor: -amountMinor,
    tipMinor: 0n,
    at,
  });
  return [{ kind: 'insertReturned', returned }, ...changes, ...movementChanges(moved)];
}
