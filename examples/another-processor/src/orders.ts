import { err, ok, type Result } from '@chairside/core';
import type { PaymentHandle, ProcessorError } from '@chairside/core/ports';
import type { Call, Reply } from './connection.ts';
import { isOf, type Order, orderShape, ordersShape } from './shapes.ts';

const segment = encodeURIComponent;

export const merchantPath = (account: string) => `/merchants/${segment(account)}`;

export const salePath = (account: string, sale: string) =>
  `${merchantPath(account)}/sales/${segment(sale)}`;

type Found = Result<Reply<Order> | undefined, ProcessorError>;

/** The order of a sale, which may be another installation's. */
export async function findSale(call: Call, account: string, sale: string): Promise<Found> {
  const asked = await call.ask({ method: 'GET', path: salePath(account, sale) }, orderShape);
  return asked.isErr() && isMissing(asked.error) ? ok(undefined) : asked;
}

/** Our order: by its sale, if that is known, else by our own id. */
export async function findOrder(call: Call, payment: PaymentHandle): Promise<Found> {
  const { account, reference, paymentId, installation } = payment;
  if (reference !== undefined) {
    const found = await findSale(call, account, reference);
    return found.map((reply) => (reply && isOf(reply.value, payment) ? reply : undefined));
  }
  const query = { number: paymentId, source: installation };
  const path = `${merchantPath(account)}/orders`;
  const asked = await call.ask({ method: 'GET', path, query }, ordersShape);
  if (asked.isErr()) return err(asked.error);
  const { value, at } = asked.value;
  const ours = value.orders.filter((order) => isOf(order, payment));
  // Tally does not check that a number is new. An order with a card comes before one without.
  const best = ours.toSorted((a, b) => progress[b.state] - progress[a.state])[0];
  return ok(best && { value: best, at });
}

const progress: Readonly<Record<Order['state'], number>> = {
  voided: 0,
  open: 1,
  declined: 2,
  held: 3,
  completing: 4,
  completed: 5,
};

function isMissing(error: ProcessorError): boolean {
  return error.kind === 'rejected' && error.reason === 'not_found';
}
