import type { Tender } from '@chairside/core/ports';
import type { Evidence } from './evidence.ts';
import type { TenderTrail } from './trails.ts';

// Sums over tenders, their returns and voids, as they were written.

/** What an act brought in; negative if it took something out. */
export const broughtMinor = ({ act, amountMinor }: Tender) =>
  act === 'record' ? amountMinor : -amountMinor;

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
