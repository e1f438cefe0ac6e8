import type { Work } from '../../domain/payment.ts';
import { type Integer, toNumber } from './cell.ts';
import type { Encoders } from './columns.ts';

/** The columns of unfinished work, the same in each table that has them. */
export interface WorkRow {
  readonly work_kind: Work['kind'] | null;
  readonly work_cause: NonNullable<Work['cause']> | null;
  readonly work_fence: Integer | null;
  readonly work_attempt: Integer | null;
  readonly work_lease_until: Integer | null;
}

export const workEncoders: Encoders<WorkRow, { readonly work?: Work | undefined }> = {
  work_kind: ({ work }) => work?.kind,
  work_cause: ({ work }) => work?.cause,
  work_fence: ({ work }) => work?.fence,
  work_attempt: ({ work }) => work?.attempt,
  work_lease_until: ({ work }) => work?.leaseUntil,
};

/** Throws for a corrupt row. */
export function toWork(row: WorkRow): Work | undefined {
  const { work_kind, work_cause, work_fence, work_attempt, work_lease_until } = row;
  if (work_kind === null) return undefined;
  if (work_fence === null || work_attempt === null || work_lease_until === null) {
    throw new TypeError('Corrupt row: some work columns are missing');
  }
  return {
    kind: work_kind,
    ...(work_cause !== null && { cause: work_cause }),
    fence: toNumber(work_fence),
    attempt: toNumber(work_attempt),
    leaseUntil: toNumber(work_lease_until),
  };
}
