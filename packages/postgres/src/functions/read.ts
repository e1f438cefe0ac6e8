import { longestWaitMs } from '@chairside/core/storage';
import { shown, type Table } from '../columns.ts';
import { indexLoops, onPrimary, serverTime, settings } from './settings.ts';

const text = (index: number) => `ask->>${index}`;
const number = (index: number) => `(ask->>${index})::BIGINT`;

/** The owner's records of a span, in order of time. */
const ofSpan = (table: Table, owner: string, time: string) => `SELECT ${shown(table)} FROM @${table}
        WHERE ${owner} = ${text(1)} AND ${time} >= ${number(2)} AND ${time} < ${number(3)}
        ORDER BY ${time} LIMIT ${number(4)}`;

/** All records in order of their ids. */
const ofAll = (table: Table) => `SELECT ${shown(table)} FROM @${table}
        WHERE id > ${text(1)} ORDER BY id LIMIT ${number(2)}`;

/** The records to check: the longest due first, and then those whose time a wrong clock has written. */
const toCheck = (table: Table) => {
  const among = (condition: string) => `(SELECT ${shown(table)} FROM @${table}
          WHERE next_check_at ${condition} ORDER BY next_check_at LIMIT ${number(2)})`;
  return `SELECT * FROM (${among(`<= ${number(1)}`)}
        UNION ALL ${among(`> ${number(1)} + ${longestWaitMs}`)}) AS due
        LIMIT ${number(2)}`;
};

