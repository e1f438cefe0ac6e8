import type { OperationGroup } from '@chairside/core';

/** The groups of operations, in the document's order, with their descriptions. */
export const groups: Readonly<Record<OperationGroup, string>> = {
  'Contactless payments': 'Card payments at the chair, for appointments.',
  Refunds: 'Refunds of captured payments.',
  Charges: 'Charges of saved methods: deposits and fees for missed visits.',
  Terminals: 'Devices that take cards.',
  'Payment methods': "Customers' payment methods, for later appointments.",
  Businesses: 'How businesses are paid out.',
  Barbers: "Barbers' schedules.",
  Authentication: 'How users can authenticate.',
};
