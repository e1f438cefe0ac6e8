import type { ByActor } from '../frame/record.ts';
import type { Payment } from '../payment/payment.ts';
import type { Change } from '../ports/store.ts';
import type { EpochMs } from '../values/time.ts';
import { gains, type Share, type ShareEntry, type ShareKind } from './share.ts';

/** What the entries of one act have in common. */
interface ShareAct extends ByActor {
  readonly actId: string;
  readonly kind: ShareKind;
  readonly at: EpochMs;
  /** Of a refund or dispute that was booked in another currency than the payment's. */
  readonly currency?: string;
  /** Whose the payment is after the act of somebody, and that person's note. */
  readonly shares?: readonly Share[];
  readonly note?: string | undefined;
}

/** The records of who gained and who lost by an act: one for each visit and barber. */
export function shareEntries(
  { id: paymentId, businessId, currency: paidIn, charge }: Payment,
  { actId, shares, note, currency = paidIn, ...act }: ShareAct,
  before: readonly Share[],
  after: readonly Share[],
): readonly (Change & { readonly kind: 'insertShare' })[] {
  const gained = gains(before, after);
  // The act itself is recorded where it changed nothing, because its key returns it.
  const told = gained.length > 0 || shares === undefined ? gained : after.slice(0, 1).map(nothing);
  return told.map((one, index) => {
    const share: ShareEntry = {
      // Movements of one dispute end in `.1` themselves.
      id: index === 0 ? actId : `${actId}-${index}`,
      version: 1,
      actId,
      ...act,
      paymentId,
      businessId,
      ...one,
      currency,
      ...(charge !== undefined && { purpose: charge.purpose }),
      ...(index === 0 && shares !== undefined && { shares }),
      ...(index === 0 && note !== undefined && { note }),
    };
    return { kind: 'insertShare', share } as const;
  });
}

function nothing(share: Share): Share {
  return { ...share, amountMinor: 0n, tipMinor: 0n };
}
