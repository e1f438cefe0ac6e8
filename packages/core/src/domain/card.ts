export const cardNetworks = ['network_a', 'network_b', 'network_c', 'network_d', 'other'] as const;
export const fundingTypes = ['debit', 'credit', 'prepaid', 'other'] as const;
export const tokenizationMethods = [
  'wallet_method_a',
  'wallet_method_b',
  'wallet_method_c',
  'wallet_method_d',
] as const;

/** A summary of a card-present payment method that a receipt or a screen may show. */
export interface Card {
  /** An asterisk and the last four digits. */
  readonly maskedPersonalAccountNumber: string;
  readonly network: (typeof cardNetworks)[number];
  readonly fundingType: (typeof fundingTypes)[number];
  /** `01` to `12`. */
  readonly expirationMonth: string;
  /** Four digits. */
  readonly expirationYear: string;
  /** Present if the customer used a digital wallet. */
  readonly tokenizationMethod?: (typeof tokenizationMethods)[number];
}
