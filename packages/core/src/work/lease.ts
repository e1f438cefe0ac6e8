import type { Payment, Work } from '../domain/payment.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type EpochMs, hourMs, minuteMs, secondMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import { type Running, running } from './faults.ts';

// A call holds a payment by a lease while it works on it. The fence identifies the holder (D20).

/** The work of a payment that this call now holds. */
export function lease(ports: Ports, work: Pick<Work, 'kind' | 'cause' | 'fence'>): Work {
  return { ...work, attempt: 1, leaseUntil: leaseEnd(ports) };
}

export function renewed(ports: Ports, work: Work): Work {
  return { ...work, leaseUntil: leaseEnd(ports) };
}

/**
 * The same work, released for the next holder at once.
 * @param provedDead the next attempt needs a new key (D20).
 */
export function giveUp(work: Work, now: EpochMs, provedDead = false): Work {
  return { ...work, attempt: work.attempt + Number(provedDead), leaseUntil: now };
}

/** 409 running if another call holds the payment (D19). */
export function notHeld(ports: Ports, { work }: Payment): Result<void, Running> {
  return work !== undefined && isHeld(ports, work) ? err(running()) : ok();
}

/** The longest lease on any node. A later end comes from a wrong clock. */
const longestLeaseMs = hourMs;

function isHeld(ports: Ports, { leaseUntil }: Work): boolean {
  const now = ports.clock.now();
  return leaseUntil > now && leaseUntil <= now + longestLeaseMs;
}

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

/** Whether the lease is too short for one more processor call and must be renewed. */
export function isRunningOut(ports: Ports, { leaseUntil }: Work): boolean {
  return leaseUntil - ports.clock.now() < leaseMs(ports) - commitsMs / 2;
}

/** The same work, taken over from a holder that died or gave up; otherwise 409 running (D19). */
export function takeOverFrom(ports: Ports, work: Work): Result<Work, Running> {
  return isHeld(ports, work)
    ? err(running())
    : ok({ ...work, fence: work.fence + 1, leaseUntil: leaseEnd(ports) });
}

const firstWaitMs = 5 * secondMs;
const longestWaitMs = 60 * minuteMs;

/** The wait before `reconcile`'s next check: doubled after each failed check, up to an hour. */
export function backoffMs(checks: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(checks, 20));
}
