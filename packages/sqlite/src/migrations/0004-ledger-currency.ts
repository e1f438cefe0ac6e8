/**
 * The currency of a ledger's sums (D39). Older rows take it from a captured or reserved payment. If
 * the payments of one appointment had different currencies, the right one is unknown.
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
