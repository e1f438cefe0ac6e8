import type {
  AppointmentRow,
  BarberRow,
  BusinessRow,
  DisputeRow,
  EventRow,
  FinancialAccountRow,
  KeyRow,
  LedgerRow,
  PaymentRow,
  PayoutPreferencesRow,
  RefundRow,
  ReviewRow,
  ScheduleRow,
  SetupRow,
  SweepRow,
  TerminalRow,
} from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';
import type { Cell } from './integer.ts';
import { sql } from './sql.ts';

interface EventParams {
  readonly subject: string;
  readonly version: number;
}

export type Statements = ReturnType<typeof prepareStatements>;

/** Prepared once, because preparing on each call halves the speed. */
export function prepareStatements(db: Database) {
  // The host's class, which opens our connection (D90), may read integers as bigints.
  const prepare = <Params extends unknown[] | object, Row = unknown>(text: string) =>
    db.prepare<Params, Row>(text).safeIntegers(false);
  return {
    beginRead: prepare<[]>(sql.beginRead),
    beginWrite: prepare<[]>(sql.beginWrite),
    commit: prepare<[]>(sql.commit),
    rollback: prepare<[]>(sql.rollback),
    savepoint: prepare<[]>(sql.savepoint),
    release: prepare<[]>(sql.release),
    rollbackTo: prepare<[]>(sql.rollbackTo),

    insertCommit: prepare<[id: string, at: number]>(sql.insertCommit),
    getCommit: prepare<[id: string]>(sql.getCommit),
    listOldestCommits: prepare<[limit: number], { readonly rowid: number; readonly at: number }>(
      sql.listOldestCommits,
    ),
    forgetCommits: prepare<[lastRowid: number, before: number]>(sql.forgetCommits),

    insertKey: prepare<Cell[]>(sql.insertKey),
    finishKey: prepare<[problem: string, subject: string, key: string]>(sql.finishKey),
    getKey: prepare<[subject: string, key: string], KeyRow>(sql.getKey),
    deleteKeys: prepare<[resourceId: string]>(sql.deleteKeys),
    forgetKeys: prepare<[now: number, limit: number]>(sql.forgetKeys),

    insertPayment: prepare<Cell[]>(sql.insertPayment),
    updatePayment: prepare<Cell[]>(sql.updatePayment),
    deletePayment: prepare<[id: string, version: number]>(sql.deletePayment),
    getPayment: prepare<[id: string], PaymentRow>(sql.getPayment),
    listPaymentsByAppointment: prepare<
      [appointmentId: string, businessId: string | null, limit: number],
      PaymentRow
    >(sql.listPaymentsByAppointment),
    listPaymentsDue: prepare<[now: number, limit: number], PaymentRow>(sql.listPaymentsDue),

    moveLedger: prepare<(string | number | bigint)[]>(sql.moveLedger),
    getLedger: prepare<[appointmentId: string], LedgerRow>(sql.getLedger).safeIntegers(true),

    insertEvent: prepare<Cell[]>(sql.insertEvent),
    leaseEvent: prepare<EventParams & { readonly attempts: number; readonly deliverAt: number }>(
      sql.leaseEvent,
    ),
    postponeEvent: prepare<
      EventParams & { readonly attempts: number | null; readonly deliverAt: number | null }
    >(sql.postponeEvent),
    reviveEvent: prepare<EventParams & { readonly deliverAt: number }>(sql.reviveEvent),
    deleteEvent: prepare<EventParams & { readonly attempts: number | null }>(sql.deleteEvent),
    wakeNextEvent: prepare<{ readonly subject: string; readonly deliverAt: number | null }>(
      sql.wakeNextEvent,
    ),
    forgetEvents: prepare<[before: number, limit: number], { readonly subject: string }>(
      sql.forgetEvents,
    ),
    listEventsDue: prepare<[now: number, limit: number], EventRow>(sql.listEventsDue),
    listEventsDead: prepare<[subject: string, version: number, limit: number], EventRow>(
      sql.listEventsDead,
    ),

    insertProcessorEvent: prepare<[id: string, at: number]>(sql.insertProcessorEvent),
    getProcessorEvent: prepare<[id: string]>(sql.getProcessorEvent),
    forgetProcessorEvents: prepare<[before: number, limit: number]>(sql.forgetProcessorEvents),

    insertMoneyBack: prepare<Cell[]>(sql.insertMoneyBack),
    getMoneyBack: prepare<[account: string, kind: string, id: string]>(sql.getMoneyBack),

    insertRefund: prepare<Cell[]>(sql.insertRefund),
    updateRefund: prepare<Cell[]>(sql.updateRefund),
    deleteRefund: prepare<[id: string, version: number]>(sql.deleteRefund),
    getRefund: prepare<[id: string], RefundRow>(sql.getRefund),
    listRefundsByPayment: prepare<[paymentId: string, limit: number], RefundRow>(
      sql.listRefundsByPayment,
    ),
    listRefundsDue: prepare<[now: number, limit: number], RefundRow>(sql.listRefundsDue),
    insertDispute: prepare<Cell[]>(sql.insertDispute),
    updateDispute: prepare<Cell[]>(sql.updateDispute),
    getDispute: prepare<[id: string], DisputeRow>(sql.getDispute),
    listDisputesByPayment: prepare<[paymentId: string, limit: number], DisputeRow>(
      sql.listDisputesByPayment,
    ),
    listDisputes: prepare<[state: string, after: string, limit: number], DisputeRow>(
      sql.listDisputes,
    ),

    insertReview: prepare<Cell[]>(sql.insertReview),
    resolveReview: prepare<[resolvedAt: number, note: string, id: string]>(sql.resolveReview),
    resolvePaymentReviews: prepare<
      [resolvedAt: number, note: string, paymentId: string, reason: string]
    >(sql.resolvePaymentReviews),
    getReview: prepare<[id: string], ReviewRow>(sql.getReview),
    listReviewsOpen: prepare<[after: string, limit: number], ReviewRow>(sql.listReviewsOpen),
    listReviewsResolved: prepare<[after: string, limit: number], ReviewRow>(
      sql.listReviewsResolved,
    ),

    insertSetup: prepare<Cell[]>(sql.insertSetup),
    updateSetup: prepare<Cell[]>(sql.updateSetup),
    deleteSetup: prepare<[id: string, version: number]>(sql.deleteSetup),
    getSetup: prepare<[id: string], SetupRow>(sql.getSetup),
    listSetupsDue: prepare<[now: number, limit: number], SetupRow>(sql.listSetupsDue),

    listSetupsByCustomer: prepare<[customerId: string, limit: number], SetupRow>(
      sql.listSetupsByCustomer,
    ),

    beginSweep: prepare<[account: string, sweptBefore: number, triedAt: number]>(sql.beginSweep),
    putSweep: prepare<Cell[]>(sql.putSweep),
    listSweeps: prepare<[sweptBefore: number, limit: number], SweepRow>(sql.listSweeps),

    insertTerminal: prepare<Cell[]>(sql.insertTerminal),
    deleteTerminal: prepare<[id: string]>(sql.deleteTerminal),
    getTerminal: prepare<[id: string], TerminalRow>(sql.getTerminal),
    getTerminalByDevice: prepare<[device: string], TerminalRow>(sql.getTerminalByDevice),
    listTerminalsByBarber: prepare<[barberId: string, limit: number], TerminalRow>(
      sql.listTerminalsByBarber,
    ),

    putAppointment: prepare<Cell[]>(sql.putAppointment),
    getAppointment: prepare<[id: string], AppointmentRow>(sql.getAppointment),
    putBarber: prepare<Cell[]>(sql.putBarber),
    getBarber: prepare<[id: string], BarberRow>(sql.getBarber),
    putBusiness: prepare<Cell[]>(sql.putBusiness),
    getBusiness: prepare<[id: string], BusinessRow>(sql.getBusiness),
    clearDefaultAccount: prepare<[businessId: string]>(sql.clearDefaultAccount),
    putFinancialAccount: prepare<Cell[]>(sql.putFinancialAccount),
    deleteFinancialAccount: prepare<[id: string, businessId: string]>(sql.deleteFinancialAccount),
    getFinancialAccount: prepare<[id: string], FinancialAccountRow>(sql.getFinancialAccount),
    putSchedule: prepare<Cell[]>(sql.putSchedule),
    deleteSchedule: prepare<[id: string, barberId: string]>(sql.deleteSchedule),
    getSchedule: prepare<[id: string], ScheduleRow>(sql.getSchedule),
    putPayoutPreferences: prepare<Cell[]>(sql.putPayoutPreferences),
    getPayoutPreferences: prepare<[businessId: string], PayoutPreferencesRow>(
      sql.getPayoutPreferences,
    ),
  };
}
