import { type Card, formatTimestamp } from '@chairside/core';
import {
  type Dispute,
  isFinal,
  isOpened,
  type Payment,
  type Refund,
  type Share,
  type Tender,
  withheldMinor,
} from '@chairside/core/ports';
import type { AtProcessor } from './at-processor.ts';
import { moneyText, timeText } from './words.ts';

/** One fact of a payment, as our records and as the processor have it. */
export interface Compared {
  readonly what: string;
  readonly here: string;
  readonly there: string;
  /** `behind`: upkeep will follow the processor by itself. */
  readonly match: 'same' | 'behind' | 'differs';
}

/** Our records and the processor's books, side by side. */
export function compare(
  payment: Payment,
  refunds: readonly Refund[],
  disputes: readonly Dispute[],
  seen: AtProcessor,
): readonly Compared[] {
  const { payment: there } = seen;
  if (there === undefined) {
    // The processor opens nothing before the create is carried, and a canceled one need not exist.
    const isExpected = !isOpened(payment) || payment.state === 'canceled';
    const match = isExpected ? 'same' : 'differs';
    return [{ what: 'payment', here: payment.state, there: 'none', match }];
  }
  const isOpen = !isFinal(payment);
  const money = (minor: bigint | undefined, currency: string) =>
    minor === undefined ? undefined : moneyText(minor, currency);
  const facts: readonly (Compared | undefined)[] = [
    fact('state', payment.state, there.status, isOpen),
    fact(
      'amount',
      moneyText(payment.amountMinor, payment.currency),
      moneyText(there.amountMinor, there.currency),
    ),
    toldFact(
      'tip',
      money(payment.tipMinor ?? 0n, payment.currency),
      money(there.tipMinor, there.currency),
    ),
    fact(
      'captured',
      money(payment.capturedMinor, payment.currency),
      there.status === 'captured'
        ? money(there.capturedMinor ?? there.amountMinor, there.currency)
        : undefined,
      isOpen,
    ),
    toldFact(
      'platform fee',
      money(payment.applicationFeeMinor ?? 0n, payment.currency),
      money(there.applicationFeeMinor, there.currency),
    ),
    fact('account', payment.account, there.account),
    toldFact('reference', payment.reference, there.reference, payment.reference === undefined),
    // A card that was erased here is no difference.
    isOpen || payment.card !== undefined
      ? toldFact('card', cardText(payment.card), cardText(there.card), isOpen)
      : undefined,
    toldFact('captured at', timeOf(payment.capturedAt), timeOf(there.capturedAt), isOpen),
    ...compareRefunds(refunds, seen),
    ...compareDisputes(disputes, seen),
  ];
  return facts.flatMap((one) => (one === undefined || isEmpty(one) ? [] : [one]));
}

const none = 'none';

function fact(
  what: string,
  here: string | undefined,
  there: string | undefined,
  isBehind = false,
): Compared {
  const match = here === there ? 'same' : isBehind ? 'behind' : 'differs';
  return { what, here: here ?? none, there: there ?? none, match };
}

/** One that the processor need not tell. */
const toldFact = (...[what, here, there, isBehind]: Parameters<typeof fact>) =>
  there === undefined ? undefined : fact(what, here, there, isBehind);

/** Nothing on both sides, or a tip or a fee of zero. */
const isEmpty = ({ here, there }: Compared) =>
  here === there && (here === none || here.startsWith('0.00 '));
const timeOf = (at: number | undefined) => (at === undefined ? undefined : timeText(at));

/** The masked number alone, with its kind. */
export function cardText(card: Card | undefined): string | undefined {
  if (card === undefined) return undefined;
  const { maskedPersonalAccountNumber: number, network, fundingType, tokenizationMethod } = card;
  return [number, network, fundingType, tokenizationMethod].filter(Boolean).join(' ');
}

