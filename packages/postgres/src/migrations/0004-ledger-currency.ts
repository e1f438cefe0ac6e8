/**
 * The currency of a ledger's sums (D39). Older rows take it from a captured or reserved payment. If
 * the payments of one appointment had different currencies, the right one is unknown.
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
