import {
  appointmentColumns,
  barberColumns,
  businessColumns,
  financialAccountColumns,
  payoutPreferencesColumns,
  scheduleColumns,
} from './host.ts';
import { keyColumns } from './key.ts';
import { paymentColumns } from './payment.ts';
import { disputeColumns, refundColumns, returnedColumns } from './refund.ts';
import { reviewColumns } from './review.ts';
import { movementColumns, payoutColumns, settlementColumns } from './settlement.ts';
import { setupColumns } from './setup.ts';
import { sweepColumns } from './sweep.ts';
import { terminalColumns } from './terminal.ts';

/** The tables that a store fills from records, by the names that both stores use. */
export const tables = {
  keys: keyColumns,
  payments: paymentColumns,
  setups: setupColumns,
  returned: returnedColumns,
  refunds: refundColumns,
  disputes: disputeColumns,
  movements: movementColumns,
  settlements: settlementColumns,
  payouts: payoutColumns,
  reviews: reviewColumns,
  sweeps: sweepColumns,
  terminals: terminalColumns,
  appointments: appointmentColumns,
  barbers: barberColumns,
  businesses: businessColumns,
  financial_accounts: financialAccountColumns,
  schedules: scheduleColumns,
  payout_preferences: payoutPreferencesColumns,
} as const;
