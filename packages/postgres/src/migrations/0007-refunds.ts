/**
 * Refunds and disputes become records. Payments keep what was captured, which rows from before learn from
 * the processor when they are refunded, and the platform's fee. Businesses say what that fee is.
 */
export const refunds = `
CREATE TABLE IF NOT EXISTS @refunds (
  id TEXT COLLATE "C" PRIMARY KEY,
  version BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
  account TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor BIGINT NOT NULL,
  origin TEXT NOT NULL,
  reason TEXT,
  returns_fee BOOLEAN NOT NULL,
  reverses_transfer BOOLEAN NOT NULL,
  state TEXT NOT NULL,
  reference TEXT,
  failure TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  accepted_as TEXT,
  accepted_at BIGINT,
  work_kind TEXT,
  work_cause TEXT,
  work_fence BIGINT,
  work_attempt BIGINT,
  work_lease_until BIGINT,
  next_check_at BIGINT,
  checks BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS refunds_payment ON @refunds (payment_id, id);
CREATE INDEX IF NOT EXISTS refunds_due ON @refunds (next_check_at)
  WHERE next_check_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS @disputes (
  id TEXT COLLATE "C" PRIMARY KEY,
  version BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  account TEXT NOT NULL,
  reference TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor BIGINT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  respond_by_at BIGINT,
  opened_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS disputes_payment ON @disputes (payment_id, id);
CREATE INDEX IF NOT EXISTS disputes_state ON @disputes (state, id);

ALTER TABLE @payments ADD COLUMN IF NOT EXISTS application_fee_minor BIGINT;
ALTER TABLE @payments ADD COLUMN IF NOT EXISTS captured_minor BIGINT;
ALTER TABLE @businesses ADD COLUMN IF NOT EXISTS fee_fixed_minor BIGINT;
ALTER TABLE @businesses ADD COLUMN IF NOT EXISTS fee_currency TEXT;
ALTER TABLE @businesses ADD COLUMN IF NOT EXISTS fee_basis_points BIGINT;
ALTER TABLE @businesses ADD COLUMN IF NOT EXISTS returns_fee BOOLEAN;
ALTER TABLE @businesses ADD COLUMN IF NOT EXISTS reverses_transfer BOOLEAN;
`;
