import { hourMs } from '@chairside/core';
import type { Payment, Refund, Tender } from '@chairside/core/ports';
import type { Evidence, State, TenderTrail } from './evidence.ts';
import type { Exchange } from './request-log.ts';

/** Parses the amounts of the processor's books and of responses, which are well-formed. */
export function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}

/** The facts that were true at some moment between these two. */
export function during<T extends { readonly moment: number }>(
  snapshots: readonly T[],
  from: number,
  to: number,
): readonly T[] {
  const first = snapshots.findLastIndex(({ moment }) => moment <= from);
  return snapshots.slice(Math.max(0, first)).filter(({ moment }) => moment <= to);
}

/** The currencies of the businesses that had a visit at some moment between these two. */
export function currenciesOf(
  { appointments, businesses }: Pick<Evidence, 'appointments' | 'businesses'>,
  visit: string,
  from: number,
  to: number,
): readonly (string | undefined)[] {
  return during(appointments.get(visit) ?? [], from, to).flatMap(({ businessId }) =>
    during(businesses.get(businessId) ?? [], from, to).map(({ currency }) => currency),
  );
}

/** Adds what is true of this name from now on. */
export function append<T>(to: Map<string, T[]>, name: string, snapshot: T): void {
  const snapshots = to.get(name) ?? [];
  snapshots.push(snapshot);
  to.set(name, snapshots);
}

/** The name of an appointment's ledger for fees of missed visits: they are beside what it owes (D160). */
export const feesOf = (appointment: string) => `\u0001${appointment}`;

/** The name of the ledger that a payment counts on. */
export function ledgerNameOf(payment: Pick<Payment, 'appointment' | 'charge'> | undefined): string {
  const { appointment, charge } = payment ?? {};
  const name = appointment?.id ?? '';
  return charge?.purpose === 'noShow' ? feesOf(name) : name;
}

// Sums over tenders, their returns and voids, as they were written.

/** What an act brought in; negative if it took something out. */
export const broughtMinor = ({ act, amountMinor }: Tender) =>
  act === 'record' ? amountMinor : -amountMinor;

/** Whether a tender was returned in part, or voided. */
export function wasActedOn({ tenders }: Evidence, act: 'return' | 'void', id: string): boolean {
  return [...tenders.values()].some((one) => one.act.act === act && one.act.tenderId === id);
}

/** What is left of a tender. */
export function keptMinor(
  { tenders }: Evidence,
  id: string,
  until = Number.POSITIVE_INFINITY,
): bigint {
  return sum(
    tenders,
    ({ act, moment }) => moment <= until && (act.id === id || act.tenderId === id),
  );
}

/** What the visit's tenders have kept. */
export function keptOfVisit({ tenders }: Evidence, appointment: string): bigint {
  return sum(
    tenders,
    ({ act }) => act.appointmentId === appointment && act.paymentId === undefined,
  );
}

/** What counts towards the amount due: a return changes nothing, a void does. */
export function countedOfVisit({ tenders }: Evidence, appointment: string): bigint {
  return sum(tenders, ({ act }) => act.appointmentId === appointment && act.act !== 'return');
}

/** The cash that was given back for a card payment. */
export function cashOf({ tenders }: Evidence, paymentId: string): bigint {
  return -sum(tenders, ({ act }) => act.paymentId === paymentId);
}

function sum(tenders: Evidence['tenders'], isCounted: (trail: TenderTrail) => boolean): bigint {
  return [...tenders.values()]
    .filter(isCounted)
    .reduce((total, { act }) => total + broughtMinor(act), 0n);
}

export type Generations = ReturnType<typeof generationsOf>;

/** Tells requests apart that were sent under one key, before and after it was forgotten. */
export function generationsOf({ claims }: Evidence) {
  const forgotten = Map.groupBy(
    claims.filter(({ isForgotten }) => isForgotten),
    ({ record }) => `${record.subject} ${record.key}`,
  );
  return {
    /** Undefined for a request that was running at the time: either generation may respond. */
    of({ subject, key, from, to = Number.POSITIVE_INFINITY }: Exchange): number | undefined {
      const moments = (forgotten.get(`${subject} ${key}`) ?? []).flatMap(({ gone }) => gone ?? []);
      if (moments.some((moment) => moment > from && moment < to)) return undefined;
      return moments.filter((moment) => moment <= from).length;
    },
  };
}

/** An older refund is not sent again, because the processor may have forgotten its key (D44). */
const sendForMs = 18 * hourMs;

/** The longest time from the end of the faults to the next check of a refund. */
const checkedWithinMs = hourMs;

/**
 * Refunds that are left to a person (D44): the processor does not show them, and the faults lasted until
 * they could no longer be sent again. They keep their amount reserved.
 */
export function refundsLeft(
  { healedAt, refunds: trails }: Evidence,
  { entries, refunds }: State,
): readonly Refund[] {
  const made = new Set(
    entries.flatMap((entry) => (entry.refunds ?? []).map(({ refundId }) => refundId)),
  );
  return refunds.filter(({ id, work }) => {
    const begunAt = trails.get(id)?.begunAt ?? Number.POSITIVE_INFINITY;
    const couldBeSent = begunAt + sendForMs > healedAt + checkedWithinMs;
    return work !== undefined && !made.has(id) && !couldBeSent;
  });
}
