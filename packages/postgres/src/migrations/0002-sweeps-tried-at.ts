/**
 * Accounts take turns by the time of their last attempt, not by their progress. Otherwise an
 * unreachable account would always come first.
 */
export const sweepsTriedAt = `
ALTER TABLE @sweeps ADD COLUMN IF NOT EXISTS tried_at BIGINT NOT NULL DEFAULT 0;
DROP INDEX IF EXISTS @.sweeps_stale;
CREATE INDEX IF NOT EXISTS sweeps_tried ON @sweeps (tried_at);
`;
