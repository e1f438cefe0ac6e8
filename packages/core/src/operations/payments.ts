import {
  findAppointment,
  findContactlessPayment,
  findManagedPayment,
  findOwnAppointment,
  notFound,
  requireBarber,
  requireBarberOf,
  requireBusiness,
  requireOwn,
} from '../call/access.ts';
import { hostOperation, operation } from '../call/operation.ts';
import type { Card } from '../domain/card.ts';
import { formatMoney } from '../domain/money.ts';
import {
  isContactless,
  isOpened,
  maxListedPayments,
  type PaymentState,
} from '../domain/payment.ts';
import type { FaultOf } from '../domain/problem.ts';
import { isCounted, maxListedRefunds, type RefundState } from '../domain/refund.ts';
import { conflict } from '../domain/refusals.ts';
import { err, type Steps } from '../domain/result.ts';
import type { ReviewReason } from '../domain/review.ts';
import { canBeId } from '../domain/text.ts';
import { formatTimestamp } from '../domain/time.ts';
import { tipIn, tipMember } from '../domain/tip.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { Ports } from '../ports/ports.ts';
import type { ReceiptDetails } from '../ports/processor-calls.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { AppointmentLedger } from '../schemas/appointment-ledger.ts';
import {
  type ContactlessPayment,
  type ContactlessPayments,
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
} from '../schemas/contactless-payment.ts';
import { contactlessPaymentShapes } from '../schemas/shapes/contactless-payment.ts';
import { viewPayment } from '../schemas/views.ts';
import { ask, handleOf, readAtProcessor } from '../work/ask.ts';
import { cancel } from '../work/canceling/canceling.ts';
import { readLedger } from '../work/dues/read-ledger.ts';
import { alreadyCaptured, cannotRead } from '../work/faults.ts';

/** The history of a payment: each event, its time and its trigger. */
export interface PaymentTimeline {
  readonly state: PaymentState;
  /** Why a person should look at it; absent if no review is needed. */
  readonly review?: ReviewReason;
  /** Oldest first, at most 64: a longer history keeps its beginning and its end. */
  readonly items: readonly { readonly at: string; readonly what: string; readonly cause: string }[];
  readonly count: number;
  /** The tip in the payment's amount. Absent without one (D48). */
  readonly tip?: string;
}

/** The required content of a card-present receipt (D36). */
export interface Receipt extends ReceiptDetails {
  readonly contactlessPaymentId: string;
  readonly shopName: string;
  readonly locationName: string;
  /** The captured amount, by the processor's ledger. */
  readonly amount: string;
  /** The part of the amount that is tip. Absent without one (D48). */
  readonly tip?: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly capturedAt: string;
  /** The platform's share of the amount, if there is one (D46). */
  readonly applicationFee?: string;
  /** The refunds that took place or are pending, oldest first (D44). */
  readonly refunds: readonly ReceiptRefund[];
  /** Absent if the processor does not show it. */
  readonly card?: Card;
}

/** A refund, as the customer's receipt shows it. */
export interface ReceiptRefund {
  readonly amount: string;
  /** The part of the amount that is tip. Absent without one. */
  readonly tip?: string;
  readonly state: RefundState;
  readonly createdAt: string;
}

