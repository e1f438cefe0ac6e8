import type { EpochMs } from '@chairside/core';
import type { ListedEntry } from '@chairside/core/ports';
import { type Entry, type HistoryLine, minor } from './entry.ts';
import { derive } from './ids.ts';

/** The fees of the fake processor. A refund returns none of them, as at real processors. */
export interface FakeFees {
  /** The share of a captured amount, in hundredths of a percent. It is rounded half up. */
  readonly basisPoints: number;
  /** Minor units of each captured payment. */
  readonly fixedMinor: bigint;
  /** Minor units of each dispute. A dispute that is won does not return them. */
  readonly disputeMinor: bigint;
}

export const defaultFees: FakeFees = { basisPoints: 150, fixedMinor: 25n, disputeMinor: 1500n };

/** A change of an account's balance. */
export interface BalanceEntry extends ListedEntry {
  readonly installation: string;
}

/** The changes of the balance by one payment: each follows from a line of its history. */
export function balanceOf(entry: Entry, fees: FakeFees): readonly BalanceEntry[] {
  return entry.history.flatMap((line, index): readonly BalanceEntry[] => {
    const change = changeOf(entry, line, fees);
    if (change === undefined) return [];
    const { account, installation, paymentId, currency, id } = entry;
    const reference = `ftx_${derive(id, 'balance', index)}`;
    const { subject = id, at: openedAt } = line;
    return [
      { account, installation, paymentId, currency, reference, subject, openedAt, ...change },
    ];
  });
}

type Change = Pick<
  ListedEntry,
  'kind' | 'amountMinor' | 'processorFeeMinor' | 'applicationFeeMinor'
>;

function changeOf(entry: Entry, line: HistoryLine, fees: FakeFees): Change | undefined {
  const noFees = { processorFeeMinor: 0n, applicationFeeMinor: 0n };
  const amountMinor = minor(line.amount ?? '0.00');
  switch (line.what) {
    case 'captured': {
      const capturedMinor = minor(entry.amountCaptured);
      return {
        kind: 'payment',
        amountMinor: capturedMinor,
        processorFeeMinor: feeOf(capturedMinor, fees),
        applicationFeeMinor: minor(entry.applicationFee ?? '0.00'),
      };
    }
    case 'refunded':
    case 'refundChanged': {
      if (line.booked === undefined) return undefined;
      const bookedMinor = minor(line.booked);
      const refund = entry.refunds.find(({ id }) => id === line.subject);
      const feeMinor = refund?.returnsFee === true ? returnedFee(entry, amountMinor) : 0n;
      return {
        kind: 'refund',
        amountMinor: bookedMinor,
        processorFeeMinor: 0n,
        applicationFeeMinor: bookedMinor < 0n ? -feeMinor : feeMinor,
      };
    }
    case 'disputed':
    case 'disputeChanged': {
      if (line.booked === undefined) return undefined;
      const isFirstTaken = line.dispute?.bookings.length === 1;
      return {
        ...noFees,
        kind: 'dispute',
        amountMinor: minor(line.booked),
        ...(isFirstTaken && { processorFeeMinor: fees.disputeMinor }),
      };
    }
    default:
      return undefined;
  }
}

function feeOf(amountMinor: bigint, { basisPoints, fixedMinor }: FakeFees): bigint {
  return fixedMinor + (amountMinor * BigInt(basisPoints) + 5000n) / 10_000n;
}

/** The platform's fee goes back in proportion, in whole minor units. */
function returnedFee(entry: Entry, amountMinor: bigint): bigint {
  const captured = minor(entry.amountCaptured);
  return captured === 0n ? 0n : (minor(entry.applicationFee ?? '0.00') * amountMinor) / captured;
}

/** The amount that reaches the balance. */
export function netOf({ amountMinor, processorFeeMinor, applicationFeeMinor }: Change): bigint {
  return amountMinor - processorFeeMinor - applicationFeeMinor;
}

export function byTime(
  a: { readonly openedAt: EpochMs; readonly reference: string },
  b: { readonly openedAt: EpochMs; readonly reference: string },
): number {
  return (
    a.openedAt - b.openedAt || (a.reference < b.reference ? -1 : Number(a.reference > b.reference))
  );
}
