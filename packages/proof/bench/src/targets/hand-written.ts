import { randomUUID } from 'node:crypto';
import { H3, HTTPError } from 'h3';
import { toNodeHandler } from 'h3/node';
import { type Request, request } from '../load/request.ts';
import { listen } from './listen.ts';
import { type Asked, openSlim } from './slim.ts';
import type { Served, Setting } from './target.ts';

/** Does the writes of one create and resolves once they are durable. */
type Write = (slim: ReturnType<typeof openSlim>) => (asked: Asked) => unknown;

/** Both halves in one transaction for each request. */
const perTransaction: Write = (slim) => (asked) => {
  const payment = slim.begun(asked);
  slim.inTransaction(() => {
    slim.reserve(payment, asked.key);
    slim.effects(payment);
  });
  return payment;
};

/** Each half in a transaction that all requests of the same turn share. */
const grouped: Write = (slim) => {
  let waiting: { readonly work: () => void; readonly done: () => void }[] = [];

  function flush() {
    const batch = waiting;
    waiting = [];
    slim.inTransaction(() => {
      for (const { work } of batch) work();
    });
    for (const { done } of batch) done();
  }

  function durably(work: () => void): Promise<void> {
    return new Promise((done) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ work, done });
    });
  }

  return async (asked) => {
    const payment = slim.begun(asked);
    await durably(() => slim.reserve(payment, asked.key));
    await durably(() => slim.effects(payment));
    return payment;
  };
};

/** A server written by hand: h3 and better-sqlite3, with the writes but without checks. */
const open =
  (write: Write) =>
  async (setting: Setting): Promise<Served> => {
    const slim = openSlim(setting.folder);
    const create = write(slim);
    const app = new H3().post('/appointments/:id/contactlessPayments', async (event) => {
      const { amount } = amountIn(await event.req.json());
      const key = event.req.headers.get('idempotency-key') ?? '';
      event.res.status = 201;
      return create({ appointment: event.context.params?.['id'] ?? '', key, amount });
    });
    const { port, close } = await listen(toNodeHandler(app));
    return {
      ...slim,
      ports: [port],
      requests: createRequests(setting.wanted),
      repeats: false,
      async close() {
        await close();
        slim.close();
      },
    };
  };

export const openPerTransaction = open(perTransaction);
export const openGrouped = open(grouped);

function amountIn(body: unknown): { amount: string } {
  if (typeof body === 'object' && body !== null && 'amount' in body) {
    return { amount: String(body.amount) };
  }
  throw new HTTPError({ status: 400 });
}

/** The same as for Chairside: one appointment each, and keys in random order. */
export function createRequests(wanted: number): Request[] {
  return Array.from({ length: wanted }, (_, index) =>
    request({
      path: `/appointments/appointment-${index}/contactlessPayments`,
      token: 'ada',
      key: randomUUID(),
      body: JSON.stringify({ amount: '45.00' }),
      status: 201,
      holds: `appointment-${index}"`,
    }),
  );
}
