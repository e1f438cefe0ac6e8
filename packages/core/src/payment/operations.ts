import { notFound, requireBarber, requireBusiness, requireOwn } from '../frame/access.ts';
import { subjectOf } from '../frame/commit.ts';
import { hostOperation, operation } from '../frame/operation.ts';
import type { AppointmentLedger } from '../host/wire.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { FaultOf } from '../problems/problem.ts';
import { viewShared } from '../share/wire.ts';
import type { ReviewReason } from '../upkeep/review.ts';
import { err, type Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import { formatTimestamp } from '../values/time.ts';
import { cancel } from './cancel.ts';
import { alreadyCaptured } from './faults.ts';
import {
  findAppointment,
  findContactlessPayment,
  findOwnAppointment,
  findPaymentForStaff,
  readLedger,
  requireBarberOf,
} from './find.ts';
import {
  isContactless,
  isOpened,
  maxListedPayments,
  type Payment,
  type PaymentState,
} from './payment.ts';
import { tipMember } from './tip.ts';
import {
  type ContactlessPayment,
  type ContactlessPayments,
  contactlessPaymentSchema,
  contactlessPaymentShapes,
  contactlessPaymentsSchema,
  viewPayment,
} from './wire.ts';

/** One line of a payment's history. */
export interface TimelineLine {
  readonly at: string;
  readonly what: string;
  readonly cause: string;
  /** The `subject` of the one who did it; absent if nobody did, as when a payment expires. */
  readonly by?: string;
  /** The request in which it was done. */
  readonly requestId?: string;
}

/** The history of a payment: each event, its time and its trigger. */
export interface PaymentTimeline {
  readonly state: PaymentState;
  /** Why a person should look at it; absent if no review is needed. */
  readonly review?: ReviewReason;
  /**
   * Oldest first. A history of more than 64 lines keeps its beginning, its end, and what somebody did.
   */
  readonly items: readonly TimelineLine[];
  readonly count: number;
  /** The tip in the payment's amount. Absent without one. */
  readonly tip?: string;
}

export const payments = {
  /**
   * Lists an appointment's payments, oldest first, including open ones. Payments of another business stay
   * with that business.
   *
   * @example
   * const listed = await chairside.listContactlessPayments(barber, { appointmentId: 'haircut' });
   * const states = listed.map(({ items }) => items.map(({ state }) => state));
   */
  listContactlessPayments: operation({
    ids: ['appointmentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Contactless payments',
    summary: 'Lists the card payments of an appointment, in-flight ones included',
    description: 'Returns the newest 1,000 payments of the appointment in any state, oldest first.',
    output: contactlessPaymentsSchema,
    shapes: contactlessPaymentShapes,
  })<ContactlessPayments>(async function* ({ ports, auth }, { appointmentId }) {
    const barberId = yield* requireBarber(auth);
    if (!canBeId(appointmentId)) return yield* err(notFound('appointment'));
    const { payments } = ports.store;
    const [all, found] = await Promise.all([
      payments.listByAppointment(appointmentId, maxListedPayments),
      findOwnAppointment(ports, appointmentId, barberId),
    ]);
    const { id, businessId } = yield* found;
    const isWhole = all.isErr() || all.value.every((payment) => payment.businessId === businessId);
    // The limit counts only those of this business.
    const listed = yield* isWhole
      ? all
      : await payments.listByAppointment(id, maxListedPayments, businessId);
    const view = ports.shares === undefined ? viewPayment : viewShared;
    const items = listed.filter(isOpened).filter(isContactless).map(view);
    return { items, count: items.length };
  }),

  /**
   * Reads a stored payment. It never asks the processor, so use a capture to learn whether a card was
   * approved.
   *
   * @example
   * const read = await chairside.getContactlessPayment(barber, { contactlessPaymentId: opened.id });
   * const isPaid = read.isOk() && read.value.state === 'captured';
   */
  getContactlessPayment: operation({
    ids: ['contactlessPaymentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Contactless payments',
    summary: 'Reads a card payment',
    description: 'Returns the stored payment, without a call to the processor.',
    output: contactlessPaymentSchema,
    shapes: contactlessPaymentShapes,
  })(async function* ({ ports, auth }, { contactlessPaymentId }) {
    const barberId = yield* requireBarber(auth);
    const payment = yield* await findContactlessPayment(ports, contactlessPaymentId);
    yield* await requireBarberOf(ports, payment, barberId);
    return ports.shares === undefined ? viewPayment(payment) : viewShared(payment);
  }),

  /**
   * Cancels a payment for the host: the customer pays cash, or the appointment is called off. A captured
   * payment is a 409 `conflict` with the reason `captured`. The appointment's barber, its business and
   * system administrators may call it.
   *
   * @example
   * const ended = await chairside.cancelContactlessPayment(manager, {
   *   contactlessPaymentId: opened.id,
   * });
   */
  cancelContactlessPayment: hostOperation<
    { readonly contactlessPaymentId: string },
    ContactlessPayment
  >()({
    problems: ['forbidden', 'notFound', 'conflict'],
    async *run({ ports, auth }, { contactlessPaymentId }) {
      const payment = yield* findPaymentForStaff(ports, auth, contactlessPaymentId, isContactless);
      const ended = yield* await cancel(ports, payment, 'requested');
      if (ended.state === 'captured') return yield* err(alreadyCaptured());
      return viewPayment(ended);
    },
  }),

  /**
   * Explains the state of a payment: each event, its time and its trigger. Contains no secret.
   *
   * @example
   * const history = await chairside.getPaymentTimeline(manager, { contactlessPaymentId: opened.id });
   * const lines = history.map(({ items }) => items.map(({ at, what }) => `${at} ${what}`));
   */
  getPaymentTimeline: hostOperation<{ readonly contactlessPaymentId: string }, PaymentTimeline>()({
    problems: ['forbidden', 'notFound'],
    async *run({ ports, auth }, { contactlessPaymentId }) {
      const payment = yield* findPaymentForStaff(ports, auth, contactlessPaymentId);
      const { state, review, tipMinor } = payment;
      const items = yield* showTimeline(ports, payment);
      return {
        state,
        ...(review !== undefined && { review }),
        items,
        count: items.length,
        ...tipMember(tipMinor),
      };
    },
  }),

  /**
   * Returns the captured and reserved amounts of an appointment. A host with its own appointments calls
   * it after the transaction that lowers the amount due: with `reserved: '0.00'` no capture exceeds the
   * new amount. The appointment's business and system administrators may call it; administrators
   * also for a removed appointment.
   *
   * @example
   * const ledger = await chairside.getAppointmentLedger(manager, { appointmentId: 'haircut' });
   * const isSafe = ledger.isOk() && ledger.value.reserved === '0.00';
   */
  getAppointmentLedger: hostOperation<{ readonly appointmentId: string }, AppointmentLedger>()({
    problems: ['forbidden', 'notFound'],
    async *run({ ports, auth }, { appointmentId }) {
      yield* requireManagerOf(ports, auth, appointmentId);
      return yield* await readLedger(ports, appointmentId);
    },
  }),
};

/** The history, with the names of those who acted. */
async function* showTimeline(
  ports: Ports,
  { timeline }: Payment,
): Steps<TimelineLine[], StoreUnavailable> {
  const names = new Map<number | undefined, string | undefined>();
  for (const actor of new Set(timeline.map((line) => line.actor))) {
    names.set(actor, yield* await subjectOf(ports, actor));
  }
  return timeline.map(({ at, actor, ...line }) => {
    const by = names.get(actor);
    return { at: formatTimestamp(at), ...line, ...(by !== undefined && { by }) };
  });
}

/**
 * Requires the appointment's business. An administrator may ask about any appointment, removed ones
 * included, so only the id is checked.
 */
async function* requireManagerOf(
  ports: Ports,
  auth: AuthContext,
  appointmentId: string,
): Steps<void, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  if (auth.systemAdministrator === true) {
    if (canBeId(appointmentId)) return;
    return yield* err(notFound('appointment'));
  }
  const businessIds = yield* requireBusiness(auth);
  const appointment = yield* await findAppointment(ports, appointmentId);
  yield* requireOwn(businessIds.includes(appointment.businessId), 'appointment');
}
