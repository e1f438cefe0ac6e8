import { randomUUID } from 'node:crypto';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { type Request, request } from '../load/request.ts';
import {
  addAppointments,
  amount,
  capture,
  captureBody,
  create,
  forEachOf,
  openShop,
  people,
  present,
  type Shop,
} from './shop.ts';
import { tally, verifyGrowth } from './tally.ts';
import type { Served, Setting } from './target.ts';

/** The requests to Chairside over HTTP, and their effects. */
interface Operation {
  readonly prepare: (shop: Shop, wanted: number) => Promise<readonly Request[]>;
  readonly changes?: 'creates' | 'captures';
}

/** The number of concurrent requests during preparation, which share commits well. */
const atOnce = 256;
/** The number of distinct records that reading requests use. */
const read = 500;

const token = 'ada';
const body = JSON.stringify({ amount });
const createPath = (appointmentId: string) => `/appointments/${appointmentId}/contactlessPayments`;

async function prepareCreates(shop: Shop, wanted: number): Promise<Request[]> {
  const appointments = await addAppointments(shop, wanted);
  return appointments.map((id) =>
    request({
      path: createPath(id),
      token,
      key: randomUUID(),
      body,
      status: 201,
      holds: `"id":"${id}"`,
    }),
  );
}

async function prepareCaptures(shop: Shop, wanted: number): Promise<Request[]> {
  const requests: Request[] = [];
  await forEachOf(await addAppointments(shop, wanted), atOnce, async (appointmentId) => {
    const payment = await create(shop, appointmentId);
    requests.push(
      request({
        path: `/contactlessPayments/${payment.id}/captured`,
        token,
        key: randomUUID(),
        body: JSON.stringify(captureBody(present(shop, payment.clientSecret))),
        holds: '"state":"captured"',
      }),
    );
  });
  return requests;
}

async function prepareReplays(shop: Shop): Promise<Request[]> {
  const requests: Request[] = [];
  await forEachOf(await addAppointments(shop, read), atOnce, async (appointmentId) => {
    const key = randomUUID();
    const { id } = await create(shop, appointmentId, key);
    const holds = `"id":"${id}"`;
    requests.push(
      request({ path: createPath(appointmentId), token, key, body, status: 201, holds }),
    );
  });
  return requests;
}

/** Captures payments, and prepares a read of each. */
const prepareReads =
  (path: (paymentId: string, appointmentId: string) => string) =>
  async (shop: Shop): Promise<Request[]> => {
    const requests: Request[] = [];
    await forEachOf(await addAppointments(shop, read), atOnce, async (appointmentId) => {
      const payment = await create(shop, appointmentId);
      await capture(shop, payment.id, present(shop, payment.clientSecret));
      requests.push(
        request({
          method: 'GET',
          path: path(payment.id, appointmentId),
          token,
          holds: `"id":"${payment.id}"`,
        }),
      );
    });
    return requests;
  };

export const operations = {
  create: { prepare: prepareCreates, changes: 'creates' },
  capture: { prepare: prepareCaptures, changes: 'captures' },
  replay: { prepare: prepareReplays },
  get: { prepare: prepareReads((paymentId) => `/contactlessPayments/${paymentId}`) },
  list: { prepare: prepareReads((_, appointmentId) => createPath(appointmentId)) },
} as const satisfies Readonly<Record<string, Operation>>;

/** All of Chairside over HTTP: handler, authentication, use cases, SQLite, fake processor. */
export const openChairside =
  ({ prepare, changes }: Operation, latencyMs?: number) =>
  async ({ folder, database, wanted }: Setting): Promise<Served> => {
    const shop = await openShop({
      folder,
      database,
      ...(latencyMs !== undefined && { latencyMs }),
    });
    const server = await serve(shop);
    const requests = await prepare(shop, wanted);
    await shop.chairside.settled();
    const before = tally(shop);
    const commitsBefore = shop.commits();
    return {
      ports: [server.port],
      requests,
      repeats: changes === undefined,
      commits: () => shop.commits() - commitsBefore,
      verify: async (answered) =>
        verifyGrowth(shop, before, changes === undefined ? {} : { [changes]: answered }),
      async close() {
        await server.close();
        await shop.close();
      },
    };
  };

export async function serve({ chairside }: Pick<Shop, 'chairside'>) {
  const app = chairsideHandler(chairside, {
    authenticate: (token) => people.get(token),
    problemBase: 'https://bench.example',
  });
  const server = createNodeServer(app);
  const { port } = await server.listen(0);
  return { port, close: () => server.close(100) };
}