export const payments = {
  /**
   * Lists an appointment's payments, oldest first, including open ones. Payments of another business stay
   * with that business (D38).
   *
   * @example
   * const listed = await chairside.listContactlessPayments(barber, { appointmentId: 'haircut' });
   * const states = listed.map(({ items }) => items.map(({ state }) => state));
   */
  listContactlessPayments: operation<{ readonly appointmentId: string }, ContactlessPayments>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Contactless payments',
    summary: 'Lists the card payments of an appointment, in-flight ones included',
    description: 'Returns the newest 1,000 payments of the appointment in any state, oldest first.',
    output: contactlessPaymentsSchema,
    shapes: contactlessPaymentShapes,
    async *run({ ports, auth }, { appointmentId }) {
      const barberId = yield* requireBarber(auth);
      const appointment = yield* await findOwnAppointment(ports, appointmentId, barberId);
      const listed = yield* await ports.store.payments.listByAppointment(
        appointment.id,
        maxListedPayments,
        appointment.businessId,
      );
      const items = listed.filter(isOpened).filter(isContactless).map(viewPayment);
      return { items, count: items.length };
    },
  }),

  /**
   * Reads a stored payment. It never asks the processor, so use a capture to learn whether a card was
   * approved.
   *
   * @example
   * const read = await chairside.getContactlessPayment(barber, { contactlessPaymentId: opened.id });
   * const isPaid = read.isOk() && read.value.state === 'captured';
   */
  getContactlessPayment: operation<{ readonly contactlessPaymentId: string }, ContactlessPayment>()(
    {
      limit: 'reads',
      problems: ['forbidden', 'notFound'],
      group: 'Contactless payments',
      summary: 'Reads a card payment',
      description: 'Returns the stored payment, without a call to the processor.',
      output: contactlessPaymentSchema,
      shapes: contactlessPaymentShapes,
      async *run({ ports, auth }, { contactlessPaymentId }) {
        const barberId = yield* requireBarber(auth);
        const payment = yield* await findContactlessPayment(ports, contactlessPaymentId);
        yield* await requireBarberOf(ports, payment, barberId);
        return viewPayment(payment);
      },
    },
  ),

  /**
   * Cancels a payment for the host: the customer pays cash, or the appointment is called off. A captured
   * payment is a 409 `conflict` with the reason `captured`. The appointment's barber, its business and
   * system administrators may call it (D17).
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
      const payment = yield* findManagedPayment(ports, auth, contactlessPaymentId, isContactless);
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
      const payment = yield* findManagedPayment(ports, auth, contactlessPaymentId);
      const { state, review, tipMinor } = payment;
      const items = payment.timeline.map((entry) => ({ ...entry, at: formatTimestamp(entry.at) }));
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
   * Returns what a card-present receipt must show, read from the processor.
   *
   * @example
   * const receipt = await chairside.getReceipt(manager, { contactlessPaymentId: opened.id });
   * if (receipt.isOk()) console.log(receipt.value.shopName, receipt.value.amount);
   */
  getReceipt: hostOperation<{ readonly contactlessPaymentId: string }, Receipt>()({
    problems: ['forbidden', 'notFound', 'conflict'],
    async *run({ ports, auth }, { contactlessPaymentId }) {
      const payment = yield* findManagedPayment(ports, auth, contactlessPaymentId);
      const { card, capturedAt, appointment } = payment;
      if (capturedAt === undefined) {
        return yield* err(conflict('notCaptured', 'Only a captured payment has a receipt.'));
      }
      const seen = yield* (await readAtProcessor(ports, payment)).mapErr(cannotRead);
      const read = await ask(ports, 'readReceipt', () =>
        ports.processor.readReceipt(handleOf(ports, payment)),
      );
      const details = yield* read.mapErr(cannotRead);
      const refunds = yield* await ports.store.refunds.listByPayment(payment.id, maxListedRefunds);
      const { applicationFeeMinor: feeMinor } = payment;
      const amountMinor = seen?.capturedMinor ?? payment.amountMinor;
      return {
        contactlessPaymentId: payment.id,
        shopName: appointment.location.shopName,
        locationName: appointment.location.name,
        amount: formatMoney(amountMinor),
        ...tipMember(tipIn(payment, amountMinor)),
        currency: payment.currency,
        capturedAt: formatTimestamp(capturedAt),
        ...(feeMinor !== undefined && { applicationFee: formatMoney(feeMinor) }),
        refunds: refunds.filter(isCounted).map((refund) => ({
          amount: formatMoney(refund.amountMinor),
          ...tipMember(refund.tipMinor),
          state: refund.state,
          createdAt: formatTimestamp(refund.createdAt),
        })),
        ...(card !== undefined && { card }),
        ...details,
      };
    },
  }),

  /**
   * Returns the captured and reserved amounts of an appointment. A host with its own appointments calls
   * it after the transaction that lowers the amount due: with `reserved: '0.00'` no capture exceeds the
   * new amount (D13). The appointment's business and system administrators may call it; administrators
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
