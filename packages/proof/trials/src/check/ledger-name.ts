import type { Payment } from '@chairside/core/ports';

/** The name of an appointment's ledger for fees of missed visits: they are beside what it owes (D160). */
export const feesOf = (appointment: string) => `\u0001${appointment}`;

/** The name of the ledger that a payment counts on. */
export function ledgerNameOf(payment: Pick<Payment, 'appointment' | 'charge'> | undefined): string {
  const { appointment, charge } = payment ?? {};
  const name = appointment?.id ?? '';
  return charge?.purpose === 'noShow' ? feesOf(name) : name;
}
