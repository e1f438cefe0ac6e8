/**
 * `@name` stands for the table of that name in the chosen schema. Every statement may run twice,
 * because some databases with PostgreSQL's protocol do not roll back DDL.
 *
 * Ids begin with their time (D1), so new rows are together at the end of an index, where the pages
 * are in memory. An index with the id behind other columns has a condition that always holds. Without
 * it, a plan made for an empty table may read that whole index to find one id. No sequence is used.
 * Times are milliseconds since the epoch, money is in minor units, and JSON is text, because it is
 * replayed byte for byte.
 *
 * All text is compared by its bytes. The order of a locale changes with the server's operating
 * system, and an index in the old order no longer finds its rows: a paid visit would look unpaid.
 */
export const initial = `
CREATE TABLE IF NOT EXISTS @commits (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  -- wasCommitted has denied it, so that it is never applied
  is_denied BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX IF NOT EXISTS commits_by_age ON @commits (at);

CREATE TABLE IF NOT EXISTS @payments (
  -- what it was opened with; never changes
  id TEXT PRIMARY KEY,
  appointment_id TEXT NOT NULL,
  appointment TEXT NOT NULL,
  business_id TEXT NOT NULL,
  account TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  -- what changes
  state TEXT NOT NULL,
  version BIGINT NOT NULL,
  client_secret TEXT,
  reference TEXT,
  card TEXT,
  authorized_at BIGINT,
  captured_at BIGINT,
  expires_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  reserved BOOLEAN NOT NULL,
  work_kind TEXT,
  work_cause TEXT,
  work_fence BIGINT,
  work_attempt BIGINT,
  work_lease_until BIGINT,
  next_check_at BIGINT,
  checks BIGINT NOT NULL,
  review TEXT,
  timeline TEXT NOT NULL,
  application_fee_minor BIGINT,
  -- the part of the amount that is tip (D48)
  tip_minor BIGINT,
  captured_minor BIGINT,
  -- a document, if it is a charge of a saved method
  charge TEXT,
  customer_id TEXT,
  -- a document, if it belongs to several visits or barbers (D208)
  shares TEXT
);
CREATE INDEX IF NOT EXISTS payments_by_appointment ON @payments (appointment_id, created_at, id)
  WHERE appointment_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS payments_due ON @payments (next_check_at)
  WHERE next_check_at IS NOT NULL;
-- Only the change to captured enters it.
CREATE INDEX IF NOT EXISTS payments_captured ON @payments (business_id, captured_at)
  WHERE captured_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS @keys (
  subject TEXT NOT NULL,
  key TEXT NOT NULL,
  operation TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  resource_id TEXT,
  problem TEXT,
  forget_at BIGINT,
  PRIMARY KEY (subject, key)
);
CREATE INDEX IF NOT EXISTS keys_by_resource ON @keys (resource_id)
  WHERE resource_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS keys_to_forget ON @keys (forget_at)
  WHERE forget_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS @ledgers (
  appointment_id TEXT PRIMARY KEY,
  open_payments BIGINT NOT NULL,
  reserved_minor BIGINT NOT NULL,
  captured_minor BIGINT NOT NULL,
  -- paid without a card (D202)
  tendered_minor BIGINT NOT NULL,
  -- tips beside the sums, captured or reserved (D48)
  tips_minor BIGINT NOT NULL,
  -- of the sums (D39)
  currency TEXT,
  -- holds the one slot for a charge of a saved method (D49)
  charge_id TEXT
);

CREATE TABLE IF NOT EXISTS @events (
  subject TEXT NOT NULL,
  version BIGINT NOT NULL,
  type TEXT NOT NULL,
  occurred_at BIGINT NOT NULL,
  data TEXT NOT NULL,
  -- -1 while it is being forgotten
  attempts BIGINT NOT NULL,
  -- absent while an earlier event of the subject is not delivered, and for a dead letter
  deliver_at BIGINT,
  is_dead BOOLEAN NOT NULL,
  PRIMARY KEY (subject, version)
);
CREATE INDEX IF NOT EXISTS events_due ON @events (deliver_at) WHERE deliver_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS events_dead ON @events (subject, version) WHERE is_dead;
CREATE INDEX IF NOT EXISTS events_to_forget ON @events (subject) WHERE attempts < 0;

CREATE TABLE IF NOT EXISTS @processor_events (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS processor_events_by_age ON @processor_events (at);

CREATE TABLE IF NOT EXISTS @reviews (
  id TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  account TEXT NOT NULL,
  reason TEXT NOT NULL,
  payment_id TEXT,
  -- absent while it is open
  resolved_at BIGINT,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS reviews_open ON @reviews (id) WHERE resolved_at IS NULL;
CREATE INDEX IF NOT EXISTS reviews_cause ON @reviews (account, reason, id)
  WHERE resolved_at IS NULL;
CREATE INDEX IF NOT EXISTS reviews_resolved ON @reviews (id) WHERE resolved_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS reviews_payment ON @reviews (payment_id, id)
  WHERE payment_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS @refunds (
  id TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
  next_check_at BIGINT,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS refunds_payment ON @refunds (payment_id, id)
  WHERE payment_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS refunds_due ON @refunds (next_check_at)
  WHERE next_check_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS @disputes (
  id TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
  state TEXT NOT NULL,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS disputes_payment ON @disputes (payment_id, id)
  WHERE payment_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS disputes_state ON @disputes (state, id)
  WHERE state IS NOT NULL;

-- What refunds and disputes have moved, kept for ever. The document holds the whole record.
CREATE TABLE IF NOT EXISTS @movements (
  id TEXT PRIMARY KEY,
  business_id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS movements_by_business ON @movements (business_id, at);
CREATE INDEX IF NOT EXISTS movements_by_payment ON @movements (payment_id, at);

-- What was paid without a card, given back or voided, kept for ever. The document holds the whole record.
CREATE TABLE IF NOT EXISTS @tenders (
  id TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  appointment_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  -- of cash that was given back for a card payment
  payment_id TEXT,
  at BIGINT NOT NULL,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tenders_by_appointment ON @tenders (appointment_id, at);
CREATE INDEX IF NOT EXISTS tenders_by_business ON @tenders (business_id, at);
CREATE INDEX IF NOT EXISTS tenders_by_payment ON @tenders (payment_id, at)
  WHERE payment_id IS NOT NULL;

-- Who gained and who lost a part of a payment, kept for ever. The document holds the whole record.
CREATE TABLE IF NOT EXISTS @shares (
  id TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  appointment_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS shares_by_appointment ON @shares (appointment_id, at);
CREATE INDEX IF NOT EXISTS shares_by_business ON @shares (business_id, at);
CREATE INDEX IF NOT EXISTS shares_by_payment ON @shares (payment_id, at);

-- The processor's entries of our payments, kept for ever.
CREATE TABLE IF NOT EXISTS @settlements (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  -- absent while the payment has no record here
  business_id TEXT,
  payment_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor BIGINT NOT NULL,
  processor_fee_minor BIGINT NOT NULL,
  application_fee_minor BIGINT NOT NULL,
  -- absent where all of the amount is the shop's
  platform_minor BIGINT,
  at BIGINT NOT NULL,
  payout_id TEXT
);
CREATE INDEX IF NOT EXISTS settlements_by_business ON @settlements (business_id, at)
  WHERE business_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS settlements_unknown ON @settlements (account, at)
  WHERE business_id IS NULL;
CREATE INDEX IF NOT EXISTS settlements_by_payment ON @settlements (payment_id, at);
CREATE INDEX IF NOT EXISTS settlements_by_payout ON @settlements (payout_id, kind)
  WHERE payout_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS @payouts (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  arrives_at BIGINT NOT NULL,
  replaced_by TEXT,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS payouts_by_arrival ON @payouts (account, arrives_at);

CREATE TABLE IF NOT EXISTS @setups (
  id TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  customer_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- absent while its method is kept for charges
  next_check_at BIGINT,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS setups_due ON @setups (next_check_at)
  WHERE next_check_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS setups_customer ON @setups (customer_id, created_at);

CREATE TABLE IF NOT EXISTS @sweeps (
  account TEXT PRIMARY KEY,
  swept_before BIGINT NOT NULL,
  -- Ledgers take turns by it and not by their progress: else an unreachable one always came first.
  tried_at BIGINT NOT NULL,
  -- A document: how far each list of the ledger was read.
  lists TEXT
);
CREATE INDEX IF NOT EXISTS sweeps_tried ON @sweeps (tried_at);

CREATE TABLE IF NOT EXISTS @facts (
  name TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  text TEXT NOT NULL
);

-- Who has acted. Erasing a person replaces the subject alone (D211).
CREATE TABLE IF NOT EXISTS @actors (
  number BIGINT PRIMARY KEY,
  subject TEXT NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS @terminals (
  id TEXT PRIMARY KEY,
  device_identifier TEXT NOT NULL UNIQUE,
  barber_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  document TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS terminals_by_barber ON @terminals (barber_id, created_at, id)
  WHERE barber_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS @appointments (
  id TEXT PRIMARY KEY,
  business_id TEXT NOT NULL,
  amount_due_minor BIGINT NOT NULL,
  customer_id TEXT,
  payment_method_setup_id TEXT,
  no_show_fee_minor BIGINT,
  is_missed BOOLEAN,
  is_same_visit BOOLEAN,
  reference TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS @barbers (
  id TEXT PRIMARY KEY,
  business_id TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS @businesses (
  id TEXT PRIMARY KEY,
  document TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS @financial_accounts (
  id TEXT PRIMARY KEY,
  business_id TEXT NOT NULL,
  bank_name TEXT NOT NULL,
  masked_account_number TEXT NOT NULL,
  currency TEXT NOT NULL,
  is_default BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS financial_accounts_default
  ON @financial_accounts (business_id) WHERE is_default;

CREATE TABLE IF NOT EXISTS @schedules (
  id TEXT PRIMARY KEY,
  barber_id TEXT NOT NULL,
  document TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS @payout_preferences (
  business_id TEXT PRIMARY KEY,
  document TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS @rate_limits (
  policy TEXT NOT NULL,
  key TEXT NOT NULL,
  taken BIGINT NOT NULL,
  resets_at BIGINT NOT NULL,
  PRIMARY KEY (policy, key)
);
CREATE INDEX IF NOT EXISTS rate_limits_over ON @rate_limits (resets_at);
`.replaceAll(' TEXT', ' TEXT COLLATE "C"');
