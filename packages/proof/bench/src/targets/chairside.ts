import { randomUUID } from 'node:crypto';
import type { Chairside } from '@chairside/core';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import * as requests from '../request.ts';
import {
  ada,
  addAppointments,
  countFrom,
  create,
  createAndCapture,
  forEachOf,
  openShop,
  present,
  type Shop,
} from './shop.ts';
import type { Served, Setting } from './target.ts';

/** The requests to Chairside over HTTP, and their effects. */
interface Operation {
  readonly changes?: 'creates' | 'captures';
  /** Does what must precede the request to this appointment, and returns the request. */
  readonly prepare: (shop: Shop, appointmentId: string) => Promise<requests.Request>;
}

export const operations = {
  create: {
    changes: 'creates',
    prepare: async (_, appointmentId) => requests.createRequest(appointmentId),
  },
  capture: {
    changes: 'captures',
    async prepare(shop, appointmentId) {
      const { id, clientSecret } = await create(shop, appointmentId);
      return requests.captureRequest(id, present(shop, clientSecret));
    },
  },
  replay: {
    async prepare(shop, appointmentId) {
      const key = randomUUID();
      const { id } = await create(shop, appointmentId, key);
      return requests.createRequest(appointmentId, { key, holds: `"id":"${id}"` });
    },
  },
  get: {
    async prepare(shop, appointmentId) {
      const id = await createAndCapture(shop, appointmentId);
      return requests.get(`/contactlessPayments/${id}`, `"id":"${id}"`);
    },
  },
  list: {
    async prepare(shop, appointmentId) {
      const id = await createAndCapture(shop, appointmentId);
      return requests.get(requests.paymentsPath(appointmentId), `"id":"${id}"`);
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;

/** The number of concurrent requests during preparation, which share commits well. */
const atOnce = 256;
/** The number of distinct records that repeated requests use. */
const repeated = 500;

export async function prepareAll({ prepare, changes }: Operation, shop: Shop, wanted: number) {
  const prepared: requests.Request[] = [];
  const appointmentIds = await addAppointments(shop, changes === undefined ? repeated : wanted);
  await forEachOf(appointmentIds, atOnce, async (appointmentId) => {
    prepared.push(await prepare(shop, appointmentId));
  });
  return prepared;
}

/** All of Chairside over HTTP: handler, authentication, use cases, SQLite, fake processor. */
export const openChairside =
  (operation: Operation, latencyMs?: number) =>
  async ({ folder, database, wanted }: Setting): Promise<Served> => {
    const shop = await openShop({ folder, database, latencyMs });
    const server = await serve(shop);
    const prepared = await prepareAll(operation, shop, wanted);
    await shop.chairside.settled();
    const { changes } = operation;
    const finding = countFrom(shop);
    return {
      ports: [server.port],
      requests: prepared,
      repeats: changes === undefined,
      finish: async ({ answered }) => finding(changes === undefined ? {} : { [changes]: answered }),
      close: () => server.close().then(shop.close),
    };
  };

export async function serve({ chairside }: { readonly chairside: Chairside }) {
  const app = chairsideHandler(chairside, {
    authenticate: (token) => (token === requests.token ? ada : undefined),
    problemBase: 'https://bench.example',
  });
  const server = createNodeServer(app);
  const { port } = await server.listen(0);
  return { port, close: () => server.close(100) };
}
