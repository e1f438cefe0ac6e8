/**
 * Reviews become a separate list, with an entry for each payment that was marked for review.
 * Reported refunds and disputes are kept for ever. Setups keep their outcome and are found by
 * customer. Secrets of final payments whose keys are deleted are erased.
 */
export const reviews = `
CREATE TABLE chairside_reviews (
  id TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  account TEXT NOT NULL,
  payment_id TEXT,
  reference TEXT,
  opened_at INTEGER NOT NULL,
  -- absent while it is open
  resolved_at INTEGER,
  note TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_reviews_open ON chairside_reviews (id) WHERE resolved_at IS NULL;
CREATE INDEX chairside_reviews_resolved ON chairside_reviews (id) WHERE resolved_at IS NOT NULL;
CREATE INDEX chairside_reviews_payment ON chairside_reviews (payment_id) WHERE resolved_at IS NULL;
INSERT INTO chairside_reviews (id, reason, account, payment_id, reference, opened_at)
  SELECT 'rev_' || substr(id, instr(id, '_') + 1), review, account, id, reference, updated_at
  FROM chairside_payments WHERE review IS NOT NULL;

CREATE TABLE chairside_money_backs (
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (account, kind, id)
) STRICT, WITHOUT ROWID;

ALTER TABLE chairside_setups ADD COLUMN outcome TEXT;
CREATE INDEX chairside_setups_customer ON chairside_setups (customer_id, created_at);

UPDATE chairside_payments SET client_secret = ''
  WHERE next_check_at IS NULL AND state IN ('captured', 'canceled') AND client_secret IS NOT NULL;
`;
