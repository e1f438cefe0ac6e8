import type { ChangeKind } from '@chairside/core/ports';
import { cellsOf, columnsOf, type Table, updatedColumns } from '../columns.ts';
import { mayWrite, serverTime, settings } from './settings.ts';

/** @param from the source of the changes, if they do not come from the variable `change` */
export function insert(table: Table, from = ''): string {
  const names = columnsOf(table);
  return `INSERT INTO @${table} (${names.join(', ')})
          SELECT ${cellsOf(names).join(', ')} ${from}
          ON CONFLICT DO NOTHING`;
}

/** Inserts a record, or replaces everything behind the first column, which is the key. */
function put(table: Table): string {
  const [key, ...others] = columnsOf(table);
  const updates = others.map((name) => `${name} = excluded.${name}`);
  return insert(table).replace('DO NOTHING', `(${key}) DO UPDATE SET ${updates.join(', ')}`);
}

/** Updates the record with this id, if it has the expected version. */
export function update(table: Table, from = ''): string {
  const names = updatedColumns(table);
  const [id, ...values] = cellsOf(names);
  const updates = values.map((value, index) => `${names[index + 1]} = ${value}`);
  return `UPDATE @${table} AS stored SET ${updates.join(', ')} ${from}
          WHERE stored.id = ${id} AND stored.version = (change->>${names.length})::BIGINT`;
}

/** Begins the sweep of a payment's ledger. Two cells follow those of its columns. */
const paymentColumns = columnsOf('payments');
export const sweptAccount = `coalesce(change->>${paymentColumns.length}, change->>${paymentColumns.indexOf('account')})`;
export const sweptFrom = `coalesce(change->>${paymentColumns.length + 1}, change->>${paymentColumns.indexOf('created_at')})::BIGINT`;

/** The default bound: far from the end of a BIGINT, so that sums cannot overflow. */
const bound = (index: number) => `coalesce((change->>${index})::BIGINT, ${2n ** 62n})`;
/** The least that must have been paid. */
const least = `coalesce((change->>10)::BIGINT, ${-(2n ** 62n)})`;
const [appointmentId, openPayments, reserved, captured, tendered, tips, currency] = cellsOf(
  columnsOf('ledgers'),
);
const sum = 'ledger.reserved_minor + ledger.captured_minor + ledger.tendered_minor';
const moved = `${reserved} + ${captured} + ${tendered}`;
/** The condition stands twice: for an appointment's first move, and for all later ones. */
export const ledger = {
  mayBegin: `${openPayments} <= ${bound(7)} AND ${moved} <= ${bound(8)}
            AND ${tips} <= ${bound(9)} AND ${captured} + ${tendered} >= ${least}`,
  row: `(SELECT 1 FROM @ledgers WHERE appointment_id = ${appointmentId})`,
  moved: `open_payments = ledger.open_payments + ${openPayments},
            reserved_minor = ledger.reserved_minor + ${reserved},
            captured_minor = ledger.captured_minor + ${captured},
            tendered_minor = ledger.tendered_minor + ${tendered},
            tips_minor = ledger.tips_minor + ${tips},
            currency = CASE WHEN ${sum} <> 0
                AND ledger.currency IS NOT NULL THEN ledger.currency ELSE ${currency} END`,
  mayMove: `ledger.open_payments + ${openPayments} <= ${bound(7)}
            AND ${sum} + ${moved} <= ${bound(8)}
            AND ledger.tips_minor + ${tips} <= ${bound(9)}
            AND ledger.captured_minor + ledger.tendered_minor + ${captured} + ${tendered} >= ${least}
            AND (change->>8 IS NULL
              OR ${sum} = 0
              OR coalesce(ledger.currency, ${currency}) = ${currency})`,
};

/**
 * An event is due at once, unless an earlier event of its subject is still to be delivered. The earlier
 * event is locked: else it could be delivered at this moment, and the later event would wait for ever.
 */
export const appendEvent = (from: string) => {
  const [subject, version, type, occurredAt, data] = cellsOf(columnsOf('events'));
  return `INSERT INTO @events
            (subject, version, type, occurred_at, data, attempts, deliver_at, is_dead)
          SELECT ${subject}, ${version}, ${type}, ${occurredAt}, ${data}, 0,
            CASE WHEN earlier.version IS NULL THEN ${occurredAt} END, FALSE
          ${from} LEFT JOIN LATERAL (SELECT version FROM @events
            WHERE subject = ${subject} AND version < ${version}
            ORDER BY version DESC LIMIT 1 FOR SHARE) AS earlier ON TRUE
          ON CONFLICT DO NOTHING`;
};

