/**
 * Refunds and disputes become records. Payments keep what was captured, which rows from before learn from
 * the processor when they are refunded, and the platform's fee. Businesses say what that fee is.
 */
export const refunds = `
CREATE TABLE chairside_refunds (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  payment_id TEXT NOT NULL,
  account TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  origin TEXT NOT NULL,
  reason TEXT,
  returns_fee INTEGER NOT NULL,
  reverses_transfer INTEGER NOT NULL,
  state TEXT NOT NULL,
  reference TEXT,
  failure TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  accepted_as TEXT,
  accepted_at INTEGER,
  work_kind TEXT,
  work_cause TEXT,
  work_fence INTEGER,
  work_attempt INTEGER,
  work_lease_until INTEGER,
  next_check_at INTEGER,
  checks INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_refunds_payment ON chairside_refunds (payment_id, id);
CREATE INDEX chairside_refunds_due ON chairside_refunds (next_check_at)
  WHERE next_check_at IS NOT NULL;

CREATE TABLE chairside_disputes (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  payment_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  account TEXT NOT NULL,
  reference TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  respond_by_at INTEGER,
  opened_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_disputes_payment ON chairside_disputes (payment_id, id);
CREATE INDEX chairside_disputes_state ON chairside_disputes (state, id);

ALTER TABLE chairside_payments ADD COLUMN application_fee_minor INTEGER;
ALTER TABLE chairside_payments ADD COLUMN captured_minor INTEGER;
ALTER TABLE chairside_businesses ADD COLUMN fee_fixed_minor INTEGER;
ALTER TABLE chairside_businesses ADD COLUMN fee_currency TEXT;
ALTER TABLE chairside_businesses ADD COLUMN fee_basis_points INTEGER;
ALTER TABLE chairside_businesses ADD COLUMN returns_fee INTEGER;
ALTER TABLE chairside_businesses ADD COLUMN reverses_transfer INTEGER;
`;
