/**
 * Reviews become a separate list, with an entry for each payment that was marked for review.
 * Reported refunds and disputes are kept for ever. Setups keep their outcome and are found by
 * customer. Secrets of final payments whose keys are deleted are erased.
 */
export const reviews = `
CREATE TABLE IF NOT EXISTS @reviews (
  id TEXT COLLATE "C" PRIMARY KEY,
  reason TEXT NOT NULL,
  account TEXT NOT NULL,
  payment_id TEXT,
  reference TEXT,
  opened_at BIGINT NOT NULL,
  -- absent while it is open
  resolved_at BIGINT,
  note TEXT
);
CREATE INDEX IF NOT EXISTS reviews_open ON @reviews (id) WHERE resolved_at IS NULL;
CREATE INDEX IF NOT EXISTS reviews_resolved ON @reviews (id) WHERE resolved_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS reviews_payment ON @reviews (payment_id) WHERE resolved_at IS NULL;
INSERT INTO @reviews (id, reason, account, payment_id, reference, opened_at)
  SELECT 'rev_' || substr(id, strpos(id, '_') + 1), review, account, id, reference, updated_at
  FROM @payments WHERE review IS NOT NULL
  ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS @money_backs (
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  amount_minor BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (account, kind, id)
);

ALTER TABLE @setups ADD COLUMN IF NOT EXISTS outcome TEXT;
CREATE INDEX IF NOT EXISTS setups_customer ON @setups (customer_id, created_at);

UPDATE @payments SET client_secret = ''
  WHERE next_check_at IS NULL AND state IN ('captured', 'canceled') AND client_secret IS NOT NULL;
`;
