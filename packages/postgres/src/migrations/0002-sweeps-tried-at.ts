/**
 * Accounts take turns by when they were last tried, not by how far they got: one that can never be
 * reached would otherwise always come first.
 */
export const sweepsTriedAt = `
ALTER TABLE @sweeps ADD COLUMN IF NOT EXISTS tried_at BIGINT NOT NULL DEFAULT 0;
DROP INDEX IF EXISTS @.sweeps_stale;
CREATE INDEX IF NOT EXISTS sweeps_tried ON @sweeps (tried_at);
`;
