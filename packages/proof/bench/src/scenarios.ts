import { openChairside, operations } from './targets/chairside.ts';
import { openEcho } from './targets/echo.ts';
import { openExpress } from './targets/express.ts';
import { openGrouped, openPerTransaction } from './targets/hand-written.ts';
import { openBatches, openInProcess, openStore } from './targets/in-process.ts';
import { openPostgres } from './targets/postgres.ts';
import type { Setting, Target } from './targets/target.ts';

export interface Scenario {
  readonly title: string;
  /** The numbers of connections, or callers in process, to measure with. */
  readonly connections: readonly number[];
  readonly open: (setting: Setting) => Promise<Target>;
}

const http = [1, 8, 64];

/** All scenarios, by name. The first ones are the floors. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  echo: { title: 'h3 echo', connections: http, open: openEcho },
  perTransaction: {
    title: 'by hand, a transaction a request',
    connections: http,
    open: openPerTransaction,
  },
  grouped: { title: 'by hand, two grouped commits', connections: http, open: openGrouped },
  express: { title: 'Express, Drizzle, middleware', connections: http, open: openExpress },
  batches: { title: 'no HTTP: SQLite, batches of 64', connections: [1], open: openBatches },

  create: { title: 'create', connections: http, open: openChairside(operations.create) },
  capture: { title: 'capture', connections: http, open: openChairside(operations.capture) },
  replay: { title: 'replay', connections: http, open: openChairside(operations.replay) },
  get: { title: 'get', connections: http, open: openChairside(operations.get) },
  list: { title: 'list', connections: http, open: openChairside(operations.list) },
  inProcess: { title: 'no HTTP: create + capture', connections: [64], open: openInProcess },
  store: { title: 'no HTTP: the store alone', connections: [64], open: openStore },
  createSlow: {
    title: 'create, processor takes 50 ms',
    connections: [256],
    open: openChairside(operations.create, 50),
  },
  captureSlow: {
    title: 'capture, processor takes 50 ms',
    connections: [256],
    open: openChairside(operations.capture, 50),
  },

  postgresByHand: {
    title: 'PostgreSQL by hand, create + capture',
    connections: [1, 64],
    open: openPostgres('byHand', 1),
  },
  postgresGrouped: {
    title: 'PostgreSQL by hand, grouped',
    connections: [1, 64],
    open: openPostgres('grouped', 1),
  },
  postgres: {
    title: 'PostgreSQL, create + capture',
    connections: [1, 64],
    open: openPostgres('chairside', 1),
  },
  postgres2: {
    title: 'PostgreSQL, two nodes',
    connections: [64],
    open: openPostgres('chairside', 2),
  },
  postgres4: {
    title: 'PostgreSQL, four nodes',
    connections: [64],
    open: openPostgres('chairside', 4),
  },
};
