/**
 * Accounts take turns by when they were last tried, not by how far they got: one that can never be
 * reached would otherwise always come first.
 */
export const sweepsTriedAt = `
ALTER TABLE chairside_sweeps ADD COLUMN tried_at INTEGER NOT NULL DEFAULT 0;
DROP INDEX chairside_sweeps_stale;
CREATE INDEX chairside_sweeps_tried ON chairside_sweeps (tried_at);
`;
