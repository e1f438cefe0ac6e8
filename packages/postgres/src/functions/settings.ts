/**
 * The settings of our functions, independent of the session's. A plan lives as long as the session.
 * Without `enable_seqscan = off`, a plan made for a small table would still scan it whole after it
 * has grown. Compiling a plan costs more than any of our statements. Where a policy would hide rows,
 * `row_security = off` makes statements fail instead of finding nothing.
 */
export const settings = `SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
SET jit = off SET row_security = off`;

/**
 * For statements that handle a set: they look up a row for each element. Other plans read a whole
 * table, or compare each of its rows with each element.
 */
export const indexLoops = ['hashjoin', 'mergejoin', 'material']
  .map((kind) => `SET enable_${kind} = off`)
  .join(' ');

/** The server's clock, which all nodes share, in milliseconds. */
export const serverTime = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT';

/** For a person, if the administrator allows no writes. */
export const forbidden = 'The server takes no writes: default_transaction_read_only is on';

/** The error of a session that somebody left read-only in a pool: it takes `READ WRITE` (D205). */
export const leftReadOnly = 'CS006';

/** A standby may be late, and takes no writes. */
export const onPrimary = `IF pg_is_in_recovery() THEN
      RAISE EXCEPTION 'The server is a standby' USING ERRCODE = 'feature_not_supported';
    END IF;`;

/**
 * Fails before the first write where writing is not allowed. An administrator's word is the
 * session's default at its start; whoever uses the same session later can change only the value.
 */
export const mayWrite = `
  IF 'on' IN (current_setting('transaction_read_only'),
      current_setting('default_transaction_read_only')) THEN
    ${onPrimary}
    IF (SELECT reset_val FROM pg_settings WHERE name = 'default_transaction_read_only') = 'on'
    THEN
      RAISE EXCEPTION '${forbidden}' USING ERRCODE = 'read_only_sql_transaction';
    ELSIF current_setting('transaction_read_only') = 'on' THEN
      RAISE EXCEPTION 'The session was left read-only' USING ERRCODE = '${leftReadOnly}';
    END IF;
  END IF;`;
