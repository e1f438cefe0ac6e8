/**
 * Wide tables keep their rowid, because WITHOUT ROWID halves the speed of their writes. So do commits
 * and events: their rowid is the order of writing, and appending to such a table costs SQLite far less
 * than appending to an index. Narrow tables have none, which saves an index. Times are milliseconds since the epoch; money is in minor units.
 */
export const initial = `
CREATE TABLE chairside_commits (
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  -- wasCommitted has denied it, so that it is never applied
  is_denied INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE chairside_payments (
  -- what it was opened with; never changes
  id TEXT NOT NULL UNIQUE,
  appointment_id TEXT NOT NULL,
  appointment TEXT NOT NULL,
  business_id TEXT NOT NULL,
  account TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- what changes
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  client_secret TEXT,
  reference TEXT,
  card TEXT,
  authorized_at INTEGER,
  captured_at INTEGER,
  expires_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  work_kind TEXT,
  work_cause TEXT,
  work_fence INTEGER,
  work_attempt INTEGER,
  work_lease_until INTEGER,
  next_check_at INTEGER,
  checks INTEGER NOT NULL,
  review TEXT,
  timeline TEXT NOT NULL,
  application_fee_minor INTEGER,
  -- the part of the amount that is tip (D48)
  tip_minor INTEGER,
  captured_minor INTEGER,
  -- a document, if it is a charge of a saved method
  charge TEXT,
  customer_id TEXT,
  -- a document, if it belongs to several visits or barbers (D208)
  shares TEXT
) STRICT;
CREATE INDEX chairside_payments_appointment ON chairside_payments (appointment_id, created_at);
CREATE INDEX chairside_payments_due ON chairside_payments (next_check_at)
  WHERE next_check_at IS NOT NULL;
-- Only the change to captured enters it.
CREATE INDEX chairside_payments_captured ON chairside_payments (business_id, captured_at)
  WHERE captured_at IS NOT NULL;

CREATE TABLE chairside_keys (
  subject TEXT NOT NULL,
  key TEXT NOT NULL,
  operation TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  resource_id TEXT,
  problem TEXT,
  forget_at INTEGER,
  PRIMARY KEY (subject, key)
) STRICT;
CREATE INDEX chairside_keys_resource ON chairside_keys (resource_id)
  WHERE resource_id IS NOT NULL;
CREATE INDEX chairside_keys_forget ON chairside_keys (forget_at)
  WHERE forget_at IS NOT NULL;

CREATE TABLE chairside_ledgers (
  appointment_id TEXT PRIMARY KEY,
  open_payments INTEGER NOT NULL,
  reserved_minor INTEGER NOT NULL,
  captured_minor INTEGER NOT NULL,
  -- paid without a card (D202)
  tendered_minor INTEGER NOT NULL,
  -- tips beside the sums, captured or reserved (D48)
  tips_minor INTEGER NOT NULL,
  -- of the sums (D39)
  currency TEXT,
  -- holds the one slot for a charge of a saved method (D49)
  charge_id TEXT
) STRICT, WITHOUT ROWID;

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
CREATE INDEX chairside_events_due ON chairside_events (deliver_at) WHERE deliver_at IS NOT NULL;
CREATE INDEX chairside_events_dead ON chairside_events (subject, version) WHERE is_dead = 1;

CREATE TABLE chairside_processor_events (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_processor_events_at ON chairside_processor_events (at);

CREATE TABLE chairside_reviews (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  account TEXT NOT NULL,
  reason TEXT NOT NULL,
  payment_id TEXT,
  -- absent while it is open
  resolved_at INTEGER,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_reviews_open ON chairside_reviews (id) WHERE resolved_at IS NULL;
CREATE INDEX chairside_reviews_cause ON chairside_reviews (account, reason, id)
  WHERE resolved_at IS NULL;
CREATE INDEX chairside_reviews_resolved ON chairside_reviews (id) WHERE resolved_at IS NOT NULL;
CREATE INDEX chairside_reviews_payment ON chairside_reviews (payment_id, id);

CREATE TABLE chairside_refunds (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  payment_id TEXT NOT NULL,
  next_check_at INTEGER,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_refunds_payment ON chairside_refunds (payment_id, id);
CREATE INDEX chairside_refunds_due ON chairside_refunds (next_check_at)
  WHERE next_check_at IS NOT NULL;

CREATE TABLE chairside_disputes (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  payment_id TEXT NOT NULL,
  state TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_disputes_payment ON chairside_disputes (payment_id, id);
CREATE INDEX chairside_disputes_state ON chairside_disputes (state, id);

-- What refunds and disputes have moved, kept for ever. The document holds the whole record.
CREATE TABLE chairside_movements (
  id TEXT PRIMARY KEY,
  business_id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_movements_business ON chairside_movements (business_id, at);
CREATE INDEX chairside_movements_payment ON chairside_movements (payment_id, at);

-- What was paid without a card, given back or voided, kept for ever. The document holds the whole record.
CREATE TABLE chairside_tenders (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  appointment_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  -- of cash that was given back for a card payment
  payment_id TEXT,
  at INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_tenders_appointment ON chairside_tenders (appointment_id, at);
CREATE INDEX chairside_tenders_business ON chairside_tenders (business_id, at);
CREATE INDEX chairside_tenders_payment ON chairside_tenders (payment_id, at)
  WHERE payment_id IS NOT NULL;

-- Who gained and who lost a part of a payment, kept for ever. The document holds the whole record.
CREATE TABLE chairside_shares (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  appointment_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_shares_appointment ON chairside_shares (appointment_id, at);
CREATE INDEX chairside_shares_business ON chairside_shares (business_id, at);
CREATE INDEX chairside_shares_payment ON chairside_shares (payment_id, at);

-- The processor's entries of our payments, kept for ever. Their ids are long, so the indexes hold rowids.
CREATE TABLE chairside_settlements (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  -- absent while the payment has no record here
  business_id TEXT,
  payment_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  processor_fee_minor INTEGER NOT NULL,
  application_fee_minor INTEGER NOT NULL,
  -- absent where all of the amount is the shop's
  platform_minor INTEGER,
  at INTEGER NOT NULL,
  payout_id TEXT
) STRICT;
CREATE INDEX chairside_settlements_business ON chairside_settlements (business_id, at)
  WHERE business_id IS NOT NULL;
CREATE INDEX chairside_settlements_unknown ON chairside_settlements (account, at)
  WHERE business_id IS NULL;
CREATE INDEX chairside_settlements_payment ON chairside_settlements (payment_id, at);
CREATE INDEX chairside_settlements_payout ON chairside_settlements (payout_id, kind)
  WHERE payout_id IS NOT NULL;

CREATE TABLE chairside_payouts (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  arrives_at INTEGER NOT NULL,
  replaced_by TEXT,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_payouts_arrival ON chairside_payouts (account, arrives_at);

CREATE TABLE chairside_setups (
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  customer_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- absent while its method is kept for charges
  next_check_at INTEGER,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX chairside_setups_due ON chairside_setups (next_check_at)
  WHERE next_check_at IS NOT NULL;
CREATE INDEX chairside_setups_customer ON chairside_setups (customer_id, created_at);

CREATE TABLE chairside_sweeps (
  account TEXT PRIMARY KEY,
  swept_before INTEGER NOT NULL,
  -- Ledgers take turns by it and not by their progress: else an unreachable one always came first.
  tried_at INTEGER NOT NULL,
  -- A document: how far each list of the ledger was read.
  lists TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX chairside_sweeps_tried ON chairside_sweeps (tried_at);

CREATE TABLE chairside_facts (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Who has acted. Erasing a person replaces the subject alone (D211).
CREATE TABLE chairside_actors (
  number INTEGER PRIMARY KEY,
  subject TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE chairside_terminals (
  id TEXT NOT NULL UNIQUE,
  device_identifier TEXT NOT NULL UNIQUE,
  barber_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX chairside_terminals_barber ON chairside_terminals (barber_id, created_at);

CREATE TABLE chairside_appointments (
  id TEXT NOT NULL UNIQUE,
  business_id TEXT NOT NULL,
  amount_due_minor INTEGER NOT NULL,
  customer_id TEXT,
  payment_method_setup_id TEXT,
  no_show_fee_minor INTEGER,
  is_missed INTEGER,
  is_same_visit INTEGER,
  reference TEXT NOT NULL
) STRICT;

CREATE TABLE chairside_barbers (
  id TEXT PRIMARY KEY,
  business_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chairside_businesses (
  id TEXT PRIMARY KEY,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chairside_financial_accounts (
  id TEXT PRIMARY KEY,
  business_id TEXT NOT NULL,
  bank_name TEXT NOT NULL,
  masked_account_number TEXT NOT NULL,
  currency TEXT NOT NULL,
  is_default INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX chairside_financial_accounts_default
  ON chairside_financial_accounts (business_id) WHERE is_default = 1;

CREATE TABLE chairside_schedules (
  id TEXT PRIMARY KEY,
  barber_id TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;

CREATE TABLE chairside_payout_preferences (
  business_id TEXT PRIMARY KEY,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
