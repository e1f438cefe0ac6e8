import type { ChargePurpose } from '../charge/charge.ts';
import type { ByActor } from '../frame/record.ts';
import { type AppointmentReference, barberName } from '../host/host.ts';
import { between, sumOf } from '../values/bounds.ts';
import type { EpochMs } from '../values/time.ts';

/** The most visits and barbers that one payment is shared between. */
export const maxShares = 20;
/** How often one payment may be shared anew. */
export const maxSharings = 20;
/** The most entries of one payment or visit that are read. */
export const maxListedShares = 1000;

/** A part of an amount, by visit and barber. */
export interface Part {
  readonly appointmentId: string;
  readonly barberId: string;
  /** The tip included. */
  readonly amountMinor: bigint;
  readonly tipMinor: bigint;
}

/** The part of a payment that belongs to one visit and one barber. */
export interface Share extends Part {
  /** Absent for a barber whom the host named by an id alone. */
  readonly barberName?: string;
}

export type ShareKind = 'payment' | 'refund' | 'dispute';

/**
 * How one visit and barber gained or lost a part of a payment, a refund or a dispute. It is never changed but for
 * its note, so that the statement of a past day stays the same.
 */
export interface ShareEntry extends ByActor {
  readonly id: string;
  readonly version: number;
  /** The same for all entries of one act. */
  readonly actId: string;
  /** What is shared: `payment` for the captured amount. */
  readonly kind: ShareKind;
  readonly paymentId: string;
  readonly appointmentId: string;
  readonly businessId: string;
  readonly barberId: string;
  readonly barberName?: string;
  readonly currency: string;
  /** What the visit and barber have more than before; negative if less. Negative too if a refund takes it. */
  readonly amountMinor: bigint;
  readonly tipMinor: bigint;
  /** Of a charge of a saved method. */
  readonly purpose?: ChargePurpose;
  /** Whose the payment is after the act. Only the first entry of `sharePayment` has it. */
  readonly shares?: readonly Share[];
  /** The caller's own words, beside `shares`. */
  readonly note?: string;
  readonly at: EpochMs;
}

export function toPart({ appointmentId, barberId, amountMinor, tipMinor }: Part): Part {
  return { appointmentId, barberId, amountMinor, tipMinor };
}

type Whose = Pick<Part, 'appointmentId' | 'barberId'>;

export function isSameShare(a: Whose, b: Whose): boolean {
  return a.appointmentId === b.appointmentId && a.barberId === b.barberId;
}

export function wholeFor({ id, barber }: AppointmentReference) {
  return { appointmentId: id, barberId: barber.id, barberName: barberName(barber) };
}

/** Splits an amount in proportion, to the cent. What is left over goes to the largest fractions. */
export function split(amountMinor: bigint, weights: readonly bigint[]): readonly bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map((_, index) => (index === 0 ? amountMinor : 0n));
  const parts = weights.map((weight) => (amountMinor * weight) / total);
  const order = weights
    .map((weight, index) => ({ index, rest: (amountMinor * weight) % total }))
    .sort((a, b) => Number(b.rest - a.rest));
  let leftMinor = amountMinor - parts.reduce((sum, part) => sum + part, 0n);
  for (const { index } of order) {
    if (leftMinor === 0n) break;
    parts[index] = (parts[index] ?? 0n) + 1n;
    leftMinor -= 1n;
  }
  return parts;
}

/** The same parts of another amount. What is not tip is met first, as in a payment. */
export function splitLike<P extends Part>(parts: readonly P[], amountMinor: bigint): readonly P[] {
  const whole = sumOf(parts);
  const beyond = amountMinor - (whole.amountMinor - whole.tipMinor);
  return splitBoth(parts, { amountMinor, tipMinor: between(0n, beyond, whole.tipMinor) });
}

/** Splits an amount and its tip over these parts: each in proportion to its own. */
export function splitBoth<P extends Part>(
  parts: readonly P[],
  { amountMinor, tipMinor }: Pick<Part, 'amountMinor' | 'tipMinor'>,
): readonly P[] {
  const owed = split(
    amountMinor - tipMinor,
    parts.map((part) => part.amountMinor - part.tipMinor),
  );
  const tips = split(
    tipMinor,
    parts.map((part) => part.tipMinor),
  );
  return parts.map((part, index) => {
    const tip = tips[index] ?? 0n;
    return { ...part, amountMinor: (owed[index] ?? 0n) + tip, tipMinor: tip };
  });
}

/** Adds parts with the same visit and barber up, and drops those that are nothing. */
export function joinShares(shares: readonly Share[]): readonly Share[] {
  return addedUp(shares).filter(({ amountMinor }) => amountMinor !== 0n);
}

/** Adds parts with the same visit and barber up. */
export function addedUp(shares: readonly Share[]): readonly Share[] {
  const joined: Share[] = [];
  for (const share of shares) {
    const index = joined.findIndex((one) => isSameShare(one, share));
    const before = joined[index];
    if (before === undefined) joined.push(share);
    else joined[index] = { ...before, ...share, ...sumOf([before, share]) };
  }
  return joined;
}

/** The part of a payment that its visits owe, by visit: without tips. */
export function owedByVisit(shares: readonly Share[]): ReadonlyMap<string, bigint> {
  const owed = new Map<string, bigint>();
  for (const { appointmentId, amountMinor, tipMinor } of shares) {
    owed.set(appointmentId, (owed.get(appointmentId) ?? 0n) + amountMinor - tipMinor);
  }
  return owed;
}

/** What each visit and barber has more in the second list; negative for less. */
export function gains(before: readonly Share[], after: readonly Share[]): readonly Share[] {
  const lost = before.map((one) => ({
    ...one,
    amountMinor: -one.amountMinor,
    tipMinor: -one.tipMinor,
  }));
  const changes = addedUp([...lost, ...after]);
  // A tip may move from one barber to another while their amounts stay equal.
  return changes.filter(({ amountMinor, tipMinor }) => amountMinor !== 0n || tipMinor !== 0n);
}
