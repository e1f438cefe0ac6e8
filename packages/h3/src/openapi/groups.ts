import type { OperationGroup } from '@chairside/core/ports';

/** The groups of operations, in the document's order, with their descriptions. */
export const groups: Readonly<Record<OperationGroup, string>> = {
  'Contactless payments': 'Card payments at the chair, for appointments.',
  Receipts: 'What a receipt of a card payment must show.',
  Refunds: 'Refunds of captured payments.',
  Charges: 'Charges of saved methods: deposits and fees for missed visits.',
  Tenders: 'What was paid without a card, beside card payments.',
  Shares: 'Whose a captured payment is, where it belongs to several visits or barbers.',
  Terminals: 'Devices that take cards.',
  'Payment methods': "Customers' payment methods, for later appointments.",
  Businesses: 'How businesses are paid out.',
  Barbers: "Barbers' schedules.",
  Authentication: 'How users can authenticate.',
};
