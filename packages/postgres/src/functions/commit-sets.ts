import type { SetKind } from '../encode.ts';
import { appendEvent, insert, ledger, sweptAccount, sweptFrom, update } from './commit.ts';
import { indexLoops } from './settings.ts';

/** The group's changes of one kind, as rows. */
const asked = (kind: string) => `jsonb_array_elements(sets->'${kind}') AS asked (change)`;

/**
 * The same in order of these cells, so that no two groups lock rows in opposite order. Comparing
 * bytes is fast, and the same in every database.
 */
function inOrder(kind: string, ...cells: readonly number[]): string {
  const order = cells.map((cell) => `(change->>${cell}) COLLATE "C"`);
  return `FROM (SELECT change FROM ${asked(kind)} ORDER BY ${order.join(', ')}) AS asked`;
}

/**
 * Finds rows by the primary key in every plan. Without this, a plan that was made for an empty table
 * would read the whole table for each group until PostgreSQL analyzes it again.
 */
const isAsked = (column: string, kind: string) =>
  `${column} = ANY (ARRAY(SELECT change->>0 FROM ${asked(kind)}))`;

/** The statements of each kind, which together write as many rows as the group has changes. */
const statements: Readonly<Record<SetKind | 'commits', readonly string[]>> = {
  commits: [
    `INSERT INTO @commits (id, at)
        SELECT change->>0, (change->>1)::BIGINT ${inOrder('commits', 0)}
        ON CONFLICT DO NOTHING`,
  ],
  insertKey: [insert('keys', inOrder('insertKey', 0, 1))],
  insertPayment: [
    `INSERT INTO @sweeps (account, swept_before, tried_at)
        SELECT account, at, at FROM (
          SELECT ${sweptAccount} AS account, min(${sweptFrom}) AS at
          FROM ${asked('insertPayment')} GROUP BY 1) AS begun
        WHERE (SELECT 1 FROM @sweeps AS known WHERE known.account = begun.account) IS NULL
        ORDER BY account COLLATE "C"
        ON CONFLICT DO NOTHING;
        ${insert('payments', inOrder('insertPayment', 0))}`,
  ],
  updatePayment: [
    `${update('payments', inOrder('updatePayment', 0))}
          AND ${isAsked('stored.id', 'updatePayment')}`,
  ],
  moveLedger: [
    `UPDATE @ledgers AS ledger SET ${ledger.moved} ${inOrder('moveLedger', 0)}
        WHERE ledger.appointment_id = change->>0 AND ${ledger.mayMove}
          AND ${isAsked('ledger.appointment_id', 'moveLedger')}`,
    insert(
      'ledgers',
      `${inOrder('moveLedger', 0)} WHERE ${ledger.mayBegin} AND ${ledger.row} IS NULL`,
    ),
  ],
  appendEvent: [appendEvent(inOrder('appendEvent', 0))],
};

const steps = Object.entries(statements).map(
  ([kind, texts]) => `
    missing := jsonb_array_length(sets->'${kind}');${texts
      .map(
        (text) => `
    IF missing > 0 THEN
        ${text};
        GET DIAGNOSTICS written = ROW_COUNT;
        missing := missing - written;
    END IF;`,
      )
      .join('')}
    IF missing <> 0 THEN
      RAISE EXCEPTION 'Condition' USING ERRCODE = 'CS001';
    END IF;`,
);

/**
 * Writes a group whose commits change different rows, with one statement for each kind of change.
 * Returns false if a condition or a statement failed; then it has written no row. The
 * function that writes commit by commit calls this function, which runs with its caller's settings.
 */
export const commitSetsFunction = `
CREATE OR REPLACE FUNCTION @commit_sets_v1(sets JSONB) RETURNS BOOLEAN
LANGUAGE plpgsql ${indexLoops} AS $function$
#variable_conflict use_column
DECLARE
  missing INT;
  written INT;
BEGIN
  BEGIN${steps.join('')}
  EXCEPTION WHEN OTHERS THEN
    RETURN FALSE;
  END;
  RETURN TRUE;
END
$function$;
`;
