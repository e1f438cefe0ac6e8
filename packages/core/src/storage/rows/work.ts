import type { Work } from '../../domain/payment.ts';
import { type Encoders, type RowOf, toNumber } from './columns.ts';

/** The columns of unfinished work, the same in each table that has them. */
export const workEncoders = {
  work_kind: ({ work }) => work?.kind,
  work_cause: ({ work }) => work?.cause,
  work_fence: ({ work }) => work?.fence,
  work_attempt: ({ work }) => work?.attempt,
  work_lease_until: ({ work }) => work?.leaseUntil,
} as const satisfies Encoders<{ readonly work?: Work | undefined }>;

/** Throws for a corrupt row. */
export function toWork(row: RowOf<typeof workEncoders>): Work | undefined {
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
