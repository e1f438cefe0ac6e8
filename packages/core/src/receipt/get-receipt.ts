import * as v from 'valibot';
import { operation } from '../frame/operation.ts';
import type { BarberReference } from '../host/host.ts';
import { ask, handleOf, readAtProcessor } from '../payment/carry.ts';
import { cannotRead } from '../payment/faults.ts';
import { findPaymentForStaff } from '../payment/find.ts';
import type { OpenedPayment } from '../payment/payment.ts';
import { tipIn, tipMember } from '../payment/tip.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError, ReceiptDetails } from '../ports/processor.ts';
import { conflict } from '../problems/problem.ts';
import { isCounted, maxListedRefunds } from '../refund/refund.ts';
import { owedByVisit } from '../share/share.ts';
import { sharesOf } from '../share/shares-of.ts';
import { isRecorded, maxListedTenders, type Tender } from '../tender/tender.ts';
import { formatMoney } from '../values/money.ts';
import { err, resultOf, type Steps } from '../values/result.ts';
import { clip, toStorable } from '../values/text.ts';
import { formatTimestamp } from '../values/time.ts';
import { type Receipt, receiptSchema, receiptShapes, verificationSchema } from './wire.ts';

export const receipts = {
  /**
   * Returns what a card-present receipt must show, read from the processor. Where the account is gone, it is
   * what is stored, without the members of the card's chip and issuer. The payment's barber, its business and
   * system administrators may call it. `receiptToText` and `receiptToHtml` make one to print or send.
   *
   * @example
   * const receipt = await chairside.getReceipt(manager, { contactlessPaymentId: opened.id });
   * if (receipt.isOk()) console.log(receipt.value.shopName, receipt.value.amount);
   */
  getReceipt: operation({
    ids: ['contactlessPaymentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Receipts',
    summary: 'Reads the receipt of a captured payment',
    description: 'Returns what card schemes require of a receipt, as the processor shows it.',
    output: receiptSchema,
    shapes: receiptShapes,
  })<Receipt>(async function* ({ ports, auth }, { contactlessPaymentId }) {
    const payment = yield* findPaymentForStaff(ports, auth, contactlessPaymentId);
    const { card, capturedAt, appointment, state } = payment;
    if (capturedAt === undefined || state !== 'captured') {
      return yield* err(conflict('notCaptured', 'Only a captured payment has a receipt.'));
    }
    const read = await resultOf(readShown(ports, payment));
    const isGone = read.isErr() && read.error.kind === 'notSetUp';
    const shown: Shown = isGone ? {} : yield* read.mapErr(cannotRead);
    const { store } = ports;
    const reads = await Promise.all([
      store.refunds.listByPayment(payment.id, maxListedRefunds),
      store.tenders.listByPayment(payment.id, maxListedTenders),
    ]);
    const refunds = yield* reads[0];
    // Cash in place of a refund stays with the visit that the payment was opened for.
    const listed = [...(yield* reads[1])];
    for (const visitId of owedByVisit(sharesOf(payment)).keys()) {
      const ofVisit = yield* await store.tenders.listByAppointment(visitId, maxListedTenders);
      listed.push(...ofVisit.filter(({ paymentId }) => paymentId !== payment.id));
    }
    const acts = listed
      .filter(({ businessId }) => businessId === payment.businessId)
      .toSorted((a, b) => a.at - b.at);
    const tenders = acts.filter((one) => isRecorded(one) && one.voidedAt === undefined);
    const returns = acts.filter(({ act }) => act === 'return');
    const { capturedMinor = payment.capturedMinor ?? payment.amountMinor, details } = shown;
    const { timeZone } = appointment;
    return {
      contactlessPaymentId: payment.id,
      shopName: appointment.location.shopName,
      locationName: appointment.location.name,
      barberName: nameOf(appointment.barber),
      ...(typeof timeZone === 'string' && { timeZone }),
      amount: formatMoney(capturedMinor),
      ...tipMember(tipIn(payment, capturedMinor)),
      currency: payment.currency,
      capturedAt: formatTimestamp(capturedAt),
      refunds: refunds.filter(isCounted).map((refund) => ({
        amount: formatMoney(refund.amountMinor),
        ...tipMember(refund.tipMinor),
        state: refund.state,
        createdAt: formatTimestamp(refund.createdAt),
      })),
      ...(tenders.length > 0 && { tenders: tenders.map(viewPaid) }),
      ...(returns.length > 0 && { returns: returns.map(viewPaid) }),
      ...(ports.shares === true &&
        payment.shares !== undefined && {
          visits: sharesOf(payment).map((share) => ({
            appointmentId: share.appointmentId,
            ...(share.barberName !== undefined && { barberName: share.barberName }),
            amount: formatMoney(share.amountMinor),
            ...tipMember(share.tipMinor),
          })),
        }),
      ...(card !== undefined && { card }),
      ...(details !== undefined && detailsOf(details)),
    };
  }),
};

/** Without the shop's note, which is not for the customer. */
function viewPaid({ kind, amountMinor, currency, at, paymentId }: Tender) {
  return {
    kind,
    amount: formatMoney(amountMinor),
    currency,
    createdAt: formatTimestamp(at),
    ...(paymentId !== undefined && { contactlessPaymentId: paymentId }),
  };
}

interface Shown {
  /** By the processor's books. */
  readonly capturedMinor?: bigint | undefined;
  readonly details?: ReceiptDetails | undefined;
}

/** What the processor shows of a captured payment. */
async function* readShown(ports: Ports, payment: OpenedPayment): Steps<Shown, ProcessorError> {
  const seen = yield* await readAtProcessor(ports, payment);
  const details = yield* await ask(ports, 'readReceipt', () =>
    ports.processor.readReceipt(handleOf(ports, payment)),
  );
  return { capturedMinor: seen?.capturedMinor, details };
}

const texts = [
  'applicationPreferredName',
  'applicationIdentifier',
  'accountType',
  'authorizationCode',
  'authorizationResponseCode',
  'applicationCryptogramType',
  'applicationCryptogram',
  'terminalVerificationResults',
  'transactionStatusInformation',
] as const;

/** The members with a text: an adapter may give `null`, or more than is known here. */
function detailsOf(details: ReceiptDetails): ReceiptDetails {
  const shown = texts.flatMap((name) => {
    const text: unknown = details[name];
    return typeof text === 'string' && text !== '' ? [[name, clip(toStorable(text), 255)]] : [];
  });
  const { cardholderVerification } = details;
  return {
    ...Object.fromEntries(shown),
    ...(v.is(verificationSchema, cardholderVerification) && { cardholderVerification }),
  };
}

function nameOf({ preferredName, givenName, surname }: BarberReference): string {
  return `${preferredName ?? givenName} ${surname}`;
}
