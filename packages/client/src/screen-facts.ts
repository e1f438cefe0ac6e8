import { amountOf, minor, typedMinor } from './amounts.ts';
import type { AlsoPays } from './answers.ts';
import type { AnyProblem } from './problem.ts';
import type { Taking } from './taking.ts';

/** A captured payment of a visit. */
export interface PaidPart {
  readonly id: string;
  /** All that was captured, the tip in it. */
  readonly amount: string;
  readonly tip?: string | undefined;
  readonly capturedAt?: string | undefined;
  /** The masked number. */
  readonly card?: string | undefined;
  /** Where the card paid other visits too: all that it was charged. `amount` is this visit's part (D208). */
  readonly charged?: string | undefined;
  /** The parts of its barbers, where it has several. */
  readonly barbers?: readonly { readonly name: string; readonly amount: string }[] | undefined;
  /** The visit that a refund names, so that it takes this visit's part alone. Absent if no other has a part. */
  readonly appointmentId?: string | undefined;
  /** Absent if this person may not read refunds. */
  readonly back?: Back | undefined;
}

/** The money of a payment that went back. */
export interface Back {
  /** The amount that went back or is on its way. */
  readonly amount: string;
  /** The part of it that is still on its way. */
  readonly underWay: string;
  readonly refundable: string;
  readonly refundableTip: string;
  /** The number of the payment's refunds in any state: after a failed one, the next refund needs another key. */
  readonly count: number;
}

/** The money of a visit, as the shop's books have it. */
export interface VisitMoney {
  /** The price of the visit, without tips; absent if the app does not know it. */
  readonly due?: string | undefined;
  /** The captured payments, oldest first. */
  readonly payments: readonly PaidPart[];
  /** The amount of a payment that is `authorized`: `resume` charges it, also where its phone is lost. */
  readonly held?: string | undefined;
  /** The ids of payments that were opened for it, and belong to other visits now. */
  readonly moved?: readonly string[] | undefined;
}

/**
 * The knowledge of something that was asked for. `askedAt` is the moment at which the question was sent, so that
 * an answer says nothing about what happened later.
 */
export type Reading<T> =
  | { readonly is: 'unread' }
  | { readonly is: 'failed'; readonly failedAt: number }
  | {
      readonly is: 'read';
      readonly value: T;
      readonly askedAt: number;
      /** The latest question after it that got no answer. */
      readonly failedAt?: number | undefined;
    };

/**
 * The reading after one more answer, or after none. Answers may arrive in any order.
 * @param now the time at which it arrived. A later time was taken before the phone's clock was set back.
 */
export function readingAfter<T>(
  before: Reading<T>,
  askedAt: number,
  answer: { readonly value: T } | undefined,
  now: number,
): Reading<T> {
  const { failedAt: failedBefore = Number.NEGATIVE_INFINITY } =
    before.is === 'unread' ? {} : before;
  const isLate = before.is === 'read' && askedAt < before.askedAt && before.askedAt <= now;
  if (answer === undefined) {
    if (before.is === 'read') {
      return isLate ? before : { ...before, failedAt: Math.max(failedBefore, askedAt) };
    }
    return { is: 'failed', failedAt: Math.max(failedBefore, askedAt) };
  }
  if (isLate) return before;
  const isLaterLost = failedBefore > askedAt && failedBefore <= now;
  return {
    is: 'read',
    value: answer.value,
    askedAt,
    failedAt: isLaterLost ? failedBefore : undefined,
  };
}

/** A refund to ask for. The same key is the same refund, also after a restart. */
export interface Refunding {
  readonly paymentId: string;
  readonly amount: string;
  readonly tip?: string | undefined;
  /** The visit whose part goes back, of a payment that has several. */
  readonly appointmentId?: string | undefined;
  readonly key: string;
}

/** Giving money back: the question, the act and its end. */
export type GivingBack =
  | { readonly is: 'none' }
  /** `plan`: the refund whose outcome is unknown, which is asked for again under its own key. */
  | {
      readonly is: 'asking';
      readonly what: 'all' | 'tip';
      /** A part, as typed; all if empty. */
      readonly typed: string;
      readonly plan?: readonly Refunding[] | undefined;
    }
  | { readonly is: 'running'; readonly amount: string }
  | {
      readonly is: 'done';
      readonly amount: string;
      /** Whether the processor still works on it. */
      readonly isUnderWay: boolean;
      readonly endedAt: number;
    }
  | {
      readonly is: 'refused';
      /** The refused amount, and the amount of the same wish that went back before. */
      readonly amount: string;
      readonly wentBack: string;
      readonly problem: AnyProblem;
      readonly endedAt: number;
    }
  | {
      readonly is: 'unknown';
      readonly amount: string;
      /** The amount that had gone back when it was asked for. */
      readonly before: string;
      readonly plan: readonly Refunding[];
      readonly endedAt: number;
    };

