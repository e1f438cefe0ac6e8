/**
 * The currency of what a ledger holds (D39). Rows from before take it from a payment that is captured or
 * reserved: those of one appointment were all in one currency, or nobody can tell which one was meant.
 */
export const ledgerCurrency = `
ALTER TABLE @ledgers ADD COLUMN IF NOT EXISTS currency TEXT;
UPDATE @ledgers AS ledger SET currency = (
  SELECT payment.currency FROM @payments AS payment
  WHERE payment.appointment_id = ledger.appointment_id
    AND (payment.state = 'captured' OR payment.reserved)
  ORDER BY payment.created_at DESC LIMIT 1
) WHERE reserved_minor + captured_minor <> 0;
`;
