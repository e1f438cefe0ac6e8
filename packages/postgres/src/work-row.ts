import type { Work } from '@chairside/core';
import { toNumber } from './cell.ts';

/** The columns of a piece of work, alike in each table that has one. */
export interface WorkRow {
  readonly work_kind: Work['kind'] | null;
  readonly work_cause: NonNullable<Work['cause']> | null;
  readonly work_fence: number | null;
  readonly work_attempt: number | null;
  readonly work_lease_until: number | null;
}

/** Throws where the row is corrupt. */
export function toWork(row: WorkRow): Work | undefined {
  const { work_kind, work_cause, work_fence, work_attempt, work_lease_until } = row;
  if (work_kind === null) return undefined;
  if (work_fence === null || work_attempt === null || work_lease_until === null) {
    throw new TypeError('A record has half a piece of work');
  }
  return {
    kind: work_kind,
    ...(work_cause !== null && { cause: work_cause }),
    fence: toNumber(work_fence),
    attempt: toNumber(work_attempt),
    leaseUntil: toNumber(work_lease_until),
  };
}