/** All that a screen of one visit knows. */
export interface Facts {
  /** The time of this screen, by the clock that gave `askedAt`. */
  readonly now: number;
  readonly currency?: string | undefined;
  /** The register's state of this visit's payment. */
  readonly taking: Taking;
  /** When it last changed; 0 if it never did since the start. */
  readonly takingAt: number;
  /** Whether the phone's own notes were read. `unreadable`: its storage is closed or broken. */
  readonly notes: 'unread' | 'read' | 'unreadable';
  readonly books: Reading<VisitMoney>;
  /** Whether the last question for the books was refused because nobody is signed in. */
  readonly isSignedOut?: boolean | undefined;
  readonly back: GivingBack;
  /** The typed amount; all that is left if empty. */
  readonly typed: string;
  /** The other visits that the card pays too, where the barber is choosing them; empty if none is chosen yet. */
  readonly alsoPays?: AlsoPays | undefined;
  /** Whether the customer is choosing a tip, and for which price. */
  readonly tipping?: { readonly price: string } | undefined;
  readonly takesTips: boolean;
  /** Whether this person may give money back. */
  readonly mayRefund: boolean;
  /** `back`: to a list on another screen. `next`: to the next customer, once this one is done. */
  readonly leaves: 'back' | 'next';
}

/** Books that were read longer ago than this are old, even if no read has failed. */
const maxAgeMs = 15_000;

interface Sums {
  readonly charged: number;
  readonly tips: number;
  /** `Infinity` if the price is not known. */
  readonly left: number;
  readonly refunded: number;
  readonly underWay: number;
  readonly refundable: number;
  readonly refundableTip: number;
}

/** The content of the books now: nothing, or sums of that moment. */
export type Known =
  | { readonly is: 'unread' | 'failed' | 'signedOut' }
  | {
      readonly is: 'fresh' | 'stale';
      readonly sums: Sums;
      readonly visit: VisitMoney;
      readonly askedAt: number;
    };

/**
 * The last moment at which this phone may have changed the money. A later moment than now was taken before the
 * phone's clock was set back, and says nothing.
 */
export function changedAt({ takingAt, back, now }: Facts): number {
  const moments = [takingAt, 'endedAt' in back ? back.endedAt : 0];
  return Math.max(0, ...moments.filter((at) => at <= now));
}

export function knownOf(facts: Facts): Known {
  const { books, now } = facts;
  const lost = facts.isSignedOut ? 'signedOut' : 'failed';
  if (books.is === 'unread') return { is: 'unread' };
  if (books.is === 'failed') return { is: lost };
  const { value, askedAt, failedAt } = books;
  // Books from before an act of this phone say nothing any more.
  if (askedAt < changedAt(facts)) {
    const isLost = failedAt !== undefined && failedAt >= changedAt(facts);
    return { is: isLost ? lost : 'unread' };
  }
  // The age of books that were asked for in the future is not known: the phone's clock was set back.
  const isStale = failedAt !== undefined || askedAt > now || now - askedAt > maxAgeMs;
  return { is: isStale ? 'stale' : 'fresh', sums: sumsOf(value), visit: value, askedAt };
}

function sumsOf({ due, payments }: VisitMoney): Sums {
  const sum = (of: (part: PaidPart) => string | undefined) =>
    payments.reduce((total, part) => total + minor(of(part) ?? '0'), 0);
  const charged = sum(({ amount }) => amount);
  const tips = sum(({ tip }) => tip);
  return {
    charged,
    tips,
    left: due === undefined ? Infinity : Math.max(0, minor(due) - (charged - tips)),
    refunded: sum(({ back }) => back?.amount),
    underWay: sum(({ back }) => back?.underWay),
    refundable: sum(({ back }) => back?.refundable),
    refundableTip: sum(({ back }) => back?.refundableTip),
  };
}

/**
 * A host's id as a part of an idempotency key. A key is a header, and `fetch` throws for other characters than those
 * of ASCII. `encodeURIComponent` would throw for half of a surrogate pair.
 */
export const keyPartOf = (id: string) =>
  id
    .replace(/[^\w.-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .slice(-100);

/**
 * The refunds that give back all that is left, the tips alone, or a part; undefined if that is more than can go
 * back. Their keys name what had gone back before, and how many refunds there were, so that two taps, tabs or starts
 * ask for the same refund, and a refund after a failed one is another.
 */
export function planOf(
  { payments }: VisitMoney,
  what: 'all' | 'tip',
  typed: string,
): readonly Refunding[] | undefined {
  const part = typed === '' ? Number.POSITIVE_INFINITY : typedMinor(typed);
  if (part === undefined || part === 0) return undefined;
  let left = part;
  // The latest payment first, as a person would.
  const plan = [...payments].reverse().flatMap(({ id, back, appointmentId }) => {
    if (back === undefined) return [];
    const tips = minor(back.refundableTip);
    const price = minor(back.refundable) - tips;
    const amount = Math.min(left, what === 'tip' ? tips : price + tips);
    if (amount <= 0) return [];
    left -= amount;
    // Of a part, the price goes back first and the tip last.
    const tip = what === 'tip' ? amount : Math.max(0, amount - price);
    // Two visits may have equal parts of one payment.
    const of = appointmentId === undefined ? '' : `-${keyPartOf(appointmentId)}`;
    const key = `refund-${id}-${back.count}-${back.amount}-${amountOf(amount)}-${amountOf(tip)}${of}`;
    return [
      {
        paymentId: id,
        amount: amountOf(amount),
        key,
        ...(tip > 0 && { tip: amountOf(tip) }),
        ...(appointmentId !== undefined && { appointmentId }),
      },
    ];
  });
  const isMore = typed !== '' && left > 0;
  return plan.length === 0 || isMore ? undefined : plan;
}

export const totalOf = (plan: readonly Refunding[]) =>
  amountOf(plan.reduce((total, { amount }) => total + minor(amount), 0));
