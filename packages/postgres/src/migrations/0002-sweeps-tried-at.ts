/** Accounts are swept in turn, also where one can never be: by when it was tried, not how far it came. */
export const sweepsTriedAt = `
ALTER TABLE @sweeps ADD COLUMN tried_at BIGINT NOT NULL DEFAULT 0;
DROP INDEX @.sweeps_stale;
CREATE INDEX sweeps_tried ON @sweeps (tried_at);
`;
