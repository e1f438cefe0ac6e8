import { settings } from './settings.ts';

/** What a limiter's function does with what it finds in `taking`. */
export const limits = {
  // One more than the limit says that the last call was beyond it. A window that another node's
  // clock began in the future is cut to its length: nobody waits longer than that.
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
 * Counts calls in their windows. Answers for each how many were taken, and when its window ends. The
 * counts need not survive a crash, and so wait for no flush.
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
BEGIN
  PERFORM set_config('synchronous_commit', 'off', TRUE);
  -- Every node counts in the same order, so that no two wait for each other.
  FOR place, taking IN
    SELECT ordinality - 1, value FROM jsonb_array_elements(calls) WITH ORDINALITY
    ORDER BY value->>'policy', value->>'key'
  LOOP
    ${limits.take} INTO answer;
    answers := answers || jsonb_build_object(place, answer);
  END LOOP;
  IF forget THEN
    ${limits.forget};
  END IF;
  RETURN answers;
END
$function$;
`;
