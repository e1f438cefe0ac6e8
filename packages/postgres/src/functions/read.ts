import { errAsync } from '@chairside/core';
import { commonReads } from '@chairside/core/storage';
import { shown } from '../columns.ts';
import { notApplied } from '../committer.ts';
import { createFinders, text } from '../finders.ts';
import { indexLoops, onPrimary, serverTime, settings } from './settings.ts';

const common: Record<string, string> = {};
commonReads(
  createFinders(
    () => errAsync(notApplied),
    () => {},
    (name, select) => {
      common[name] = select;
    },
  ),
);

/** Every read, with its name. */
const reads = {
  getLedger: `SELECT ${shown('ledgers')}, charge_id FROM @ledgers WHERE appointment_id = ${text(1)}`,
  ...common,
  sumOfPayout: `SELECT kind, sum(amount_minor)::TEXT AS amount_minor,
          sum(processor_fee_minor)::TEXT AS processor_fee_minor,
          sum(application_fee_minor)::TEXT AS application_fee_minor
        FROM @settlements AS entry
        WHERE payout_id = ${text(1)} AND coalesce(business_id,
          (SELECT business_id FROM @payments WHERE id = entry.payment_id), ${text(2)}) = ${text(2)}
        GROUP BY kind`,
  getTime: `SELECT ${serverTime} AS now`,
};

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
