// A stateless node: HTTP, Chairside and the store, behind the proxies. It may die at any moment.
import { createChairside, okAsync, type Result, systemClock } from '@chairside/core';
import { chairsideHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { openPostgresStore } from '@chairside/postgres';
import { createStripeProcessor } from '@chairside/stripe';
import { ada, appointment, barber, business, manager, type NodeSetup, secretKey } from './shop.ts';

const upkeepEveryMs = 1000;
const deadlineMs = 3000;

// cast: the trial passes this setup
const setup = JSON.parse(process.argv[2] ?? '') as NodeSetup;
const clock = { now: () => systemClock.now() + setup.aheadMs };
const processor = orThrow(
  createStripeProcessor({
    secretKey,
    clock,
    deadlineMs,
    api: { host: setup.processorHost, port: setup.processorPort, protocol: 'http' },
  }),
);
const store = orThrow(await openPostgresStore(setup.connectionString, { maxConnections: 6 }));
const chairside = createChairside({
  store: {
    ...store,
    appointments: { get: (id) => okAsync(appointment(id)) },
    barbers: { get: (id) => okAsync(id === barber.id ? barber : undefined) },
    businesses: { get: (id) => okAsync(id === business.id ? business : undefined) },
  },
  processor,
  clock,
  rateLimits: 'off',
});
const app = chairsideHandler(chairside, {
  authenticate: (token) => [ada, manager].find(({ subject }) => subject === token),
  refunds: true,
});
await createNodeServer(app).listen(setup.port, '0.0.0.0');

for (;;) {
  const report = await chairside.reconcile();
  if (report.isErr()) console.error(report.error.detail);
  await new Promise((resolve) => setTimeout(resolve, upkeepEveryMs));
}

function orThrow<T, E>(result: Result<T, E>): T {
  if (result.isOk()) return result.value;
  throw new Error(JSON.stringify(result.error));
}
