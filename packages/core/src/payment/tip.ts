import type { Ledger } from '../host/host.ts';
import { isCounted, type Refund } from '../refund/refund.ts';
import { between, orNothing } from '../values/bounds.ts';
import { formatMoney } from '../values/money.ts';
import { unknownOption } from '../values/text.ts';
import type { Payment } from './payment.ts';

/** The most that a host allows as a tip. */
export interface TipPolicy {
  /** The largest share of the amount without the tip, above 0. Default: 1. */
  readonly maxShare?: number | undefined;
  /** The largest tip, in minor units. */
  readonly maxMinor?: bigint | undefined;
}

const wholeShare = 10_000;

/** The largest tip beside an amount that is owed. Without a policy it is zero: tips are off. */
export function maxTipMinor(policy: TipPolicy | undefined, dueMinor: bigint): bigint {
  if (policy === undefined) return 0n;
  const { maxShare = 1, maxMinor } = policy;
  const byShare = (dueMinor * BigInt(Math.round(maxShare * wholeShare))) / BigInt(wholeShare);
  return between(0n, byShare, maxMinor ?? byShare);
}

/** The bound on the tips of a visit whose payment is a tip alone, as its ledger is now. */
export interface TipBound {
  /** The most that the ledger's tips may be afterwards. */
  readonly maxTipsMinor: bigint;
  /** The bound holds if at least so much is paid. */
  readonly minPaidMinor: bigint;
}

export function tipBoundOf(policy: TipPolicy | undefined, ledger: Ledger): TipBound {
  const { capturedMinor, tenderedMinor = 0n } = ledger;
  const minPaidMinor = capturedMinor + tenderedMinor;
  return { maxTipsMinor: maxTipMinor(policy, minPaidMinor), minPaidMinor };
}

const tipOptions: Readonly<Record<keyof TipPolicy, true>> = { maxShare: true, maxMinor: true };
/** Nobody tips more than ten times the price, but a host may write 50 for 50 %. */
const greatestShare = 10;

/** Why a host's policy is invalid. `undefined`: it is valid. */
export function faultOfTips(policy: TipPolicy): string | undefined {
  // Hosts without types may pass any value.
  if (typeof policy !== 'object') return 'must be an object, such as { maxShare: 0.5 }';
  const unknown = unknownOption(policy, tipOptions);
  if (unknown !== undefined) return unknown;
  const { maxShare = 1, maxMinor = 0n } = policy;
  if (!(typeof maxShare === 'number' && maxShare > 0 && maxShare <= greatestShare)) {
    return `maxShare must be above 0, at most ${greatestShare}; 0.5 is 50 %`;
  }
  return typeof maxMinor === 'bigint' && maxMinor >= 0n
    ? undefined
    : 'maxMinor must be a bigint of zero or more';
}

type Amounts = Pick<Payment, 'amountMinor' | 'tipMinor'>;

/** The part of a payment that its appointment owes: all but the tip. The ledger counts it. */
export function owedMinor({ amountMinor, tipMinor }: Amounts): bigint {
  return tipMinor === undefined ? amountMinor : amountMinor - tipMinor;
}

/**
 * The part of a captured amount that is tip: the excess over the owed part, at most the tip. A smaller
 * capture counts as owed first, so that no customer pays that part twice.
 */
export function tipIn(payment: Amounts, capturedMinor: bigint): bigint {
  const { tipMinor } = payment;
  if (tipMinor === undefined) return 0n;
  return between(0n, capturedMinor - owedMinor(payment), tipMinor);
}

/** The two parts of an amount that can be refunded. */
export interface TipParts {
  readonly owedMinor: bigint;
  readonly tipMinor: bigint;
}

/**
 * The parts of what is left of a captured payment. Refunds have taken the tip that they name; the rest
 * of them and disputes take the owed part first.
 * @param leftMinor the refundable rest of both.
 * @param tipMinor the tip in the captured amount.
 */
export function partsLeft(
  leftMinor: bigint,
  tipMinor: bigint,
  refunds: readonly Pick<Refund, 'state' | 'tipMinor'>[],
): TipParts {
  const counted = refunds.filter(isCounted);
  const refundedTipMinor = counted.reduce((sum, one) => sum + (one.tipMinor ?? 0n), 0n);
  const leftTipMinor = between(0n, tipMinor - refundedTipMinor, orNothing(leftMinor));
  return { owedMinor: leftMinor - leftTipMinor, tipMinor: leftTipMinor };
}

/** The tip part of a refund that names none: its excess over the owed part. */
export function tipLast(amountMinor: bigint, left: TipParts): bigint {
  return between(0n, amountMinor - left.owedMinor, left.tipMinor);
}

/** The member `tip` of a view or an event. It is left out without a tip. */
export function tipMember(tipMinor = 0n): { readonly tip?: string } {
  return tipMinor > 0n ? { tip: formatMoney(tipMinor) } : {};
}
