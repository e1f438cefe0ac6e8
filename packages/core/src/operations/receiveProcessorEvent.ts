import type { Call } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { isObject } from '../call/input.ts';
import { type CommonProblem, hostCaller, perform, type Run } from '../call/perform.ts';
import { followLedger, noted } from '../domain/follow-ledger.ts';
import { formatMoney } from '../domain/money.ts';
import { isOpened, type OpenedPayment } from '../domain/payment.ts';
import {
  badRequest,
  type Fault,
  fieldFault,
  type ProblemOf,
  unavailable,
} from '../domain/problem.ts';
import { err, type ResultAsync, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorEvent, RawEvent } from '../ports/processor.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import { ask, readAtProcessor } from '../work/ask.ts';
import { cannotRead } from '../work/faults.ts';
import { changesOf } from '../work/write-payment.ts';

export interface ProcessorEventReceipt {
  /** `duplicate`: it took effect before. `ignored`: it is about nothing of ours. */
  readonly outcome: 'applied' | 'duplicate' | 'ignored';
}

export type ReceiveProcessorEventError = ProblemOf<'badRequest' | CommonProblem>;

/**
 * Takes in a message of the processor (D25): its signature first; then the payment's version, the
 * processor's ledger, and a commit against that version, which also notes the message's id. If
 * something came in between, all of it is done again: messages in any order, however often, end in
 * the same state.
 * @param known what the transport knows of the request, for problems and the observer.
 */
export function receiveProcessorEvent(
  ports: Ports,
  input: RawEvent,
  known?: Partial<Omit<Call, 'auth'>> | null,
): ResultAsync<ProcessorEventReceipt, ReceiveProcessorEventError> {
  const { facts, requestId, instance } = known ?? {};
  const call: Call = {
    auth: hostCaller,
    facts: facts ?? {},
    instance,
    ...(requestId !== undefined && { requestId }),
  };
  return perform(ports, 'receiveProcessorEvent', call, (run) => steps(run, input), input);
}

async function* steps({ ports }: Run, input: RawEvent) {
  const event = yield* await parse(ports, input);
  if (event.kind === 'ignored' || event.installation !== ports.installation) {
    return { outcome: 'ignored' } as const;
  }
  if (yield* await ports.store.processorEvents.has(event.id)) {
    return { outcome: 'duplicate' } as const;
  }
  const payment = yield* await ports.store.payments.get(event.paymentId);
  // One that is not opened yet is read when it is; one that is not ours is none of our business.
  if (payment === undefined || !isOpened(payment) || !isAbout(event, payment)) {
    return { outcome: 'ignored' } as const;
  }
  if (yield* wasTold(ports, event)) return { outcome: 'duplicate' } as const;
  const changes =
    event.kind === 'payment'
      ? yield* changesSeen(ports, payment)
      : changesTold(ports, payment, event);
  const { id } = event;
  const at = ports.clock.now();
  yield* await commit(ports, [...changes, { kind: 'insertProcessorEvent', id, at }]);
  return { outcome: 'applied' } as const;
}

type EventAboutPayment = Exclude<ProcessorEvent, { kind: 'ignored' }>;

/** Whoever owns another account, or another payment there, may have put our marks on that. */
function isAbout(event: EventAboutPayment, payment: OpenedPayment): boolean {
  if (event.account !== payment.account) return false;
  if (event.kind === 'payment' || payment.reference === undefined) return true;
  return event.reference === payment.reference;
}

async function parse(ports: Ports, input: RawEvent) {
  // A host without types may leave them out; no processor signs what has none.
  if (!isObject(input.headers)) return err(notBelieved('malformedEvent'));
  const parsed = await ask(ports, 'parseEvent', () =>
    ports.processor.parseEvent(input, ports.clock.now()),
  );
  return parsed.mapErr((error) =>
    error.kind === 'rejected'
      ? notBelieved(error.reason)
      : unavailable('The message cannot be checked.', 'notApplied'),
  );
}

/** The operator reads the reason in the processor's log of deliveries: it says what to change. */
function notBelieved(reason: string): Fault<'badRequest'> {
  const detail = `The message is refused (${reason}): check the signing secret and the endpoint.`;
  return badRequest([fieldFault('', detail)]);
}

/** What the ledger shows now, whatever the message said. */
async function* changesSeen(ports: Ports, payment: OpenedPayment) {
  const read = await readAtProcessor(ports, payment);
  const seen = yield* read.mapErr(cannotRead);
  if (seen === undefined) {
    return yield* err(unavailable('The payment is not there yet.', 'notApplied'));
  }
  const followed = followLedger(payment, seen, ports.clock.now(), 'processorEvent');
  const isNews = followed.passed.length > 0 || followed.payment.review !== payment.review;
  return isNews ? changesOf(payment, followed).changes : [];
}

/** A refund or dispute is told once, also where its message comes again after weeks (D25). */
async function* wasTold(ports: Ports, event: EventAboutPayment): Steps<boolean, StoreUnavailable> {
  if (event.kind === 'payment') return false;
  return yield* await ports.store.moneyBacks.has(event.account, event.kind, event.subject);
}

/** Refunds and disputes are told on; they change neither state nor balance (D25). */
function changesTold(
  ports: Ports,
  payment: OpenedPayment,
  event: Extract<ProcessorEvent, { kind: 'refund' | 'dispute' }>,
): readonly Change[] {
  const at = ports.clock.now();
  const what = event.kind === 'refund' ? 'refunded' : 'disputed';
  const version = payment.version + 1;
  const timeline = noted(payment.timeline, { at, what, cause: 'processorEvent' });
  const told = { ...payment, version, timeline };
  const { kind, account, subject, amountMinor } = event;
  const moneyBack = { kind, id: subject, account, paymentId: payment.id, amountMinor, at };
  return [
    { kind: 'insertMoneyBack', moneyBack },
    { kind: 'updatePayment', payment: told, expectedVersion: payment.version },
    {
      kind: 'appendEvent',
      event: {
        subject: payment.id,
        version,
        type: `contactlessPayment.${what}`,
        occurredAt: at,
        data: {
          contactlessPaymentId: payment.id,
          appointmentId: payment.appointment.id,
          businessId: payment.businessId,
          amount: formatMoney(event.amountMinor),
          currency: payment.currency,
        },
      },
    },
  ];
}
