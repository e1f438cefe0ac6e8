import type { Payment, Work } from '../domain/payment.ts';
import type { Fault } from '../domain/problem.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type EpochMs, hourMs, secondMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import { running } from './faults.ts';

// Whoever works on a payment holds it for a while; its fence tells it from any other (D20).

/** The work of a payment that this call now holds. */
export function lease(ports: Ports, work: Pick<Work, 'kind' | 'cause' | 'fence'>): Work {
  return { ...work, attempt: 1, leaseUntil: leaseEnd(ports) };
}

/** The same work, held for as long again. */
export function renewed(ports: Ports, work: Work): Work {
  return { ...work, leaseUntil: leaseEnd(ports) };
}

/** The same work, free for the next one at once. */
export function giveUp(work: Work, now: EpochMs): Work {
  return { ...work, leaseUntil: now };
}

/** Nobody may be working on the payment right now: else 409 running (D19). */
export function notHeld(ports: Ports, { work }: Payment): Result<void, Fault<'conflict'>> {
  return work !== undefined && isHeld(ports, work) ? err(running()) : ok();
}

/** No lease is longer, on any node: one that ends later was taken by a clock that was wrong. */
const longestLeaseMs = hourMs;

function isHeld(ports: Ports, { leaseUntil }: Work): boolean {
  const now = ports.clock.now();
  return leaseUntil > now && leaseUntil <= now + longestLeaseMs;
}

/** Whether the payment is still worked on by the holder who saw `mine`. */
export function isSameHolder(payment: Payment, mine: Work): boolean {
  return payment.work?.fence === mine.fence;
}

/** For the commits before and after the one processor call that a lease covers (D20). */
const commitsMs = 5 * secondMs;

function leaseEnd(ports: Ports): EpochMs {
  return ports.clock.now() + leaseMs(ports);
}

function leaseMs({ processor }: Ports): number {
  const coversMs = processor.deadlineMs + commitsMs;
  // An adapter whose deadline is not a number may take any time.
  return coversMs <= longestLeaseMs ? Math.max(coversMs, commitsMs) : longestLeaseMs;
}

/** Whether too little of the lease is left for one more processor call: it must be renewed first. */
export function isRunningOut(ports: Ports, { leaseUntil }: Work): boolean {
  return leaseUntil - ports.clock.now() < leaseMs(ports) - commitsMs / 2;
}

/** The same work, taken over from a holder that died or gave up: else 409 running (D19). */
export function takeOverFrom(ports: Ports, work: Work): Result<Work, Fault<'conflict'>> {
  return isHeld(ports, work)
    ? err(running())
    : ok({ ...work, fence: work.fence + 1, leaseUntil: leaseEnd(ports) });
}
