import type { Books } from '../books.ts';
import type { Form } from '../form.ts';
import { textOf } from '../form-values.ts';
import { invalid, Refusal } from '../reply.ts';
import { localCurrency } from '../terminals.ts';

/** Stripe silently omits methods that the account cannot take in this currency. */
export function usable(
  books: Books,
  owner: string | undefined,
  currency: string,
  types: readonly string[],
): string[] {
  const account = books.accounts.get(owner ?? '');
  const local = localCurrency(account?.country ?? '') ?? account?.currency ?? currency;
  return types.filter((type) => type !== 'card_present' || currency === local);
}

export function checkMoney(amount: number, currency: string): void {
  if (amount < 50) {
    throw new Refusal(
      invalid('Amount is too small.', { code: 'amount_too_small', param: 'amount' }),
    );
  }
  if (!/^[a-z]{3}$/.test(currency)) {
    throw new Refusal(invalid(`Invalid currency: ${currency}`, { param: 'currency' }));
  }
}

export function checkCapture(form: Form, types: readonly string[]): void {
  const isManual = textOf(form, 'capture_method') === 'manual';
  if (isManual && types.includes('interac_present')) {
    const about = { code: 'payment_intent_invalid_parameter', param: 'capture_method' } as const;
    throw new Refusal(invalid('Interac payments cannot be captured by hand.', about));
  }
  if (!isManual || !types.includes('card_present')) {
    throw new Refusal(invalid('The stand-in knows only manual card_present intents.'));
  }
}

export function requireCharges(books: Books, account: string | undefined): void {
  const known = books.accounts.get(account ?? '');
  if (account === undefined || (known?.chargesEnabled && known.cardPayments === 'active')) return;
  // Stripe's code for this is not documented. It was seen with this code and without one.
  const isCapability = known?.chargesEnabled === true;
  throw new Refusal(
    invalid(
      'This account cannot take card payments.',
      isCapability ? { code: 'payment_intent_invalid_parameter' } : {},
    ),
  );
}

export function requireTransfers(books: Books, destination: string | undefined): void {
  if (destination === undefined) return;
  if (books.accounts.get(destination)?.transfers === 'active') return;
  const code = 'transfers_not_allowed';
  throw new Refusal(invalid('The destination cannot receive transfers.', { code }));
}
