import {
  columnsOf,
  type Encoders,
  fromDocument,
  type RowOf,
  toDocument,
} from '../storage/columns.ts';
import type { ShareEntry } from './share.ts';

/** The columns that a store reads by. The document holds the whole record. */
const shareEncoders = {
  id: (s) => s.id,
  version: (s) => s.version,
  appointment_id: (s) => s.appointmentId,
  business_id: (s) => s.businessId,
  payment_id: (s) => s.paymentId,
  at: (s) => s.at,
  document: (s) => toDocument(s),
} satisfies Encoders<ShareEntry>;
export type ShareRow = RowOf<typeof shareEncoders>;
export const shareColumns = columnsOf<ShareEntry>(shareEncoders);

export function toShareEntry({ document }: ShareRow): ShareEntry {
  return fromDocument(document);
}
