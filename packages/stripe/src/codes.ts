import type Stripe from 'stripe';

/** Removes the `string` member from the SDK's unions. */
type Listed<C> = C extends string ? (string extends C ? never : C) : never;

/**
 * The error codes that the SDK lists. Stripe's raw error types its code as any string, so the
 * compiler would accept codes that Stripe does not have.
 */
export type ListedCode = Listed<Stripe.PaymentIntent.LastPaymentError.Code>;

/** The account cannot take card payments. */
export const notSetUpCodes = [
  'account_invalid',
  'capability_not_active',
  'payment_method_unactivated',
  'platform_account_required',
  'testmode_charges_only',
  'transfers_not_allowed',
] as const satisfies readonly ListedCode[];

/** Our names of rejections. All others keep Stripe's code. */
export const reasons = {
  amount_too_large: 'amountTooLarge',
  amount_too_small: 'amountTooSmall',
  charge_expired_for_capture: 'unexpectedState',
  payment_intent_unexpected_state: 'unexpectedState',
  setup_intent_unexpected_state: 'unexpectedState',
} as const satisfies Partial<Readonly<Record<ListedCode, string>>>;
