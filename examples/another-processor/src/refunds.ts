import { err, formatMoney, ok, type Result } from '@chairside/core';
import type {
  ListedPage,
  ListedPayment,
  ListedReturn,
  ListRequest,
  PaymentHandle,
  ProcessorError,
  ProcessorRefund,
  RefundPaymentRequest,
  SkippedItem,
  UnreadablePayment,
} from '@chairside/core/ports';
import * as v from 'valibot';
import { type Call, type Question, rejected, unknown } from './connection.ts';
import { findOrder, merchantPath, salePath } from './orders.ts';
import { amount, orderShape, text, time, toPayment, toSkipped } from './shapes.ts';

type Answer<T> = Promise<Result<T, ProcessorError>>;

export async function listPayments(
  call: Call,
  { books, installation, openedFrom, openedBefore, limit, cursor }: ListRequest,
): Answer<ListedPage<ListedPayment>> {
  const query = {
    source: installation,
    from: `${openedFrom}`,
    before: `${openedBefore}`,
    limit: `${limit}`,
    ...(cursor !== undefined && { after: cursor }),
  };
  const path = `${merchantPath(books)}/orders`;
  const asked = await call.ask({ method: 'GET', path, query }, pageShape);
  if (asked.isErr()) return err(asked.error);
  const { value, at } = asked.value;
  const items: ListedPayment[] = [];
  const unreadable: UnreadablePayment[] = [];
  for (const listed of value.orders) {
    const order = v.safeParse(orderShape, listed);
    if (order.success) {
      if (order.output.source === installation) items.push(toPayment(order.output, at));
      continue;
    }
    // One that cannot be read must not hide the others (D51).
    const known = v.safeParse(knownShape, listed);
    if (!known.success) return err(unknown);
    const { merchant: account, sale, opened_at: openedAt } = known.output;
    unreadable.push({ account, reference: sale.id, openedAt });
  }
  const others = unreadable.length > 0 ? { unreadable } : {};
  return ok({ items, ...others, at, ...(value.next !== null && { cursor: value.next }) });
}

const pageShape = v.object({ orders: v.array(v.unknown()), next: v.nullable(text) });
const knownShape = v.object({ merchant: text, opened_at: time, sale: v.object({ id: text }) });

const refundShape = v.object({
  id: text,
  number: text,
  source: text,
  total: amount,
  currency: v.string(),
  made_at: time,
  note: v.nullable(text),
  state: v.picklist(['pending', 'succeeded', 'failed', 'canceled']),
});
const refundsShape = v.object({ refunds: v.array(refundShape), next: v.nullable(text) });
type TallyRefund = v.InferOutput<typeof refundShape>;

export async function refundPayment(
  call: Call,
  request: RefundPaymentRequest,
): Answer<ProcessorRefund> {
  const { account, refundId, amountMinor, currency, returnsFee, idempotencyKey } = request;
  const found = await findOrder(call, request);
  if (found.isErr()) return err(found.error);
  const order = found.value?.value;
  if (!order?.sale || order.state !== 'completed') return err(rejected('unexpectedState'));
  if (order.currency.toLowerCase() !== currency) return err(rejected('currencyMismatch'));
  const path = `${salePath(account, order.sale.id)}/refunds`;
  const body = { total: formatMoney(amountMinor), note: refundId, return_fee: returnsFee };
  const question = { method: 'POST', path, body, requestId: idempotencyKey } as const;
  const asked = await call.ask(question, refundShape);
  if (asked.isErr()) return err(asked.error);
  const refund = toRefund(asked.value.value);
  const { number, source } = asked.value.value;
  const isOurs = number === request.paymentId && source === request.installation;
  const isSame = refund.amountMinor === amountMinor && refund.currency === currency;
  return isOurs && isSame && refund.refundId === refundId ? ok(refund) : err(unknown);
}

export async function listRefunds(
  call: Call,
  payment: PaymentHandle,
): Answer<readonly ProcessorRefund[]> {
  const found = await findOrder(call, payment);
  if (found.isErr()) return err(found.error);
  const sale = found.value?.value.sale;
  if (!sale) return ok([]);
  const path = `${salePath(payment.account, sale.id)}/refunds`;
  return (await allOf(call, { method: 'GET', path })).map(({ refunds }) => refunds.map(toRefund));
}

export async function listRecentRefunds(
  call: Call,
  { books, installation, openedFrom, openedBefore, limit, cursor }: ListRequest,
): Answer<ListedPage<ListedReturn>> {
  const span = { from: `${openedFrom}`, before: `${openedBefore}`, limit: `${limit}` };
  const query = { source: installation, ...span, ...(cursor !== undefined && { after: cursor }) };
  const path = `${merchantPath(books)}/refunds`;
  const asked = await call.ask({ method: 'GET', path, query }, pageOfRefunds);
  return asked.map(({ value, at }) => {
    const items: ListedReturn[] = [];
    const skipped: SkippedItem[] = [];
    for (const listed of value.refunds) {
      const refund = v.safeParse(refundShape, listed);
      if (!refund.success) skipped.push(toSkipped(listed));
      else if (refund.output.source === installation) {
        items.push({ paymentId: refund.output.number, openedAt: refund.output.made_at });
      }
    }
    const others = skipped.length > 0 ? { skipped } : {};
    return { items, ...others, at, ...(value.next !== null && { cursor: value.next }) };
  });
}

const pageOfRefunds = v.object({ refunds: v.array(v.unknown()), next: v.nullable(text) });
const maxPages = 200;

/** All pages, or an error: a part of a list would hide money that was given back. */
async function allOf(
  call: Call,
  question: Question,
): Answer<{ readonly refunds: readonly TallyRefund[]; readonly at: number }> {
  const refunds: TallyRefund[] = [];
  let after = {};
  for (let page = 0; page < maxPages; page += 1) {
    const query = { ...question.query, ...after };
    const asked = await call.ask({ ...question, query }, refundsShape);
    if (asked.isErr()) return err(asked.error);
    const { value, at } = asked.value;
    refunds.push(...value.refunds);
    if (value.next === null) return ok({ refunds, at });
    after = { after: value.next };
  }
  return err(unknown);
}

function toRefund({
  id,
  note,
  state,
  total,
  currency,
  made_at: madeAt,
}: TallyRefund): ProcessorRefund {
  return {
    reference: id,
    ...(note !== null && { refundId: note }),
    state,
    amountMinor: total,
    currency: currency.toLowerCase(),
    madeAt,
  };
}
