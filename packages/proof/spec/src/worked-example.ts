/** The worked example of the guide to refunds: captured, fee, refunded, lost and left of each payment. */
export const workedExample: readonly (readonly string[])[] = [
  ['45.00', '1.61', '10.00', '0.00', '35.00'],
  ['30.00', '1.17', '12.50', '0.00', '17.50'],
  ['60.00', '2.04', '0.00', '60.00', '0.00'],
];