function compareRefunds(refunds: readonly Refund[], { refunds: listed }: AtProcessor) {
  if (listed === undefined) return [];
  const matched = new Set<unknown>();
  const ours = refunds.map((refund) => {
    const there = listed.find(
      ({ refundId, reference }) => refundId === refund.id || reference === refund.reference,
    );
    matched.add(there);
    const isBehind = refund.state === 'pending';
    // One that failed before the processor made it is not in its list.
    const isUnmade =
      there === undefined && (refund.state === 'failed' || refund.state === 'canceled');
    const compared = fact(
      `refund ${refund.id}`,
      `${moneyText(refund.amountMinor, refund.currency)} ${refund.state}`,
      there && `${moneyText(there.amountMinor, there.currency)} ${there.state}`,
      isBehind,
    );
    return isUnmade ? { ...compared, match: 'same' as const } : compared;
  });
  const theirs = listed
    .filter((one) => !matched.has(one))
    .map((one) =>
      fact(
        `refund ${one.reference}`,
        undefined,
        `${moneyText(one.amountMinor, one.currency)} ${one.state}`,
        one.refundId === undefined,
      ),
    );
  return [...ours, ...theirs];
}

function compareDisputes(disputes: readonly Dispute[], { disputes: listed }: AtProcessor) {
  if (listed === undefined) return [];
  const ours = disputes.map((dispute) => {
    const there = listed.find(({ reference }) => reference === dispute.reference);
    const here = `${moneyText(dispute.amountMinor, dispute.currency)} ${dispute.state}`;
    const seen =
      there && `${moneyText(there.amountMinor, there.currency ?? dispute.currency)} ${there.state}`;
    return fact(`dispute ${dispute.reference}`, here, seen, there !== undefined);
  });
  const theirs = listed
    .filter(({ reference }) => !disputes.some((one) => one.reference === reference))
    .map((one) => fact(`dispute ${one.reference}`, undefined, `${one.state}`, true));
  return [...ours, ...theirs];
}

/** The document of a payment: what an operator may see, and no secret. */
export function viewPayment(payment: Payment) {
  const { id, state, version, account, currency, amountMinor, tipMinor, capturedMinor } = payment;
  const { reference, card, charge, reserved, checks, review, nextCheckAt, work } = payment;
  const at = (time: number | undefined) => (time === undefined ? undefined : formatTimestamp(time));
  return {
    id,
    state,
    version,
    purpose: charge?.purpose,
    appointmentId: payment.appointment.id,
    businessId: payment.businessId,
    barberId: payment.appointment.barber.id,
    account,
    reference,
    currency,
    amountMinor: `${amountMinor}`,
    tipMinor: tipMinor?.toString(),
    capturedMinor: capturedMinor?.toString(),
    applicationFeeMinor: payment.applicationFeeMinor?.toString(),
    card: card?.maskedPersonalAccountNumber,
    shares: payment.shares?.map(viewShare),
    isOpened: isOpened(payment),
    isReserved: reserved,
    work: work?.kind,
    checks,
    review,
    createdAt: at(payment.createdAt),
    authorizedAt: at(payment.authorizedAt),
    capturedAt: at(payment.capturedAt),
    expiresAt: at(payment.expiresAt),
    nextCheckAt: at(nextCheckAt),
  };
}

function viewShare({ appointmentId, barberId, amountMinor, tipMinor }: Share) {
  return { appointmentId, barberId, amountMinor: `${amountMinor}`, tipMinor: `${tipMinor}` };
}

export function viewRefund(refund: Refund) {
  const { id, state, origin, reference, amountMinor, tipMinor, currency, failure, createdAt } =
    refund;
  return {
    id,
    state,
    origin,
    reference,
    currency,
    amountMinor: `${amountMinor}`,
    tipMinor: tipMinor?.toString(),
    failure,
    work: refund.work?.kind,
    createdAt: formatTimestamp(createdAt),
  };
}

export function viewDispute(dispute: Dispute) {
  const { id, state, reference, amountMinor, currency, reason, respondBy, openedAt } = dispute;
  return {
    id,
    state,
    reference,
    currency,
    amountMinor: `${amountMinor}`,
    withheldMinor: `${withheldMinor(dispute)}`,
    withheldIn: dispute.bookedIn,
    reason,
    respondBy: respondBy === undefined ? undefined : formatTimestamp(respondBy),
    openedAt: formatTimestamp(openedAt),
  };
}

export function viewTender(tender: Tender) {
  const { id, act, tenderId, paymentId, kind, currency, amountMinor, note, at, voidedAt } = tender;
  return {
    id,
    act,
    tenderId,
    paymentId,
    kind,
    currency,
    amountMinor: `${amountMinor}`,
    note,
    at: formatTimestamp(at),
    voidedAt: voidedAt === undefined ? undefined : formatTimestamp(voidedAt),
  };
}
