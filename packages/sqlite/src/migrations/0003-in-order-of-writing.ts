/**
 * Commits and events get a rowid, which is the order of writing: appending to such a table costs
 * SQLite far less than appending to an index. So one index of each is dropped. The oldest commits
 * come first, and untaken events are found by their due time.
 *
 * No table is renamed: SQLite would rewrite the host's views and triggers that use it, and fail if
 * one of them is broken.
 */
export const inOrderOfWriting = `
CREATE TEMP TABLE chairside_commits_before AS SELECT * FROM main.chairside_commits;
DROP TABLE main.chairside_commits;
CREATE TABLE main.chairside_commits (
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  -- wasCommitted has denied it, so that it is never applied
  is_denied INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO chairside_commits (id, at) SELECT * FROM temp.chairside_commits_before ORDER BY at;
DROP TABLE temp.chairside_commits_before;

CREATE TEMP TABLE chairside_events_before AS SELECT * FROM main.chairside_events;
DROP TABLE main.chairside_events;
CREATE TABLE main.chairside_events (
  subject TEXT NOT NULL,
  version INTEGER NOT NULL,
  type TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  data TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- absent while an earlier event of the subject is not delivered, and for a dead letter
  deliver_at INTEGER,
  is_dead INTEGER NOT NULL,
  UNIQUE (subject, version)
) STRICT;
INSERT INTO chairside_events SELECT * FROM temp.chairside_events_before ORDER BY occurred_at;
DROP TABLE temp.chairside_events_before;
CREATE INDEX chairside_events_due ON chairside_events (deliver_at) WHERE deliver_at IS NOT NULL;
CREATE INDEX chairside_events_dead ON chairside_events (subject, version) WHERE is_dead = 1;
`;
