import { formatMoney, parseMoney } from '@chairside/core';
import * as v from 'valibot';
import type { Books, TallyDispute, TallyOrder, TallyRefund, TallyVault } from './books.ts';

export interface Asked {
  /** The parts of the path that the route names. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Answered {
  readonly status: number;
  readonly body: object;
}

export interface Route {
  readonly name: RouteName;
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  answer(books: Books, asked: Asked): Answered;
}

export type RouteName =
  | 'createOrder'
  | 'listOrders'
  | 'readSale'
  | 'completeSale'
  | 'voidOrders'
  | 'createRefund'
  | 'listRefunds'
  | 'listRecentRefunds'
  | 'listDisputes'
  | 'listRecentDisputes'
  | 'createToken'
  | 'createVault'
  | 'listVaults'
  | 'cancelVault';

/** Refunds come in pages of this length. */
const refundsPerPage = 10;

const ok = (body: object): Answered => ({ status: 200, body });
const refuse = (status: number, code: string): Answered => ({ status, body: { code } });
const money = v.pipe(
  v.string(),
  v.regex(/^\d{1,13}\.\d{2}$/),
  v.transform((text) => parseMoney(text).unwrapOr(0n)),
);

const createOrderBody = v.object({
  number: v.string(),
  source: v.string(),
  total: money,
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  fee: v.optional(money),
});
const completionBody = v.object({ revision: v.number(), note: v.string() });
const voidBody = v.object({ number: v.string(), source: v.string() });
const refundBody = v.object({ total: money, note: v.string(), return_fee: v.boolean() });
const tokenBody = v.object({ site: v.optional(v.string()) });
const vaultBody = v.object({
  number: v.string(),
  source: v.string(),
  customer: v.string(),
  reusable: v.boolean(),
});

/** A handler of a body of this shape; any other is refused. */
const taking =
  <Shape extends v.GenericSchema>(
    shape: Shape,
    answer: (books: Books, body: v.InferOutput<Shape>, path: readonly string[]) => Answered,
  ): Route['answer'] =>
  (books, { body, path }) => {
    const parsed = v.safeParse(shape, body);
    return parsed.success ? answer(books, parsed.output, path) : refuse(400, 'bad_request');
  };

const inMerchant = (order: TallyOrder | undefined, merchant = '') =>
  order?.merchant === merchant ? order : undefined;

export const routes: readonly Route[] = [
  {
    name: 'createOrder',
    method: 'POST',
    path: /^\/merchants\/([^/]+)\/orders$/,
    answer: taking(createOrderBody, (books, body, [merchant = '']) => {
      const { number, source, currency, fee } = body;
      const order: TallyOrder = {
        merchant,
        number,
        source,
        totalMinor: body.total,
        currency,
        ...(fee !== undefined && { feeMinor: fee }),
        token: books.newId('token'),
        openedAt: books.now(),
        state: 'open',
        revision: 0,
        refunds: [],
        disputes: [],
        log: [],
      };
      books.orders.push(order);
      books.change(order, 'open');
      return ok(orderOf(order));
    }),
  },
  {
    name: 'listOrders',
    method: 'GET',
    path: /^\/merchants\/([^/]+)\/orders$/,
    answer(books, { path: [merchant], query }) {
      books.settle();
      const number = query.get('number');
      const [from, before] = [query.get('from') ?? 0, query.get('before') ?? 1e15].map(Number);
      const found = books.orders.filter(
        (order) =>
          order.merchant === merchant &&
          order.source === query.get('source') &&
          (number === null || order.number === number) &&
          order.openedAt >= (from ?? 0) &&
          order.openedAt < (before ?? 0),
      );
      const page = pageOf(found, query, Number(query.get('limit') ?? 100));
      if (page === undefined) return refuse(400, 'unknown_place');
      return ok({ orders: page.items.map(orderOf), next: page.next });
    },
  },
  {
    name: 'readSale',
    method: 'GET',
    path: /^\/merchants\/([^/]+)\/sales\/([^/]*)$/,
    answer(books, { path: [merchant, sale = ''] }) {
      const order = inMerchant(books.saleOf(sale), merchant);
      return order === undefined ? refuse(404, 'not_found') : ok(orderOf(order));
    },
  },
  {
    name: 'completeSale',
    method: 'POST',
    path: /^\/merchants\/([^/]+)\/sales\/([^/]+)\/completion$/,
    answer: taking(completionBody, (books, { revision, note }, [merchant, sale = '']) => {
      const order = inMerchant(books.saleOf(sale), merchant);
      if (order?.sale === undefined) return refuse(404, 'not_found');
      if (order.state !== 'held') return refuse(409, 'wrong_state');
      if (order.revision !== revision) return refuse(409, 'stale');
      if (books.slow.has(order.merchant)) {
        order.sale.note = note;
        books.change(order, 'completing');
      } else books.complete(order, order.sale, note);
      return ok(orderOf(order));
    }),
  },
  {
    name: 'voidOrders',
    method: 'POST',
    path: /^\/merchants\/([^/]+)\/voids$/,
    answer: taking(voidBody, (books, { number, source }, [merchant]) => {
      books.settle();
      const meant = books.orders.filter(
        (order) =>
          order.merchant === merchant && order.number === number && order.source === source,
      );
      if (meant.some(({ state }) => /^complet/.test(state))) return refuse(409, 'wrong_state');
      for (const order of meant) if (order.state !== 'voided') books.change(order, 'voided');
      return ok({ orders: meant.map(orderOf), next: null });
    }),
  },
  {
    name: 'createRefund',
    method: 'POST',
    path: /^\/merchants\/([^/]+)\/sales\/([^/]+)\/refunds$/,
    answer: taking(refundBody, (books, { total, note }, [merchant, sale = '']) => {
      const order = inMerchant(books.saleOf(sale), merchant);
      if (order === undefined) return refuse(404, 'not_found');
      const refund = books.refund(order, total, note);
      return refund === undefined ? refuse(409, 'too_much') : ok(refundOf(order, refund));
    }),
  },
  {
    name: 'listRefunds',
    method: 'GET',
    path: /^\/merchants\/([^/]+)\/sales\/([^/]+)\/refunds$/,
    answer(books, { path: [merchant, sale = ''], query }) {
      const order = inMerchant(books.saleOf(sale), merchant);
      if (order === undefined) return refuse(404, 'not_found');
      const page = pageOf(order.refunds, query, refundsPerPage);
      if (page === undefined) return refuse(400, 'unknown_place');
      return ok({ refunds: page.items.map((refund) => refundOf(order, refund)), next: page.next });
    },
  },
  {
    name: 'listRecentRefunds',
    method: 'GET',
    path: /^\/merchants\/([^/]+)\/refunds$/,
    answer(books, { path: [merchant], query }) {
      const made = madeIn(books, merchant, query, ({ refunds }) => refunds);
      const page = pageOf(made, query, Number(query.get('limit')));
      if (page === undefined) return refuse(400, 'unknown_place');
      const refunds = page.items.map(({ order, one }) => refundOf(order, one));
      return ok({ refunds, next: page.next });
    },
  },
  {
    name: 'listDisputes',
    method: 'GET',
    path: /^\/merchants\/([^/]+)\/sales\/([^/]+)\/disputes$/,
    answer(books, { path: [merchant, sale = ''] }) {
      const order = inMerchant(books.saleOf(sale), merchant);
      if (order === undefined) return refuse(404, 'not_found');
      return ok({ disputes: order.disputes.map((one) => disputeOf(order, one)), next: null });
    },
  },
  {
    name: 'listRecentDisputes',
    method: 'GET',
    path: /^\/merchants\/([^/]+)\/disputes$/,
    answer(books, { path: [merchant], query }) {
      const page = pageOf(
        madeIn(books, merchant, query, ({ disputes }) => disputes),
        query,
        Number(query.get('limit')),
      );
      if (page === undefined) return refuse(400, 'unknown_place');
      const disputes = page.items.map(({ order, one }) => disputeOf(order, one));
      return ok({ disputes, next: page.next });
    },
  },
  {
    name: 'createToken',
    method: 'POST',
    path: /^\/merchants\/([^/]+)\/terminal-tokens$/,
    answer: taking(tokenBody, (books, { site }, [merchant = '']) => {
      const isKnown = site === undefined || books.merchants.get(merchant)?.sites.has(site);
      return isKnown ? ok({ token: books.newId('terminal') }) : refuse(409, 'unknown_site');
    }),
  },
  {
    name: 'createVault',
    method: 'POST',
    path: /^\/vaults$/,
    answer: taking(vaultBody, (books, body) => {
      if (books.forgotten.has(body.customer)) return refuse(409, 'unknown_customer');
      const vault: TallyVault = {
        ...body,
        id: books.newId('vault'),
        token: books.newId('page'),
        state: 'open',
      };
      books.vaults.push(vault);
      return ok(vaultOf(vault));
    }),
  },
  {
    name: 'listVaults',
    method: 'GET',
    path: /^\/vaults$/,
    answer(books, { query }) {
      const found = books.vaults.filter(
        ({ number, source }) => number === query.get('number') && source === query.get('source'),
      );
      return ok({ vaults: found.map(vaultOf) });
    },
  },
  {
    name: 'cancelVault',
    method: 'POST',
    path: /^\/vaults\/([^/]+)\/cancelation$/,
    answer(books, { path: [id] }) {
      const vault = books.vaults.find((one) => one.id === id);
      if (vault === undefined) return refuse(404, 'not_found');
      if (vault.state === 'completed') return refuse(409, 'wrong_state');
      vault.state = 'canceled';
      return ok(vaultOf(vault));
    },
  },
];

/** The refunds or disputes of a merchant that were made in the span, oldest first. */
function madeIn<T extends { readonly at: number }>(
  books: Books,
  merchant: string | undefined,
  query: URLSearchParams,
  of: (order: TallyOrder) => readonly T[],
) {
  const [from, before] = [Number(query.get('from')), Number(query.get('before'))];
  return books.orders
    .filter((order) => order.merchant === merchant && order.source === query.get('source'))
    .flatMap((order) => of(order).map((one) => ({ order, one })))
    .filter(({ one: { at } }) => at >= from && at < before)
    .sort((a, b) => a.one.at - b.one.at);
}

/** One page, after the place that `after` names; `undefined` for a place that Tally did not name. */
function pageOf<T>(all: readonly T[], query: URLSearchParams, limit: number) {
  const after = query.get('after') ?? '0';
  if (!/^\d{1,9}$/.test(after)) return undefined;
  const start = Number(after);
  const end = start + Math.min(limit, 100);
  return { items: all.slice(start, end), next: end < all.length ? `${end}` : null };
}

function orderOf(order: TallyOrder) {
  const { merchant, number, source, currency, token, revision, sale, isSpoiled = false } = order;
  const state = isSpoiled ? 'melted' : order.state;
  const receipt = { aid: 'A0000000031010', label: 'SCHEME ONE', auth_code: 'A1B2C3' };
  return {
    ...{ merchant, number, source, currency, token, state, revision },
    total: formatMoney(order.totalMinor),
    fee: order.feeMinor === undefined ? null : formatMoney(order.feeMinor),
    opened_at: order.openedAt,
    sale:
      sale === undefined
        ? null
        : {
            id: sale.id,
            card: sale.card ? { ...sale.card, expires: '2034-12' } : null,
            approved: sale.approvedMinor === undefined ? null : formatMoney(sale.approvedMinor),
            held_at: sale.heldAt ?? null,
            hold_until: sale.holdUntil ?? null,
            completing: order.state === 'completing' ? (sale.note ?? null) : null,
            failed: sale.failed,
            completed: sale.completed
              ? {
                  total: formatMoney(sale.completed.totalMinor),
                  note: sale.completed.note,
                  at: sale.completed.at,
                }
              : null,
            receipt: sale.card ? { ...receipt, method: 'none' } : null,
          },
  };
}

function refundOf({ number, source, currency }: TallyOrder, refund: TallyRefund) {
  const { id, note = null, totalMinor, at: made_at, isSpoiled = false } = refund;
  const state = isSpoiled ? 'melted' : refund.state;
  const total = formatMoney(totalMinor);
  return { id, number, source, currency, note, total, made_at, state };
}

function disputeOf({ number, source, currency }: TallyOrder, dispute: TallyDispute) {
  const { id, totalMinor, at: made_at, isSpoiled = false } = dispute;
  const state = isSpoiled ? 'melted' : 'open';
  return { id, number, source, currency, total: formatMoney(totalMinor), made_at, state };
}

function vaultOf({ id, number, source, token, state, method, completedAt }: TallyVault) {
  const [entered, completed_at] = [method ?? null, completedAt ?? null];
  return { id, number, source, token, state, method: entered, completed_at };
}
