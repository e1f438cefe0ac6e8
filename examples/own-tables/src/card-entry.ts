import type { CloudEvent } from '@chairside/core';
import type { CardEntry } from './shop.ts';

/** The entry that an event makes; `undefined` if it is not about money. */
export function cardEntryOf(event: CloudEvent): CardEntry | undefined {
  const { sequence } = event;
  switch (event.type) {
    case 'contactlessPayment.captured': {
      const { contactlessPaymentId: reference, appointmentId, amount } = event.data;
      return { reference, appointmentId, amountMinor: minorOf(amount), sequence };
    }
    case 'contactlessPayment.refunded': {
      const { refundId: reference = event.id, appointmentId, amount } = event.data;
      return { reference, appointmentId, amountMinor: -minorOf(amount), sequence };
    }
    // A bank may return a refund days after it succeeded.
    case 'contactlessPayment.refundFailed':
    case 'contactlessPayment.refundCanceled': {
      const { refundId: reference = event.id, appointmentId } = event.data;
      return { reference, appointmentId, amountMinor: 0n, sequence };
    }
    default:
      return undefined;
  }
}

/** `45.00` is `4500n`. */
function minorOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}
