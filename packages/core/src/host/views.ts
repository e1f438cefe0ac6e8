/** Records in the clients' view. Members have a fixed order, so that responses are stable. */

import type { ChargeView } from '../charge/wire.ts';
import {
  type Card,
  chargeRefusalOf,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type PaymentState,
} from '../payment/payment.ts';
import { tipMember } from '../payment/tip.ts';
import type { ContactlessPayment } from '../payment/wire.ts';
import { type Dispute, withheldMinor } from '../refund/dispute.ts';
import type { Refund, RefundState } from '../refund/refund.ts';
import type { DisputeView, RefundView } from '../refund/wire.ts';
import type { OpenedSetup } from '../setup/method-setup.ts';
import type { PaymentMethodSetup } from '../setup/wire.ts';
import { sharesOf } from '../share/shares-of.ts';
import { viewShare } from '../share/wire.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { TerminalView } from '../terminal/wire.ts';
import { formatMoney, formatMoneyIn } from '../values/money.ts';
import { type EpochMs, formatTimestamp } from '../values/time.ts';

export function viewPayment(payment: Payment): ContactlessPayment {
  const { state, reference, card, authorizedAt, capturedAt } = payment;
  const view = paymentViewIn(state, payment, payment.expiresAt, payment.updatedAt);
  // Clients learn the reference from the processor's SDK, so an earlier reference is of no use to them.
  if (state !== 'created' && reference !== undefined) {
    view.externalPaymentReference = { id: reference, paymentProcessor: 'processor_a' };
  }
  if (card !== undefined) view.card = viewCard(card);
  if (authorizedAt !== undefined) view.authorizedAt = formatTimestamp(authorizedAt);
  // A capture that only a person's word recorded may be canceled (D201).
  if (capturedAt !== undefined && state === 'captured') {
    view.capturedAt = formatTimestamp(capturedAt);
  }
  return view;
}

/** The payment as reads show it: with whose it is now. Replayed responses never have that (D21). */
export function viewShared(payment: Payment): ContactlessPayment {
  const { shares } = payment;
  const view = viewPayment(payment);
  return shares === undefined ? view : { ...view, shares: sharesOf(payment).map(viewShare) };
}

function viewCard(card: Card): Card {
  const { maskedPersonalAccountNumber, network, fundingType, tokenizationMethod } = card;
  const { expirationMonth, expirationYear } = card;
  return {
    maskedPersonalAccountNumber,
    network,
    fundingType,
    expirationMonth,
    expirationYear,
    ...(tokenizationMethod !== undefined && { tokenizationMethod }),
  };
}

/**
 * The payment as it was first returned. It uses only fields that never change, so that a replay is
 * identical byte for byte without a stored copy (D21).
 */
export function viewOpening(payment: Payment): ContactlessPayment {
  const { createdAt } = payment;
  return paymentViewIn('created', payment, createdAt + openLifetimeMs, createdAt);
}

function paymentViewIn(
  state: PaymentState,
  payment: Payment,
  expiresAt: EpochMs,
  updatedAt: EpochMs,
): ContactlessPayment {
  const view: ContactlessPayment = {
    id: payment.id,
    appointment: payment.appointment,
    amount: formatMoney(payment.amountMinor),
    state,
    // Clients see only opened payments, which have a secret.
    clientSecret: payment.clientSecret ?? '',
    expiresAt: formatTimestamp(expiresAt),
    createdAt: formatTimestamp(payment.createdAt),
    updatedAt: formatTimestamp(updatedAt),
  };
  if (payment.tipMinor !== undefined) view.tip = formatMoney(payment.tipMinor);
  return view;
}

/**
 * @param terminalLocation the location of the business that the terminal was registered for (D6).
 */
export function viewTerminal(terminal: Terminal, terminalLocation?: string): TerminalView {
  const { deviceModel, osVersion, appVersion, terminalSdkVersion } = terminal;
  return {
    id: terminal.id,
    platform: terminal.platform,
    deviceIdentifier: terminal.deviceIdentifier,
    ...(deviceModel !== undefined && { deviceModel }),
    ...(osVersion !== undefined && { osVersion }),
    ...(appVersion !== undefined && { appVersion }),
    ...(terminalSdkVersion !== undefined && { terminalSdkVersion }),
    ...(terminalLocation !== undefined && { terminalLocation }),
    createdAt: formatTimestamp(terminal.createdAt),
    updatedAt: formatTimestamp(terminal.updatedAt),
  };
}

/** Uses only fields that never change, so that a replay is identical byte for byte (D21). */
export function viewSetup(setup: OpenedSetup): PaymentMethodSetup {
  return {
    paymentMethodSetupId: setup.id,
    clientSecret: setup.clientSecret,
    expiresAt: formatTimestamp(setup.expiresAt),
    paymentMethodReuseAuthorized: setup.savePaymentMethod,
  };
}

export type OpenedCharge = OpenedPayment & Required<Pick<OpenedPayment, 'charge'>>;

export function viewCharge(payment: OpenedCharge): ChargeView {
  const { id, appointment, amountMinor, currency, state, charge, card, capturedAt } = payment;
  const refusal = state === 'canceled' ? chargeRefusalOf(payment) : undefined;
  return {
    id,
    appointmentId: appointment.id,
    purpose: charge.purpose,
    amount: formatMoney(amountMinor),
    currency,
    state,
    ...(refusal !== undefined && { refusal }),
    paymentMethodSetupId: charge.setupId,
    agreedAt: formatTimestamp(charge.agreedAt),
    agreementRef: charge.agreementRef,
    ...(card !== undefined && { card: viewCard(card) }),
    ...(capturedAt !== undefined &&
      state === 'captured' && { capturedAt: formatTimestamp(capturedAt) }),
    createdAt: formatTimestamp(payment.createdAt),
    updatedAt: formatTimestamp(payment.updatedAt),
  };
}

export function viewRefund(refund: Refund): RefundView {
  const view = refundViewIn(refund, refund.state, refund.updatedAt);
  return refund.failure === undefined ? view : { ...view, failure: refund.failure };
}

/** The refund as first accepted, so that a replay is identical byte for byte (D21). */
export function viewAcceptedRefund(refund: Refund): RefundView {
  const { acceptedAs = refund.state, acceptedAt = refund.updatedAt } = refund;
  return refundViewIn(refund, acceptedAs, acceptedAt);
}

function refundViewIn(refund: Refund, state: RefundState, updatedAt: EpochMs): RefundView {
  const { id, paymentId, amountMinor, tipMinor, currency, origin, reason, createdAt } = refund;
  return {
    id,
    contactlessPaymentId: paymentId,
    amount: formatMoney(amountMinor),
    ...tipMember(tipMinor),
    currency,
    state,
    origin,
    ...(reason !== undefined && { reason }),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}

export function viewDispute(dispute: Dispute): DisputeView {
  const { id, paymentId, businessId, reference, amountMinor, currency, state } = dispute;
  const { reason, respondBy, openedAt, updatedAt, bookedIn } = dispute;
  return {
    id,
    contactlessPaymentId: paymentId,
    businessId,
    processorReference: reference,
    amount: formatMoneyIn(amountMinor, currency),
    currency,
    withheld: formatMoneyIn(withheldMinor(dispute), bookedIn),
    ...(bookedIn !== currency && { withheldIn: bookedIn }),
    state,
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy: formatTimestamp(respondBy) }),
    openedAt: formatTimestamp(openedAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}