/** Every read, with its name. Its parameters are in the array `ask`, behind its place. */
const reads = {
  getKey: `SELECT ${shown('keys')} FROM @keys
        WHERE subject = ${text(1)} AND key = ${text(2)}`,
  getPayment: `SELECT ${shown('payments')} FROM @payments WHERE id = ${text(1)}`,
  getAppointment: `SELECT ${shown('appointments')} FROM @appointments WHERE id = ${text(1)}`,
  getAppointmentByPayment: `SELECT ${shown('appointments')} FROM @appointments
        WHERE id = (SELECT appointment_id FROM @payments WHERE id = ${text(1)})`,
  getLedger: `SELECT ${shown('ledgers')}, charge_id FROM @ledgers WHERE appointment_id = ${text(1)}`,
  getBusiness: `SELECT ${shown('businesses')} FROM @businesses WHERE id = ${text(1)}`,
  getBusinessByAppointment: `SELECT ${shown('businesses')} FROM @businesses
        WHERE id = (SELECT business_id FROM @appointments WHERE id = ${text(1)})`,
  listPaymentsByAppointment: `SELECT ${shown('payments')} FROM @payments
        WHERE appointment_id = ${text(1)} AND business_id = coalesce(${text(3)}, business_id)
        ORDER BY created_at DESC, id DESC LIMIT ${number(2)}`,
  getBarber: `SELECT ${shown('barbers')} FROM @barbers WHERE id = ${text(1)}`,
  listPaymentsDue: toCheck('payments'),
  listPaymentsOpen: `SELECT ${shown('payments')} FROM @payments
        WHERE business_id = ${text(1)} AND next_check_at <= ${number(2)}
          AND state NOT IN ('captured', 'canceled')
        ORDER BY next_check_at LIMIT ${number(3)}`,
  listEventsDue: `SELECT ${shown('events')} FROM @events AS due
        WHERE deliver_at <= ${number(1)} AND NOT EXISTS (SELECT 1 FROM @events AS earlier
          WHERE earlier.subject = due.subject AND earlier.version < due.version)
        ORDER BY deliver_at LIMIT ${number(2)}`,
  listEventsDead: `SELECT ${shown('events')} FROM @events
        WHERE is_dead AND (subject, version) > (${text(1)}, ${number(2)})
        ORDER BY subject, version LIMIT ${number(3)}`,
  listEventsKept: `SELECT ${shown('kept_events')} FROM @kept_events
        WHERE (kept_at, subject, version) > (${number(1)}, ${text(2)}, ${number(3)})
        ORDER BY kept_at, subject, version LIMIT ${number(4)}`,
  listPayments: ofAll('payments'),
  listTendersAll: ofAll('tenders'),
  listTerminals: ofAll('terminals'),
  getProcessorEvent: `SELECT id FROM @processor_events WHERE id = ${text(1)}`,
  getReturned: `SELECT id FROM @returned
        WHERE account = ${text(1)} AND kind = ${text(2)} AND id = ${text(3)}`,
  getRefund: `SELECT ${shown('refunds')} FROM @refunds WHERE id = ${text(1)}`,
  listRefundsByPayment: `SELECT ${shown('refunds')} FROM @refunds
        WHERE payment_id = ${text(1)} ORDER BY id LIMIT ${number(2)}`,
  listRefundsDue: toCheck('refunds'),
  getDispute: `SELECT ${shown('disputes')} FROM @disputes WHERE id = ${text(1)}`,
  listDisputesByPayment: `SELECT ${shown('disputes')} FROM @disputes
        WHERE payment_id = ${text(1)} ORDER BY id LIMIT ${number(2)}`,
  listDisputes: `SELECT ${shown('disputes')} FROM @disputes
        WHERE state = ${text(1)} AND id > ${text(2)} ORDER BY id LIMIT ${number(3)}`,
  getReview: `SELECT ${shown('reviews')} FROM @reviews WHERE id = ${text(1)}`,
  listReviewsOpen: `SELECT ${shown('reviews')} FROM @reviews
        WHERE resolved_at IS NULL AND id > ${text(1)} ORDER BY id LIMIT ${number(2)}`,
  listReviewsResolved: `SELECT ${shown('reviews')} FROM @reviews
        WHERE resolved_at IS NOT NULL AND id > ${text(1)} ORDER BY id LIMIT ${number(2)}`,
  listReviewsOf: `SELECT ${shown('reviews')} FROM @reviews
        WHERE account = ${text(1)} AND reason = ${text(2)} AND resolved_at IS NULL
        ORDER BY id LIMIT ${number(3)}`,
  getSetup: `SELECT ${shown('setups')} FROM @setups WHERE id = ${text(1)}`,
  listSetupsDue: toCheck('setups'),
  listSetupsByCustomer: `SELECT ${shown('setups')} FROM @setups
        WHERE customer_id = ${text(1)} ORDER BY created_at DESC LIMIT ${number(2)}`,
  listSweeps: `SELECT ${shown('sweeps')} FROM @sweeps
        WHERE swept_before <= ${number(1)} ORDER BY tried_at LIMIT ${number(2)}`,
  getActor: `SELECT ${shown('actors')} FROM @actors WHERE number = ${number(1)}`,
  getActorBySubject: `SELECT ${shown('actors')} FROM @actors WHERE subject = ${text(1)}`,
  getTerminal: `SELECT ${shown('terminals')} FROM @terminals WHERE id = ${text(1)}`,
  getTerminalByDevice: `SELECT ${shown('terminals')} FROM @terminals
        WHERE device_identifier = ${text(1)}`,
  listTerminalsByBarber: `SELECT ${shown('terminals')} FROM @terminals
        WHERE barber_id = ${text(1)} ORDER BY created_at DESC, id DESC LIMIT ${number(2)}`,
  getFinancialAccount: `SELECT ${shown('financial_accounts')} FROM @financial_accounts
        WHERE id = ${text(1)}`,
  getSchedule: `SELECT ${shown('schedules')} FROM @schedules WHERE id = ${text(1)}`,
  getPayoutPreferences: `SELECT ${shown('payout_preferences')} FROM @payout_preferences
        WHERE business_id = ${text(1)}`,
  listPaymentsCaptured: ofSpan('payments', 'business_id', 'captured_at'),
  getTender: `SELECT ${shown('tenders')} FROM @tenders WHERE id = ${text(1)}`,
  listTendersByAppointment: `SELECT ${shown('tenders')} FROM @tenders
        WHERE appointment_id = ${text(1)} ORDER BY at DESC, id DESC LIMIT ${number(2)}`,
  listTendersByPayment: `SELECT ${shown('tenders')} FROM @tenders
        WHERE payment_id = ${text(1)} ORDER BY at LIMIT ${number(2)}`,
  listTenders: ofSpan('tenders', 'business_id', 'at'),
  getShare: `SELECT ${shown('shares')} FROM @shares WHERE id = ${text(1)}`,
  listSharesByAppointment: `SELECT ${shown('shares')} FROM @shares
        WHERE appointment_id = ${text(1)} ORDER BY at DESC, id DESC LIMIT ${number(2)}`,
  listSharesByPayment: `SELECT ${shown('shares')} FROM @shares
        WHERE payment_id = ${text(1)} ORDER BY at LIMIT ${number(2)}`,
  listShares: ofSpan('shares', 'business_id', 'at'),
  listMovements: ofSpan('movements', 'business_id', 'at'),
  listMovementsByPayment: `SELECT ${shown('movements')} FROM @movements
        WHERE payment_id = ${text(1)} ORDER BY at LIMIT ${number(2)}`,
  listSettlements: ofSpan('settlements', 'business_id', 'at'),
  listSettlementsUnknown: ofSpan('settlements', 'business_id IS NULL AND account', 'at'),
  listSettlementsByPayment: `SELECT ${shown('settlements')} FROM @settlements
        WHERE payment_id = ${text(1)} ORDER BY at LIMIT ${number(2)}`,
  sumOfPayout: `SELECT kind, sum(amount_minor)::TEXT AS amount_minor,
          sum(processor_fee_minor)::TEXT AS processor_fee_minor,
          sum(application_fee_minor)::TEXT AS application_fee_minor
        FROM @settlements AS entry
        WHERE payout_id = ${text(1)} AND coalesce(business_id,
          (SELECT business_id FROM @payments WHERE id = entry.payment_id), ${text(2)}) = ${text(2)}
        GROUP BY kind`,
  getPayout: `SELECT ${shown('payouts')} FROM @payouts WHERE id = ${text(1)}`,
  listPayouts: ofSpan('payouts', 'account', 'arrives_at'),
  getSweep: `SELECT ${shown('sweeps')} FROM @sweeps WHERE account = ${text(1)}`,
  getFact: `SELECT ${shown('facts')} FROM @facts WHERE name = ${text(1)}`,
  getTime: `SELECT ${serverTime} AS now`,
} as const;

