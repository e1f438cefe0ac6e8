/**
 * Accounts take turns by the time of their last attempt, not by their progress. Otherwise an
 * unreachable account would always come first.
 */
export const sweepsTriedAt = `
ALTER TABLE chairside_sweeps ADD COLUMN tried_at INTEGER NOT NULL DEFAULT 0;
DROP INDEX chairside_sweeps_stale;
CREATE INDEX chairside_sweeps_tried ON chairside_sweeps (tried_at);
`;
