import type { KeyRecord } from '../../domain/key-record.ts';
import { columnsOf, type Encoders, type RowOf, toNumber } from './columns.ts';

const keyEncoders = {
  subject: ({ subject }) => subject,
  key: ({ key }) => key,
  operation: ({ operation }) => operation,
  fingerprint: ({ fingerprint }) => fingerprint,
  resource_id: ({ resourceId }) => resourceId,
  problem: ({ problem }) => problem && JSON.stringify(problem),
  forget_at: ({ forgetAt }) => forgetAt,
} satisfies Encoders<KeyRecord>;
export type KeyRow = RowOf<typeof keyEncoders>;
export const keyColumns = columnsOf<KeyRecord>(keyEncoders);

export function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    subject: row.subject,
    key: row.key,
    operation: row.operation,
    fingerprint: row.fingerprint,
    ...(row.resource_id !== null && { resourceId: row.resource_id }),
    ...(row.problem !== null && { problem: JSON.parse(row.problem) }),
    ...(row.forget_at !== null && { forgetAt: toNumber(row.forget_at) }),
  };
}