export type ReadName = keyof typeof reads;

/** Without `OFFSET`, a plan for an empty table would read the table first, and then each read. */
const cases = Object.entries(reads).map(
  ([name, select]) => `    WHEN '${name}' THEN
      SELECT json_agg(json_build_array(ask->0, row_to_json(one))) INTO answer
      FROM jsonb_array_elements(asked->'${name}') AS each (ask) CROSS JOIN LATERAL (
        ${select} OFFSET 0) AS one;`,
);

/**
 * Runs reads on one snapshot, all reads of one kind by one statement. `asked` has the parameters of
 * each read by kind, behind its place. Returns the number of reads, and a list for each kind: the rows
 * with their places, or null without rows.
 */
export const readFunction = `
CREATE OR REPLACE FUNCTION @read_v1(kinds TEXT[], asked JSONB, lock_ms INT) RETURNS JSON
LANGUAGE plpgsql STABLE ${settings} ${indexLoops} AS $function$
#variable_conflict use_column
DECLARE
  kind TEXT;
  answer JSON;
  answers JSON[] := '{}';
  done INT := 0;
  setting TEXT;
BEGIN
  ${onPrimary}
  -- The answer is sent in it. An assignment costs a tenth of PERFORM.
  setting := set_config('client_encoding', 'UTF8', TRUE);
  setting := set_config('lock_timeout', lock_ms::TEXT, TRUE);
  FOREACH kind IN ARRAY kinds LOOP
    CASE kind
${cases.join('\n')}
    END CASE;
    answers := array_append(answers, answer);
    done := done + jsonb_array_length(asked->kind);
  END LOOP;
  RETURN json_build_array(done, array_to_json(answers));
END
$function$;
`;
