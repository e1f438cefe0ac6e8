import { isCounted, type Payment } from '@chairside/core/ports';
import type { Evidence, Expect, State } from './evidence.ts';
import { minor } from './readings.ts';

type Tipped = Pick<Payment, 'amountMinor' | 'tipMinor'>;

/** The part of a payment that its appointment owes. */
export function owedOf({ amountMinor, tipMinor = 0n }: Tipped): bigint {
  return amountMinor - tipMinor;
}

/** The tip in a captured amount. A smaller capture counts as owed first (D48). */
export function tipOf(payment: Tipped, takenMinor: bigint): bigint {
  const { tipMinor = 0n } = payment;
  const overMinor = takenMinor - owedOf(payment);
  if (overMinor <= 0n) return 0n;
  return overMinor >= tipMinor ? tipMinor : takenMinor - owedOf(payment);
}

/** Tips: as asked, at the processor, in events of the barber who opened the payment, and in refunds. */
export function checkTips(evidence: Evidence, state: State, expect: Expect): void {
  const { payments, entries, refunds } = state;
  const paymentOf = new Map(payments.map((payment) => [payment.id, payment]));
  const asked = new Map(evidence.plan.actions.map((action) => [action.id, action]));
  for (const { action, record } of evidence.claims) {
    const request = asked.get(action);
    const payment = paymentOf.get(record.resourceId ?? '');
    if (payment === undefined || request?.does !== 'create') continue;
    const askedMinor = minor(request.tip ?? '0.00');
    expect((payment.tipMinor ?? 0n) === askedMinor, 'agree', () => {
      return `${payment.id} was asked with a tip of ${askedMinor}, and has ${payment.tipMinor}`;
    });
  }
  for (const { paymentId, tip } of entries) {
    const payment = paymentOf.get(paymentId);
    if (payment === undefined || tip === undefined) continue;
    expect(minor(tip) === payment.tipMinor, 'agree', () => {
      return `the tip of ${paymentId} is ${payment.tipMinor} here, and ${tip} there`;
    });
  }
  for (const { type, data } of evidence.delivered) {
    if (type !== 'contactlessPayment.captured') continue;
    const begun = evidence.begun.get(data.contactlessPaymentId);
    if (begun === undefined) continue;
    const { barber } = begun.appointment;
    expect(data.barberId === barber.id, 'events', () => {
      return `${begun.id} was opened by ${barber.id}, and its tip is told to be ${data.barberId}'s`;
    });
    const tipMinor = tipOf(begun, minor(data.amount));
    expect(minor(data.tip ?? '0.00') === tipMinor, 'events', () => {
      return `${begun.id} has a tip of ${tipMinor}, and was told with ${data.tip}`;
    });
  }
  for (const [paymentId, own] of Map.groupBy(refunds.filter(isCounted), (one) => one.paymentId)) {
    const payment = paymentOf.get(paymentId);
    if (payment === undefined) continue;
    const givenMinor = own.reduce((sum, { tipMinor = 0n }) => sum + tipMinor, 0n);
    const tipMinor = tipOf(payment, payment.capturedMinor ?? 0n);
    // Refunds that failed and took place after all may be too many.
    const isRevived = own.some(({ failure }) => failure !== undefined);
    expect(givenMinor <= tipMinor || isRevived, 'refunded', () => {
      return `${givenMinor} of the tip of ${paymentId} were given back, of ${tipMinor}`;
    });
  }
}
