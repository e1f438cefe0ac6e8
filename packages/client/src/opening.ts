import { afterOpening, afterReading } from './conclude.ts';
import type { Entry } from './journal.ts';
import type { ContactlessPayment } from './operations.ts';
import type { AnyProblem } from './problem.ts';
import { canceled } from './taking.ts';
import { type Next, read, showing, type Till } from './till.ts';

/** Creates the payment; after a restart the same key returns the same payment. */
export async function open(till: Till, entry: Entry): Promise<Next> {
  const { createKey: idempotencyKey, amount, tip, alsoPays } = entry;
  const body = { amount, tip, alsoPays: alsoPays?.length ? [...alsoPays] : undefined };
  const created = await till.client.createContactlessPayment(
    { ...entry, idempotencyKey, body },
    showing(till, 'opening', entry, till.stop),
  );
  return created.match(
    (payment) => ({ entry: withPayment(till, entry, payment) }),
    (problem) => unopened(till, problem),
  );
}

/** Reads the payment again, for its secret. */
export async function reopen(till: Till, entry: Entry): Promise<Next> {
  const reopened = await read(till, 'opening', entry, till.stop);
  if (reopened.isErr()) return unopened(till, reopened.error);
  const payment = reopened.value;
  const end = afterReading(payment);
  if (end !== undefined) return { end };
  const opened = withPayment(till, entry, payment);
  return { entry: withCard(opened, payment) ?? opened };
}

/** The entry of a payment for which another phone has read a card; otherwise `undefined`. */
export function withCard(entry: Entry, payment: ContactlessPayment): Entry | undefined {
  const { id: paymentId, amount, tip, state, externalPaymentReference } = payment;
  const reference = externalPaymentReference?.id;
  return (state === 'authorized' || state === 'processing') && reference !== undefined
    ? { ...entry, state: 'capturing', paymentId, amount, tip, reference }
    : undefined;
}

/** The secret stays in memory. */
function withPayment({ memory }: Till, entry: Entry, payment: ContactlessPayment): Entry {
  memory.clientSecret = payment.clientSecret;
  return {
    ...entry,
    state: 'opened',
    paymentId: payment.id,
    amount: payment.amount,
  };
}

function unopened({ stop }: Till, problem: AnyProblem): Next {
  return {
    end: stop.aborted ? { ...canceled('stopped'), charged: 'unknown' } : afterOpening(problem),
  };
}
