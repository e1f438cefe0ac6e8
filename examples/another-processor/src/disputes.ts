import { err, ok, type Result } from '@chairside/core';
import type {
  ListedPage,
  ListedReturn,
  ListRequest,
  PaymentHandle,
  ProcessorDispute,
  ProcessorError,
} from '@chairside/core/ports';
import * as v from 'valibot';
import { type Call, unknown } from './connection.ts';
import { findOrder, merchantPath, salePath } from './orders.ts';
import { amount, text, time, toSkipped } from './shapes.ts';

type Answer<T> = Promise<Result<T, ProcessorError>>;

export const disputeStates = ['open', 'won', 'lost'] as const;

const disputeShape = v.object({
  id: text,
  number: text,
  source: text,
  total: amount,
  currency: v.string(),
  state: v.picklist(disputeStates),
  made_at: time,
});
const disputesShape = v.object({ disputes: v.array(disputeShape), next: v.nullable(text) });
const pageOfDisputes = v.object({ disputes: v.array(v.unknown()), next: v.nullable(text) });

export async function listDisputes(
  call: Call,
  payment: PaymentHandle,
): Answer<readonly ProcessorDispute[]> {
  const found = await findOrder(call, payment);
  if (found.isErr()) return err(found.error);
  const sale = found.value?.value.sale;
  if (!sale) return ok([]);
  const path = `${salePath(payment.account, sale.id)}/disputes`;
  const asked = await call.ask({ method: 'GET', path }, disputesShape);
  if (asked.isErr()) return err(asked.error);
  const { disputes, next } = asked.value.value;
  // A sale has few of them, so a second page is another fault than a long list.
  if (next !== null) return err(unknown);
  return ok(
    disputes.map(({ id, state, total, currency, made_at: openedAt }) => ({
      reference: id,
      amountMinor: total,
      state,
      bookings: bookingsOf(state, total),
      currency: currency.toLowerCase(),
      openedAt,
    })),
  );
}

export async function listRecentDisputes(
  call: Call,
  { books, installation, openedFrom, openedBefore, limit, cursor }: ListRequest,
): Answer<ListedPage<ListedReturn>> {
  const span = { from: `${openedFrom}`, before: `${openedBefore}`, limit: `${limit}` };
  const query = { source: installation, ...span, ...(cursor !== undefined && { after: cursor }) };
  const path = `${merchantPath(books)}/disputes`;
  const asked = await call.ask({ method: 'GET', path, query }, pageOfDisputes);
  return asked.map(({ value, at }) => {
    const read = value.disputes.map((listed) => ({
      listed,
      is: v.safeParse(disputeShape, listed),
    }));
    const items = read.flatMap(({ is }) =>
      is.success && is.output.source === installation
        ? [{ paymentId: is.output.number, openedAt: is.output.made_at }]
        : [],
    );
    const skipped = read.flatMap(({ listed, is }) => (is.success ? [] : [toSkipped(listed)]));
    const others = skipped.length > 0 ? { skipped } : {};
    return { items, ...others, at, ...(value.next !== null && { cursor: value.next }) };
  });
}

/** Tally knows no inquiries: an open dispute has taken its amount, and a won one has given it back. */
export function bookingsOf(state: (typeof disputeStates)[number], total: bigint) {
  const amounts = state === 'won' ? [-total, total] : [-total];
  return amounts.map((amountMinor) => ({ amountMinor }));
}
