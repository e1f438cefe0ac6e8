/**
 * The currency of what a ledger holds (D39). Rows from before take it from a payment that is captured or
 * reserved: those of one appointment were all in one currency, or nobody can tell which one was meant.
 */
export const ledgerCurrency = `
ALTER TABLE chairside_ledgers ADD COLUMN currency TEXT;
UPDATE chairside_ledgers SET currency = (
  SELECT chairside_payments.currency FROM chairside_payments
  WHERE chairside_payments.appointment_id = chairside_ledgers.appointment_id
    AND (chairside_payments.state = 'captured' OR chairside_payments.reserved = 1)
  ORDER BY chairside_payments.created_at DESC LIMIT 1
) WHERE reserved_minor + captured_minor <> 0;
`;
