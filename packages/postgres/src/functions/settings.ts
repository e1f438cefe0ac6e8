/**
 * What a function of ours runs with, whatever the session was set to. A plan is kept for as long as
 * the session lasts: one that reads a table whole, since it was small then, would be kept as it grows.
 */
export const settings = 'SET search_path = pg_catalog, pg_temp SET enable_seqscan = off';