const number = (member: string) => `(change->>'${member}')::BIGINT`;
const isEvent = `subject = change->>'subject' AND version = ${number('version')}`;
const isAttempt = `(NOT change ? 'attempts' OR attempts = ${number('attempts')})`;
const isFirst = `NOT EXISTS (SELECT 1 FROM @events AS earlier
            WHERE earlier.subject = change->>'subject' AND earlier.version < ${number('version')})`;

/** Separates our advisory locks from the host's. */
const lockSpace = 0x43_68_53_64;

/** The statement of each kind of change. Afterwards FOUND says whether its condition held. */
export const kinds: Readonly<Record<ChangeKind, string>> = {
  // Those of a create and a capture come first, because they are compared in order.
  updatePayment: update('payments'),
  appendEvent: appendEvent('FROM (SELECT 1) AS once'),
  moveLedger: insert('ledgers', `WHERE (${ledger.mayBegin}) OR EXISTS ${ledger.row}`)
    .replace('@ledgers', '@ledgers AS ledger')
    .replace(
      'DO NOTHING',
      `(appointment_id) DO UPDATE SET ${ledger.moved}
          WHERE ${ledger.mayMove}`,
    ),
  moveSlot: `UPDATE @ledgers
          SET charge_id = CASE WHEN change->>'move' <> 'free' THEN change->>'chargeId' END
          WHERE appointment_id = change->>'appointmentId' AND charge_id IS NOT DISTINCT FROM
            CASE WHEN change->>'move' = 'free' THEN change->>'chargeId' END;
          IF change->>'move' <> 'claim' THEN
            PERFORM 1;
          END IF`,
  insertKey: insert('keys'),
  insertPayment: `INSERT INTO @sweeps (account, swept_before, tried_at)
          SELECT ${sweptAccount}, at, at FROM (SELECT ${sweptFrom} AS at) AS begun
          ON CONFLICT DO NOTHING;
          ${insert('payments')}`,
  finishKey: `UPDATE @keys SET problem = change->>2
          WHERE subject = change->>0 AND key = change->>1 AND problem IS NULL`,
  deleteKeys: `DELETE FROM @keys WHERE resource_id = change->>'resourceId';
          PERFORM 1`,
  deletePayment: `DELETE FROM @payments
          WHERE id = change->>'id' AND version = ${number('expectedVersion')}`,
  leaseEvent: `UPDATE @events SET attempts = attempts + 1, deliver_at = ${number('deliverAt')}
          WHERE ${isEvent} AND attempts = ${number('attempts')} AND NOT is_dead
            AND ${isFirst}`,
  postponeEvent: `UPDATE @events
          SET deliver_at = ${number('deliverAt')}, is_dead = NOT change ? 'deliverAt'
          WHERE ${isEvent} AND ${isAttempt}`,
  reviveEvent: `UPDATE @events
          SET deliver_at = ${number('deliverAt')}, is_dead = FALSE, attempts = 0
          WHERE ${isEvent} AND is_dead`,
  removeEvent: `DELETE FROM @events WHERE ${isEvent} AND ${isAttempt}
            AND ${isFirst};
          IF FOUND THEN
            UPDATE @events SET deliver_at = ${number('deliverAt')}
            WHERE subject = change->>'subject' AND NOT is_dead AND deliver_at IS NULL
              AND version = (SELECT min(version) FROM @events WHERE subject = change->>'subject');
            PERFORM 1;
          END IF`,
  insertProcessorEvent: `INSERT INTO @processor_events (id, at)
          VALUES (change->>'id', ${number('at')}) ON CONFLICT DO NOTHING`,
  insertRefund: insert('refunds'),
  updateRefund: update('refunds'),
  deleteRefund: `DELETE FROM @refunds
          WHERE id = change->>'id' AND version = ${number('expectedVersion')}`,
  insertDispute: insert('disputes'),
  updateDispute: update('disputes'),
  insertTender: insert('tenders'),
  updateTender: update('tenders'),
  insertShare: insert('shares'),
  updateShare: update('shares'),
  insertMovement: insert('movements'),
  putSettlement: insert('settlements')
    .replace('@settlements', '@settlements AS stored')
    .replace(
      'DO NOTHING',
      `(id) DO UPDATE SET
            business_id = coalesce(excluded.business_id, stored.business_id),
            payout_id = coalesce(excluded.payout_id, stored.payout_id)`,
    ),
  putPayout: put('payouts')
    .replace('@payouts', '@payouts AS stored')
    .replace('excluded.replaced_by', 'coalesce(excluded.replaced_by, stored.replaced_by)'),
  insertReview: insert('reviews'),
  updateReview: update('reviews'),
  insertSetup: insert('setups'),
  updateSetup: update('setups'),
  deleteSetup: `DELETE FROM @setups
          WHERE id = change->>'id' AND version = ${number('expectedVersion')}`,
  putSweep: put('sweeps'),
  putFact: put('facts')
    .replace('@facts', '@facts AS stored')
    .replace(
      'ON CONFLICT',
      `WHERE (change->>1)::BIGINT = 1 OR EXISTS
            (SELECT 1 FROM @facts AS known WHERE known.name = change->>0)
          ON CONFLICT`,
    )
    .concat(' WHERE stored.version = excluded.version - 1'),
  insertActor: insert('actors'),
  renameActor: `UPDATE @actors SET subject = change->>'subject' WHERE number = ${number('number')}`,
  insertTerminal: insert('terminals'),
  deleteTerminal: `DELETE FROM @terminals WHERE id = change->>'id'`,
  forget: `DELETE FROM @keys WHERE (subject, key) IN
            (SELECT subject, key FROM @keys
             WHERE forget_at <= ${number('now')}
             ORDER BY forget_at LIMIT ${number('limit')});
          DELETE FROM @commits WHERE id IN
            (SELECT id FROM @commits WHERE at < ${number('commitsBefore')}
             ORDER BY at LIMIT ${number('limit')});
          DELETE FROM @processor_events WHERE id IN
            (SELECT id FROM @processor_events WHERE at < ${number('processorEventsBefore')}
             ORDER BY at LIMIT ${number('limit')});
          -- An event that is still due at the time of its writer, whose clock may be far behind, counts
          -- from now on. Three steps: the second must see what was appended before the first got its
          -- locks. The first repeats its condition: after waiting for a lock, PostgreSQL checks only the
          -- row's own condition again.
          UPDATE @events
          SET attempts = CASE WHEN deliver_at = occurred_at THEN 0 ELSE -1 END,
            deliver_at = CASE WHEN deliver_at = occurred_at THEN ${number('now')} ELSE deliver_at END
          WHERE attempts = 0 AND deliver_at < ${number('eventsBefore')} AND (subject, version) IN
            (SELECT subject, version FROM @events
             WHERE attempts = 0 AND deliver_at < ${number('eventsBefore')}
             LIMIT ${number('limit')});
          UPDATE @events AS next SET deliver_at = greatest(next.occurred_at, gone.deliver_at)
          FROM (SELECT subject, max(deliver_at) AS deliver_at FROM @events
            WHERE attempts < 0 GROUP BY subject) AS gone
          WHERE next.subject = gone.subject
            AND next.version = (SELECT min(kept.version) FROM @events AS kept
              WHERE kept.subject = gone.subject AND kept.attempts >= 0)
            AND NOT next.is_dead AND next.deliver_at IS NULL;
          DELETE FROM @events WHERE attempts < 0;
          PERFORM 1`,
  deleteFinancialAccount: `DELETE FROM @financial_accounts
          WHERE id = change->>'id' AND business_id = change->>'businessId' AND NOT is_default`,
  deleteSchedule: `DELETE FROM @schedules
          WHERE id = change->>'id' AND barber_id = change->>'barberId'`,
  putAppointment: put('appointments'),
  putBarber: put('barbers'),
  putBusiness: put('businesses'),
  putFinancialAccount: `
          IF (change->>5)::BOOLEAN THEN
            UPDATE @financial_accounts SET is_default = FALSE
            WHERE business_id = change->>1 AND is_default AND id <> change->>0;
          END IF;
          ${put('financial_accounts')}`,
  putSchedule: put('schedules'),
  putPayoutPreferences: put('payout_preferences'),
};

