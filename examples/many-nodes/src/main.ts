// Starts PostgreSQL, four nodes and a balancer, and takes payments through it. It kills a node at
// the worst moment: the processor has taken the money, and the node has not received the reply.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@chairside/core';
import { startEmbeddedServer } from '@chairside/embedded-postgres';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openPostgresStore } from '@chairside/postgres';
import { takePayment } from './client.ts';
import { serveProcessor } from './remote-processor.ts';
import { amountDue, orEnd, seed } from './shop.ts';

const nodeCount = 4;
const appointmentCount = 24;
/** The number of the capture after which its node is killed. */
const fatalCapture = 8;

const database = await openDatabase();
console.log('PostgreSQL runs.');
const schema = `many_nodes_${Date.now()}`; // each run has records of its own
const store = orEnd(await openPostgresStore(database.connectionString, { schema }));
const processor = createFakeProcessor({ clock: systemClock });
const appointments = orEnd(await seed(store, processor, appointmentCount));

// Node's own balancer listens, and passes connections to the nodes in turn.
cluster.setupPrimary({
  exec: join(import.meta.dirname, 'node.ts'),
  // Amounts are bigints, which JSON lacks.
  serialization: 'advanced',
});
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
let captures = 0;
const nodes = await Promise.all(Array.from({ length: nodeCount }, startNode));
console.log(`${nodes.length} nodes listen on ${url}.`);

const payments = await Promise.all(
  appointments.map((appointmentId) => takePayment(url, processor, appointmentId)),
);

const captured = payments.filter(({ state }) => state === 'captured').length;
console.log(`${captured} of ${appointmentCount} payments are captured, as their clients saw it.`);
const charged = processor.entries().filter((entry) => entry.amountCaptured === amountDue).length;
const opened = processor.entries().length;
console.log(`${charged} of ${opened} payments are charged at the processor, ${amountDue} each.`);
let recorded = 0;
for (const { id } of payments) {
  const stored = orEnd(await store.payments.get(id));
  if (stored?.state === 'captured' && stored.work === undefined) recorded += 1;
}
console.log(`${recorded} are recorded as captured in PostgreSQL, and none is unfinished.`);

for (const node of nodes) node.disconnect();
await store.close();
await database.remove();
const isWhole = [captured, charged, opened, recorded].every((count) => count === appointmentCount);
console.log(isWhole ? 'Nothing was lost, and nothing was charged twice.' : 'Something is wrong.');
process.exitCode = isWhole ? 0 : 1;

/** The server of `DATABASE_URL`, or one that ends with this program. */
async function openDatabase() {
  const connectionString = process.env['DATABASE_URL'];
  if (connectionString !== undefined) return { connectionString, remove: async () => {} };
  return orEnd(await startEmbeddedServer());
}

async function startNode(): Promise<Worker> {
  const node = cluster.fork({
    DATABASE_URL: database.connectionString,
    SCHEMA: schema,
    PORT: port,
  });
  serveProcessor(processor, node, (method) => {
    if (method !== 'capturePayment' || ++captures !== fatalCapture) return;
    console.log(`Node ${node.id} is killed: it has charged a card, and will never get the reply.`);
    node.process.kill('SIGKILL');
  });
  await once(node, 'listening');
  return node;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
