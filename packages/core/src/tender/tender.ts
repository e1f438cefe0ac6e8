import type { ByActor } from '../frame/record.ts';
import type { Share } from '../share/share.ts';
import type { EpochMs } from '../values/time.ts';

/** The ways to pay without a card. */
export const tenderKinds = ['cash', 'voucher', 'bankTransfer', 'other'] as const;
/** How something was paid without a card. */
export type TenderKind = (typeof tenderKinds)[number];

/** The most tenders, returns and voids of one appointment that are read. */
export const maxListedTenders = 1000;

/**
 * What was paid without a card, given back of that, or recorded by mistake. Each act is a record of its
 * own, so that the statement of a past day stays the same.
 */
export interface Tender extends ByActor {
  readonly id: string;
  /** Rises by one with every change. Writes name the version that they are based on. */
  readonly version: number;
  readonly act: 'record' | 'return' | 'void';
  /** The tender that was returned or voided. */
  readonly tenderId?: string;
  /** The card payment for which cash was given back, because its refund had failed. */
  readonly paymentId?: string;
  readonly appointmentId: string;
  /** The appointment's customer when it was recorded, if known. */
  readonly customerId?: string;
  /** The appointment's day when it was recorded. A later visit under the id is on another one. */
  readonly visitDay?: string;
  readonly businessId: string;
  /** The appointment's barber when it was recorded. */
  readonly barberId: string;
  readonly barberName: string;
  readonly kind: TenderKind;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** The part of cash for a card payment that is tip; absent without one. */
  readonly tipMinor?: bigint;
  /** Whose money cash for a card payment gives back, if that payment was shared. */
  readonly parts?: readonly Share[];
  /** The caller's own words. */
  readonly note?: string;
  readonly at: EpochMs;
  /** What was given back of a recorded tender. Zero for any other act. */
  readonly returnedMinor: bigint;
  /** When a recorded tender was voided. */
  readonly voidedAt?: EpochMs;
}

export type RecordedTender = Tender & { readonly act: 'record' };

export function isRecorded(tender: Tender): tender is RecordedTender {
  return tender.act === 'record';
}

/** What was given back of a tender, or that it was voided. */
export function actOn(
  taken: RecordedTender,
  act: Pick<Tender, 'id' | 'amountMinor' | 'at' | 'note' | keyof ByActor> & {
    readonly act: 'return' | 'void';
  },
): Tender {
  // These describe the recording, and each later act has its own.
  const { note: _note, actor: _actor, requestId: _requestId, ...about } = taken;
  return { ...about, ...act, version: 1, tenderId: taken.id, returnedMinor: 0n };
}

/** What the shop has kept of a recorded tender. */
export function keptMinor({ amountMinor, returnedMinor, voidedAt }: Tender): bigint {
  return voidedAt === undefined ? amountMinor - returnedMinor : 0n;
}

/** What the act brought into the shop; negative if it took something out. */
export function broughtMinor({ act, amountMinor }: Tender): bigint {
  return act === 'record' ? amountMinor : -amountMinor;
}