const cases = Object.entries(kinds).map(
  ([kind, text]) => `        WHEN '${kind}' THEN
          ${text.trim()};`,
);

/**
 * Writes a group of commits in the caller's transaction, each completely or not at all. It returns
 * the errors of the unwritten ones, by their place in the group; `{}` if all were written.
 *
 * All are tried in one sub-transaction. If one fails, those before it are written in a second
 * sub-transaction, and the rest is tried without it. A sub-transaction for each commit would cost
 * more than the changes themselves.
 */
export const commitFunction = `
CREATE OR REPLACE FUNCTION @commit_v1(sets JSONB, turns INT[], lock_ms INT, is_set_wise BOOLEAN)
RETURNS JSONB
LANGUAGE plpgsql ${settings} AS $function$
#variable_conflict use_variable
DECLARE
  commits CONSTANT JSONB := sets->'commits';
  size CONSTANT INT := jsonb_array_length(commits);
  failures JSONB := '{}';
  -- What is tried now, and which commit and change of it.
  beginning INT := 0;
  ending INT := size;
  place INT;
  changes JSONB;
  step INT;
  kind TEXT;
  change JSONB;
  known TEXT;
  setting TEXT;
BEGIN${mayWrite}
  -- A host or a pooler may have changed them. A host may ask for more than "on".
  IF current_setting('synchronous_commit') <> 'remote_apply' THEN
    setting := set_config('synchronous_commit', 'on', TRUE);
  END IF;
  -- An assignment costs a tenth of PERFORM.
  setting := set_config('client_min_messages', 'warning', TRUE);
  setting := set_config('lock_timeout', lock_ms::TEXT, TRUE);
  IF cardinality(turns) > 0 THEN BEGIN
    -- Those that move the same appointment take turns. Every node asks in the same order, so that
    -- no two groups wait for each other.
    PERFORM pg_advisory_xact_lock(${lockSpace}, turn) FROM unnest(turns) AS turn;
  EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    NULL; -- Each commit waits for its own rows then, or fails alone.
  END; END IF;
  IF is_set_wise THEN
    -- A lock that is not free soon fails its own commit below. Both waits stay within lock_ms.
    setting := set_config('lock_timeout', greatest(lock_ms / 4, 1)::TEXT, TRUE);
    IF @commit_sets_v1(sets) THEN
      RETURN failures;
    END IF;
    setting := set_config('lock_timeout', greatest(lock_ms - lock_ms / 4, 1)::TEXT, TRUE);
  END IF;
  WHILE beginning < size LOOP
    BEGIN
      place := beginning;
      WHILE place < ending LOOP
        step := 0;
        changes := commits->place->2;
        IF changes IS NULL THEN
          -- A question denies an id that is not there, so that a commit that arrives later is not
          -- applied. It waits for an open transaction that has written the id.
          INSERT INTO @commits (id, at, is_denied)
          SELECT commits->place->>0, greatest(max(at), ${serverTime}), TRUE FROM @commits
          ON CONFLICT DO NOTHING;
        ELSE
          INSERT INTO @commits (id, at)
          SELECT commits->place->>0, (commits->place->>1)::BIGINT
          ON CONFLICT DO NOTHING;
        END IF;
        IF changes IS NULL OR NOT FOUND THEN
          -- Found by a write and not by a read: what can be seen may not have reached the standby
          -- yet, and this waits for it as well.
          UPDATE @commits SET at = at WHERE id = commits->place->>0
          RETURNING CASE WHEN is_denied THEN 'denied' ELSE 'found' END INTO known;
          IF NOT FOUND THEN
            RAISE EXCEPTION 'Removed meanwhile' USING ERRCODE = 'serialization_failure';
          END IF;
          failures := failures || jsonb_build_object(place, jsonb_build_object('state', known));
          changes := '[]';
        END IF;
        WHILE step < jsonb_array_length(changes) LOOP
          kind := changes->step->>0;
          change := jsonb_extract_path(sets, kind, changes->step->>1);
          CASE kind
${cases.join('\n')}
          ELSE
            RAISE EXCEPTION 'Unknown change %', kind USING ERRCODE = 'CS002';
          END CASE;
          IF NOT FOUND THEN
            RAISE EXCEPTION 'Condition' USING ERRCODE = 'CS001';
          END IF;
          step := step + 1;
        END LOOP;
        place := place + 1;
      END LOOP;
      beginning := ending;
      ending := size;
    EXCEPTION WHEN OTHERS THEN
      IF place > beginning THEN
        ending := place;
      ELSE
        failures := failures || jsonb_build_object(place, jsonb_build_object(
          'state', SQLSTATE, 'message', SQLERRM, 'step', step));
        beginning := place + 1;
        ending := size;
      END IF;
    END;
  END LOOP;
  RETURN failures;
END
$function$;
`;
