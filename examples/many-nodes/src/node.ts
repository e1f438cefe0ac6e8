// One of several stateless HTTP servers. All records are in PostgreSQL.
import { createChairside } from '@chairside/core';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { openPostgresStore } from '@chairside/postgres';
import { createRemoteProcessor } from './remote-processor.ts';
import { login } from './shop.ts';

const reconcileEveryMs = 500;

const opened = await openPostgresStore(process.env['DATABASE_URL'] ?? '', {
  schema: process.env['SCHEMA'],
  maxConnections: 5,
});
if (opened.isErr()) throw new Error(opened.error.message);
const store = opened.value;

const perMinute = { limit: 100_000, windowMs: 60_000 };
const chairside = createChairside({
  store,
  processor: createRemoteProcessor(),
  // Counted for all nodes together.
  rateLimiter: store.rateLimiter,
  rateLimits: {
    reads: perMinute,
    writes: perMinute,
    connectionTokens: perMinute,
    challengeMethods: perMinute,
    challengeTargets: perMinute,
    failedAuthentications: perMinute,
  },
});

const app = chairsideHandler(chairside, {
  authenticate: (token) => (token === 'ada' ? login : undefined),
});
// All nodes share the port; the primary process passes each connection to one of them.
await createNodeServer(app).listen(Number(process.env['PORT']), '127.0.0.1');

// Finishes the interrupted work of other nodes too.
setInterval(async () => {
  const report = await chairside.reconcile();
  if (report.isErr()) console.error(`reconcile: ${report.error.detail}`);
}, reconcileEveryMs);

process.once('disconnect', () => process.exit());
