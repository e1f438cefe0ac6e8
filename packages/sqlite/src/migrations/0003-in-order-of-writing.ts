/**
 * Commits and events get a rowid, which is the order in which they were written: rows at the end of such
 * a table cost SQLite far less than at the end of an index. So one index of each can go: the oldest
 * commits come first, and events that nobody took are found by when they were due.
 */
export const inOrderOfWriting = `
ALTER TABLE chairside_commits RENAME TO chairside_commits_before;
CREATE TABLE chairside_commits (
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL
) STRICT;
INSERT INTO chairside_commits SELECT * FROM chairside_commits_before ORDER BY at;
DROP TABLE chairside_commits_before;

ALTER TABLE chairside_events RENAME TO chairside_events_before;
CREATE TABLE chairside_events (
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
INSERT INTO chairside_events SELECT * FROM chairside_events_before ORDER BY occurred_at;
DROP TABLE chairside_events_before;
CREATE INDEX chairside_events_due ON chairside_events (deliver_at) WHERE deliver_at IS NOT NULL;
CREATE INDEX chairside_events_dead ON chairside_events (subject, version) WHERE is_dead = 1;
`;
