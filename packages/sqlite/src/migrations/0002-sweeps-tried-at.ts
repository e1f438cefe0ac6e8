/** Accounts are swept in turn, also where one can never be: by when it was tried, not how far it came. */
export const sweepsTriedAt = `
ALTER TABLE chairside_sweeps ADD COLUMN tried_at INTEGER NOT NULL DEFAULT 0;
DROP INDEX chairside_sweeps_stale;
CREATE INDEX chairside_sweeps_tried ON chairside_sweeps (tried_at);
`;
