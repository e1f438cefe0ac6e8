import { type Card, moneyPattern, parseMoney } from '@chairside/core';
import {
  cardNetworks,
  fundingTypes,
  type ListedPayment,
  type PaymentHandle,
  type SkippedItem,
} from '@chairside/core/ports';
import * as v from 'valibot';

/** Tally writes amounts as decimal texts: `45.37`. */
export const amount = v.pipe(
  v.string(),
  v.maxLength(17),
  v.regex(moneyPattern),
  v.transform((text) => parseMoney(text).unwrapOr(0n)),
);
export const text = v.pipe(v.string(), v.nonEmpty(), v.maxLength(500));
export const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const cardShape = v.object({
  last4: v.pipe(v.string(), v.regex(/^\d{4}$/)),
  scheme: v.string(),
  funding: v.string(),
  expires: v.pipe(v.string(), v.regex(/^\d{4}-(0[1-9]|1[0-2])$/)),
});

/** A sale exists once a card was presented: until then an order has no id of Tally's. */
const saleShape = v.object({
  id: text,
  card: v.nullable(cardShape),
  approved: v.nullable(amount),
  held_at: v.nullable(time),
  hold_until: v.nullable(time),
  /** The note of the completion that Tally has accepted and not ended. */
  completing: v.nullable(text),
  /** The notes of completions that were accepted and failed. */
  failed: v.array(text),
  completed: v.nullable(v.object({ total: amount, note: text, at: time })),
  receipt: v.nullable(
    v.object({ aid: v.string(), label: v.string(), auth_code: v.string(), method: v.string() }),
  ),
});

export const orderShape = v.object({
  merchant: text,
  number: text,
  source: text,
  total: amount,
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  fee: v.nullable(amount),
  token: text,
  opened_at: time,
  state: v.picklist(['open', 'declined', 'held', 'completing', 'completed', 'voided']),
  revision: v.number(),
  sale: v.nullable(saleShape),
});
export type Order = v.InferOutput<typeof orderShape>;

export const ordersShape = v.object({ orders: v.array(orderShape), next: v.nullable(text) });

export const statuses = {
  open: 'created',
  declined: 'failed',
  held: 'authorized',
  // Accepted and not ended: no money was taken, and it may still fail.
  completing: 'authorized',
  completed: 'captured',
  voided: 'canceled',
} as const;

/** Our id and our mark are in the order: another's is not shown. */
export function isOf(order: Order, payment: PaymentHandle): boolean {
  const { account, paymentId, installation } = payment;
  return order.merchant === account && order.number === paymentId && order.source === installation;
}

export function toPayment(order: Order, at?: number): ListedPayment {
  const { sale } = order;
  return {
    paymentId: order.number,
    status: statuses[order.state],
    account: order.merchant,
    currency: order.currency.toLowerCase(),
    amountMinor: order.total,
    applicationFeeMinor: order.fee ?? 0n,
    clientSecret: order.token,
    openedAt: order.opened_at,
    ...(at !== undefined && { at }),
    ...(sale !== null && { reference: sale.id }),
    ...(sale?.card && { card: toCard(sale.card) }),
    ...(sale?.approved != null && { authorizedMinor: sale.approved }),
    ...(sale?.held_at != null && { authorizedAt: sale.held_at }),
    ...(sale?.hold_until != null && { captureBefore: sale.hold_until }),
    ...(sale?.completed && {
      capturedMinor: sale.completed.total,
      capturedAt: sale.completed.at,
    }),
  };
}

const schemes: Readonly<Record<string, Card['network']>> = {
  'scheme-1': 'network_a',
  'scheme-2': 'network_b',
  'scheme-3': 'network_c',
  'scheme-4': 'network_d',
};

function toCard({ last4, scheme, funding, expires }: v.InferOutput<typeof cardShape>): Card {
  const network = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  return {
    maskedPersonalAccountNumber: `*${last4}`,
    network: cardNetworks.find((one) => one === network) ?? 'other',
    fundingType: fundingTypes.find((one) => one === funding) ?? 'other',
    expirationYear: expires.slice(0, 4),
    expirationMonth: expires.slice(5),
  };
}

const knownShape = v.object({ id: text, made_at: v.optional(v.number()) });

/** A refund or dispute of a list that cannot be read. */
export function toSkipped(listed: unknown): SkippedItem {
  if (!v.is(knownShape, listed)) return { reference: 'unknown' };
  const { id, made_at: openedAt } = listed;
  return { reference: id, ...(openedAt !== undefined && { openedAt }) };
}
