import type { Caller } from '../call/call.ts';
import type { ResultAsync } from '../domain/result.ts';
import type {
  CancelContactlessPaymentError,
  CancelContactlessPaymentInput,
} from '../operations/cancelContactlessPayment.ts';
import type {
  CaptureContactlessPaymentError,
  CaptureContactlessPaymentInput,
} from '../operations/captureContactlessPayment.ts';
import type {
  CreateContactlessPaymentError,
  CreateContactlessPaymentInput,
} from '../operations/createContactlessPayment.ts';
import type {
  GetAppointmentLedgerError,
  GetAppointmentLedgerInput,
} from '../operations/getAppointmentLedger.ts';
import type {
  GetContactlessPaymentError,
  GetContactlessPaymentInput,
} from '../operations/getContactlessPayment.ts';
import type {
  GetPaymentTimelineError,
  GetPaymentTimelineInput,
  PaymentTimeline,
} from '../operations/getPaymentTimeline.ts';
import type { GetReceiptError, GetReceiptInput, Receipt } from '../operations/getReceipt.ts';
import type {
  ListContactlessPaymentsError,
  ListContactlessPaymentsInput,
} from '../operations/listContactlessPayments.ts';
import type { AppointmentLedger } from '../schemas/appointment-ledger.ts';
import type { ContactlessPayment, ContactlessPayments } from '../schemas/contactless-payment.ts';

/** Card payments at the chair. */
export interface ContactlessPaymentUseCases {
  /**
   * Opens a card payment for an appointment. The terminal collects it with the `clientSecret`. Without
   * an `amount` the payment collects what the appointment still owes.
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same payment.
   *
   * @example
   * const opened = await chairside.createContactlessPayment(barber, {
   *   appointmentId: 'haircut',
   *   idempotencyKey: crypto.randomUUID(),
   * });
   * if (opened.isOk()) console.log(opened.value.id, opened.value.amount); // cpm_01h…, 45.00
   */
  createContactlessPayment(
    caller: Caller,
    input: CreateContactlessPaymentInput,
  ): ResultAsync<ContactlessPayment, CreateContactlessPaymentError>;

  /**
   * Captures a payment after a card was presented, exactly once. On a 409 with `retry:
   * 'retrySameRequestAfterDelay'` send the same request again.
   *
   * @example
   * const captured = await chairside.captureContactlessPayment(barber, {
   *   contactlessPaymentId: opened.id,
   *   idempotencyKey: crypto.randomUUID(),
   *   body: { externalPaymentReference: { id: 'pi_3Q', paymentProcessor: 'processor_a' } },
   * });
   * if (captured.isErr() && captured.error.type === 'contactlessPaymentDeclined') {
   *   console.log('Present another card, then capture again.');
   * }
   */
  captureContactlessPayment(
    caller: Caller,
    input: CaptureContactlessPaymentInput,
  ): ResultAsync<ContactlessPayment, CaptureContactlessPaymentError>;

  /**
   * Lists an appointment's payments, oldest first, including open ones.
   *
   * @example
   * const listed = await chairside.listContactlessPayments(barber, { appointmentId: 'haircut' });
   * const states = listed.map(({ items }) => items.map(({ state }) => state));
   */
  listContactlessPayments(
    caller: Caller,
    input: ListContactlessPaymentsInput,
  ): ResultAsync<ContactlessPayments, ListContactlessPaymentsError>;

  /**
   * Reads a stored payment. It never asks the processor, so use a capture to learn whether a card was
   * approved.
   *
   * @example
   * const read = await chairside.getContactlessPayment(barber, { contactlessPaymentId: opened.id });
   * const isPaid = read.isOk() && read.value.state === 'captured';
   */
  getContactlessPayment(
    caller: Caller,
    input: GetContactlessPaymentInput,
  ): ResultAsync<ContactlessPayment, GetContactlessPaymentError>;

  /**
   * Cancels a payment for the host: the customer pays cash, or the appointment is called off. A captured
   * payment is a 409 `conflict` with the reason `captured`.
   *
   * @example
   * const ended = await chairside.cancelContactlessPayment(manager, {
   *   contactlessPaymentId: opened.id,
   * });
   */
  cancelContactlessPayment(
    caller: Caller,
    input: CancelContactlessPaymentInput,
  ): ResultAsync<ContactlessPayment, CancelContactlessPaymentError>;

  /**
   * Returns the captured and reserved amounts of an appointment. A host with its own appointments calls
   * it after the transaction that lowers the amount due: with `reserved: '0.00'` no capture exceeds the
   * new amount.
   *
   * @example
   * const ledger = await chairside.getAppointmentLedger(manager, { appointmentId: 'haircut' });
   * const isSafe = ledger.isOk() && ledger.value.reserved === '0.00';
   */
  getAppointmentLedger(
    caller: Caller,
    input: GetAppointmentLedgerInput,
  ): ResultAsync<AppointmentLedger, GetAppointmentLedgerError>;

  /**
   * Returns what a card-present receipt must show, read from the processor.
   *
   * @example
   * const receipt = await chairside.getReceipt(manager, { contactlessPaymentId: opened.id });
   * if (receipt.isOk()) console.log(receipt.value.shopName, receipt.value.amount);
   */
  getReceipt(caller: Caller, input: GetReceiptInput): ResultAsync<Receipt, GetReceiptError>;

  /**
   * Explains the state of a payment: each event, its time and its trigger. Contains no secret.
   *
   * @example
   * const history = await chairside.getPaymentTimeline(manager, { contactlessPaymentId: opened.id });
   * const lines = history.map(({ items }) => items.map(({ at, what }) => `${at} ${what}`));
   */
  getPaymentTimeline(
    caller: Caller,
    input: GetPaymentTimelineInput,
  ): ResultAsync<PaymentTimeline, GetPaymentTimelineError>;
}
