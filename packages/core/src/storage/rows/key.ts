import type { KeyRecord } from '../../domain/key-record.ts';
import { type Integer, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface KeyRow {
  readonly subject: string;
  readonly key: string;
  readonly operation: KeyRecord['operation'];
  readonly fingerprint: string;
  readonly resource_id: string | null;
  readonly problem: string | null;
  readonly forget_at: Integer | null;
}

export const keyColumns = columnsOf<KeyRow, KeyRecord>({
  subject: ({ subject }) => subject,
  key: ({ key }) => key,
  operation: ({ operation }) => operation,
  fingerprint: ({ fingerprint }) => fingerprint,
  resource_id: ({ resourceId }) => resourceId,
  problem: ({ problem }) => problem && JSON.stringify(problem),
  forget_at: ({ forgetAt }) => forgetAt,
});

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
