import { mayWrite, settings } from './settings.ts';

/** The statements for one call, which is in `taking`. */
const statements = {
  // One above the limit means that the last call exceeded it. A window that another node's clock
  // began in the future is cut to its length, so no caller waits longer than one window.
  take: `INSERT INTO @rate_limits AS current (policy, key, taken, resets_at)
    VALUES (taking->>'policy', taking->>'key', 1,
      (taking->>'now')::BIGINT + (taking->>'windowMs')::BIGINT)
    ON CONFLICT (policy, key) DO UPDATE SET
      taken = CASE WHEN current.resets_at <= (taking->>'now')::BIGINT THEN 1
        ELSE least(current.taken, (taking->>'limit')::BIGINT) + 1 END,
      resets_at = CASE WHEN current.resets_at <= (taking->>'now')::BIGINT
        THEN excluded.resets_at ELSE least(current.resets_at, excluded.resets_at) END
    RETURNING jsonb_build_array(taken, resets_at)`,
  forget: `DELETE FROM @rate_limits WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM @rate_limits WHERE resets_at < (taking->>'now')::BIGINT LIMIT 1024))
      AND resets_at < (taking->>'now')::BIGINT`,
} as const;

/**
 * Counts calls in their windows. Returns the count and the window's end for each. The counts may be
 * lost in a crash, so the function does not wait for a flush.
 */
export const takeFunction = `
CREATE OR REPLACE FUNCTION @take_v1(calls JSONB, forget BOOLEAN) RETURNS JSONB
LANGUAGE plpgsql ${settings} AS $function$
#variable_conflict use_variable
DECLARE
  place INT;
  taking JSONB;
  answer JSONB;
  answers JSONB := '{}';
BEGIN${mayWrite}
  PERFORM set_config('synchronous_commit', 'off', TRUE);
  -- Every node counts in the same order, so that no two wait for each other.
  FOR place, taking IN
    SELECT ordinality - 1, value FROM jsonb_array_elements(calls) WITH ORDINALITY
    ORDER BY value->>'policy', value->>'key'
  LOOP
    ${statements.take} INTO answer;
    answers := answers || jsonb_build_object(place, answer);
  END LOOP;
  IF forget THEN
    ${statements.forget};
  END IF;
  RETURN answers;
END
$function$;
`;
