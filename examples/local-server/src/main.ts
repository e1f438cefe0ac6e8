import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AuthContext,
  createChairside,
  fault,
  type Observation,
  Result,
  ResultAsync,
  secondMs,
  systemClock,
} from '@chairside/core';
import { type ChairsideHandler, chairsideHandler, processorEventsHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { openSqliteStore, SqliteStoreFailed } from '@chairside/sqlite';
import { defaultFolder, readConfig } from './config.ts';
import { people } from './demo-data.ts';
import { addDemoRoutes } from './demo-routes.ts';
import { addDocs } from './docs.ts';
import { createSender } from './event-sender.ts';
import { isExpectedHost } from './expected-host.ts';
import { openProcessor } from './processor.ts';
import { createRareLog, troubleOf } from './rare-log.ts';
import { seed } from './seed.ts';
import { startUpkeep } from './upkeep.ts';
import { greeting } from './walkthrough.ts';

// What can still be closed. A signal may arrive twice (from the terminal and from who started us).
let state: 'starting' | 'running' | 'closing' = 'starting';

/** While the processor is down, each request would say so. */
const warn = createRareLog(console.error, systemClock.now);

// Configuration, from the environment.
const config = orEnd(readConfig(process.env));

// The records, and the processor: Stripe, or a simulated one, whose ledger is a second SQLite file.
const { databasePath } = config;
if (dirname(databasePath) === defaultFolder) orEnd(makeFolder(defaultFolder));
const store = orEnd(
  openSqliteStore(databasePath, { onError: onStoreError }).mapErr(({ message }) => message),
);
const inUse = orEnd(await openProcessor(config));
const { processor, simulated, account, about } = inUse;

// Chairside, and what the demo begins with.
const { rateLimits } = config;
const chairside = createChairside({ store, processor, rateLimits, observe });
const seeded = await seed({ chairside, store, simulated, account });
orEnd(seeded.mapErr((why) => `${databasePath}: ${why}`));

// HTTP. The app is made when the port is known, since its problems name the address.
let app: ChairsideHandler;
const server = createNodeServer({
  fetch: (request) => (isMeant(request) ? app.fetch(request) : turnAway(request)),
  refuse: (fault, path) => app.refuse(fault, path),
});
const { url } = orEnd(await listen());
const baseUrl = config.baseUrl ?? url;
const http = {
  publicUrl: new URL(baseUrl).origin,
  basePath: new URL(baseUrl).pathname,
  onFailure: onError,
};
app = chairsideHandler(chairside, { authenticate, ...http });
addDemoRoutes(app, { chairside, store, simulated, baseUrl });
addDocs(app, baseUrl);

// The processor's events: the simulated one sends them over HTTP, as the real one does.
const eventsPath = '/processor/events';
app.all(eventsPath, processorEventsHandler(chairside, http));
const sender = simulated && createSender(simulated, url + eventsPath, config.eventPlan);
const upkeep = startUpkeep(chairside, sender, warn);

// A signal ends it.
state = 'running';
process.on('SIGINT', close);
process.on('SIGTERM', close);

console.log(greeting({ url, databasePath, about, isSimulated: simulated !== undefined }));

/** Lets everything come to its end, in the order in which one needs the other. */
async function close(): Promise<void> {
  if (state !== 'running') return;
  state = 'closing';
  setTimeout(() => process.exit(1), 4.8 * secondMs).unref();
  await Promise.all([server.close(4 * secondMs), upkeep.stop()]);
  await chairside.settled();
  await store.close();
  inUse.close();
}

function listen(): ResultAsync<{ readonly url: string }, string> {
  const { host, port } = config;
  return ResultAsync.fromPromise(server.listen(port, host), (thrown) =>
    codeOf(thrown) === 'EADDRINUSE'
      ? `port ${port} on ${host} is in use; set PORT to another one`
      : `cannot listen on ${host}, port ${port}: ${codeOf(thrown)}`,
  );
}

function makeFolder(path: string): Result<unknown, string> {
  return Result.fromThrowable(
    () => mkdirSync(path, { recursive: true }),
    (thrown) => `${path}: the folder cannot be made: ${codeOf(thrown)}`,
  )();
}

/** On Stripe there is something to win for a web page that the developer happens to look at. */
function isMeant({ headers }: Request): boolean {
  return config.stripe === undefined || isExpectedHost(headers.get('host'), baseUrl);
}

function turnAway({ url }: Request): Response {
  const why = fault('notFound', 'This server has another name: localhost, or that of BASE_URL.');
  return app.refuse(why, new URL(url).pathname);
}

/** Every token of the demo is in one table. */
function authenticate(token: string): AuthContext | undefined {
  return Object.values(people).find((person) => person.token === token)?.auth;
}

/** What went well is not worth a line. */
function observe(seen: Observation): void {
  const trouble = troubleOf(seen);
  if (trouble !== undefined) warn(trouble);
}

function onError(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
}

/** What nothing but a new start mends ends the server, so that whoever watches it starts it again. */
function onStoreError(error: unknown): void {
  onError(error);
  if (!(error instanceof SqliteStoreFailed)) return;
  process.exitCode = 1;
  void close();
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}

/** Whatever is wrong before the server listens is one line, and the end. */
function orEnd<T>(result: Result<T, string>): T {
  if (result.isOk()) return result.value;
  console.error(`chairside: ${result.error}`);
  process.exit(1);
}
