/** Where a business's card payments go. */
export interface ProcessorAccount {
  /** The processor's id of the account. */
  readonly id: string;
  /** ISO 4217, lower case, with two decimals (D18). */
  readonly currency: string;
  /** The processor's id of the place where terminals stand, for processors that want one. */
  readonly terminalLocation?: string;
}

export interface Business {
  readonly id: string;
  readonly name: string;
  /** Absent until the business has set up card payments: 422 `paymentProviderNotSetup` (D14). */
  readonly processorAccount?: ProcessorAccount;
}

/** A bank account that a business is paid out to. */
export interface FinancialAccount {
  readonly id: string;
  readonly businessId: string;
  readonly bankName: string;
  /** An asterisk and the last four characters of the account number. */
  readonly maskedAccountNumber: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The one that payouts go to; it cannot be removed (D30). */
  readonly isDefault: boolean;
}

/** What Chairside must know of a barber: who employs them. */
export interface Barber {
  readonly id: string;
  readonly businessId: string;
}

/**
 * ISO 4217 currencies whose minor unit is not a hundredth, and `mga`: ISO writes it with two
 * decimals, but Stripe counts it in whole ariary and would charge a hundred times the amount.
 * Chairside refuses them (D18). `huf` and `twd` stay: Stripe pays them out whole, but charges
 * hundredths.
 */
const otherExponents = new Set(
  (
    'bif clp djf gnf isk jpy kmf krw mga pyg rwf ugx uyi vnd vuv xaf xof xpf ' +
    'bhd iqd jod kwd lyd omr tnd clf uyw'
  ).split(' '),
);

/** The account that card payments go to, if there is one that they can go to (D14, D18). */
export function paymentAccount(business: Business | undefined): ProcessorAccount | undefined {
  const account = business?.processorAccount;
  return account !== undefined && hasTwoDecimals(account.currency) ? account : undefined;
}

/** Whether amounts in this currency have exactly two decimals (D18). */
export function hasTwoDecimals(currency: string): boolean {
  return /^[a-z]{3}$/.test(currency) && !otherExponents.has(currency);
}
