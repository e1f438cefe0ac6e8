import type { MoneyBack } from '../../domain/money-back.ts';
import type { Integer, Minor } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface MoneyBackRow {
  readonly account: string;
  readonly kind: MoneyBack['kind'];
  readonly id: string;
  readonly payment_id: string;
  readonly amount_minor: Minor;
  readonly at: Integer;
}

export const moneyBackColumns = columnsOf<MoneyBackRow, MoneyBack>({
  account: ({ account }) => account,
  kind: ({ kind }) => kind,
  id: ({ id }) => id,
  payment_id: ({ paymentId }) => paymentId,
  amount_minor: ({ amountMinor }) => amountMinor,
  at: ({ at }) => at,
});
