/**
 * The settings of our functions, independent of the session's. A plan lives as long as the session.
 * Without `enable_seqscan = off`, a plan made for a small table would still scan it whole after it
 * has grown.
 */
export const settings = 'SET search_path = pg_catalog, pg_temp SET enable_seqscan = off';

/**
 * For statements that handle a set: they look up a row for each element. Other plans read a whole
 * table, or compare each of its rows with each element.
 */
export const indexLoops = ['hashjoin', 'mergejoin', 'material']
  .map((kind) => `SET enable_${kind} = off`)
  .join(' ');

/** The server's clock, which all nodes share, in milliseconds. */
export const serverTime = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT';
