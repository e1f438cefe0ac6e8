import { type EpochMs, hourMs } from '@chairside/core';
import type { ListedPayout } from '@chairside/core/ports';
import { type BalanceEntry, byTime, netOf } from './balance.ts';
import { derive } from './ids.ts';
import type { Collections } from './storage.ts';

const dayMs = 24 * hourMs;
/** A captured amount is paid out after this time; amounts that leave count at once. */
const availableAfterMs = 2 * dayMs;
/** The time until a payout reaches the bank. */
const transferMs = dayMs;
/** The days after an account's first entry for which payouts are made. */
const maxDays = 4000;

/** When a payout failed, and how. */
export type PayoutFailure = Collections['payouts'];

/** A payout of the fake, with everything that it pays. */
export interface FakePayout extends ListedPayout {
  readonly account: string;
  /** When its amount came back to the balance. */
  readonly failedAt?: EpochMs;
  readonly entries: readonly BalanceEntry[];
  /** The ids of failed payouts that it pays again, and their sum. */
  readonly repaid: readonly string[];
  readonly repaidMinor: bigint;
}

/**
 * The payouts of one account and currency until now. Each midnight (UTC) pays out what is available; a
 * balance that is not positive waits for the next one. A failed payout is paid again with the next.
 * @param failureOf the failure of each failed payout, by its id.
 */
export function payoutsOf(
  account: string,
  currency: string,
  all: readonly BalanceEntry[],
  failureOf: (payout: string) => PayoutFailure | undefined,
  now: EpochMs,
): readonly FakePayout[] {
  let waiting = [...all].sort(byTime);
  let returned: FakePayout[] = [];
  const payouts: FakePayout[] = [];
  const first = Math.floor((waiting[0]?.openedAt ?? now) / dayMs) + 1;
  const last = Math.min(Math.floor(now / dayMs), first + maxDays);
  for (let day = first; day <= last; day += 1) {
    const at = day * dayMs;
    const entries = waiting.filter(
      ({ openedAt, amountMinor }) => openedAt + (amountMinor > 0n ? availableAfterMs : 0) < at,
    );
    const again = returned.filter(({ reference }) => (failureOf(reference)?.failedAt ?? at) <= at);
    const repaidMinor = again.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    const amountMinor = entries.reduce((sum, entry) => sum + netOf(entry), repaidMinor);
    if (amountMinor <= 0n) continue;
    const reference = `fpo_${derive(account, currency, day)}`;
    const failed = failureOf(reference);
    const arrivesAt = at + transferMs;
    const payout: FakePayout = {
      account,
      reference,
      currency,
      amountMinor,
      state: failed?.state ?? (arrivesAt <= now ? 'paid' : 'pending'),
      ...(failed !== undefined && { failedAt: failed.failedAt }),
      ...(failed?.state === 'failed' && { failure: 'account_closed' }),
      openedAt: at,
      arrivesAt,
      isItemized: true,
      entries,
      repaid: again.map((one) => one.reference),
      repaidMinor,
    };
    payouts.push(payout);
    waiting = waiting.filter((entry) => !entries.includes(entry));
    returned = returned.filter((one) => !again.includes(one));
    if (failed !== undefined) returned.push(payout);
  }
  return payouts;
}
