import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AuthContext,
  createChairside,
  type Observation,
  Result,
  ResultAsync,
  secondMs,
  systemClock,
} from '@chairside/core';
import { fault } from '@chairside/core/ports';
import { type ChairsideHandler, chairsideHandler, processorEventsHandler } from '@chairside/h3';
import { createNodeServer } from '@chairside/h3/node';
import { SqliteStoreFailed } from '@chairside/sqlite';
import { compileOnly } from './compile-only.ts';
import { defaultFolder, inMemory, readConfig } from './config.ts';
import { people } from './demo-data.ts';
import { addDemoRoutes } from './demo-routes.ts';
import { addDocs } from './docs.ts';
import { createSender } from './event-sender.ts';
import { isMeant } from './expected-host.ts';
import { openProcessor } from './processor.ts';
import { createRareLog, troubleOf } from './rare-log.ts';
import { openRecords, placeOf } from './records.ts';
import { seed } from './seed.ts';
import { createFaults } from './till/faults.ts';
import { addMissedVisits } from './till/missed-visits.ts';
import { recordCall, recorded, withMessages } from './till/record.ts';
import { addTill } from './till/till.ts';
import { openTimeline } from './till/timeline.ts';
import { startUpkeep } from './upkeep.ts';
import { greeting } from './walkthrough.ts';

if (process.argv.includes(compileOnly)) process.exit();

// The state for closing. A signal may arrive twice (from the terminal and from the starter).
let state: 'starting' | 'running' | 'closing' = 'starting';

/** While the processor is down, each request would print a line. */
const warn = createRareLog(console.error, systemClock.now);

// Configuration, from the environment.
const config = orEnd(readConfig(process.env));

// The records, and the processor: Stripe, or a simulated one with its books in a SQLite file of its
// own.
const { databasePath } = config;
if (dirname(databasePath) === defaultFolder) orEnd(makeFolder(defaultFolder));
const place = placeOf(config);
const store = orEnd(await openRecords(config, onStoreError));
const inUse = orEnd(await openProcessor(config));
const { processor, simulated, account, about } = inUse;

// The till: its timeline, and the faults of the simulated processor.
const isKept = databasePath !== inMemory && simulated !== undefined;
const timeline = openTimeline(isKept ? `${databasePath}.timeline.ndjson` : undefined);
const faults = simulated && createFaults(simulated, timeline, config.eventPlan, isWatched());

// Chairside with the demo data.
const { rateLimits, takesTips, chargesCards, takesTenders, sharesPayments } = config;
const chairside = createChairside({
  store,
  processor: faults?.around(processor) ?? processor,
  rateLimits,
  tips: takesTips ? {} : undefined,
  shares: sharesPayments,
  observe,
});
const seeded = await seed({ chairside, store, simulated, account });
orEnd(seeded.mapErr((why) => `${place}: ${why}`));

// HTTP. The app is created once the port is known, because its problems contain the address.
let app: ChairsideHandler;
const server = createNodeServer({
  fetch: (request) => (isMeant(request, baseUrl) ? serve(request) : turnAway(request)),
  refuse: (fault, path) => app.refuse(fault, path),
});
const { url } = orEnd(await listen());
const baseUrl = config.baseUrl ?? url;
const http = {
  publicUrl: new URL(baseUrl).origin,
  basePath: new URL(baseUrl).pathname,
  onFailure: onError,
};
app = chairsideHandler(chairside, {
  authenticate,
  refunds: true,
  receipts: true,
  charges: chargesCards,
  tenders: takesTenders,
  shares: sharesPayments,
  ...http,
});
if (chargesCards && simulated) addMissedVisits(app, chairside, simulated);
addDemoRoutes(app, { chairside, store, simulated, baseUrl });
addDocs(app, baseUrl, { takesTips, chargesCards, takesTenders, sharesPayments });
addTill(app, {
  chairside,
  store,
  timeline,
  takesTips,
  takesTenders,
  sharesPayments,
  simulated: simulated && faults && { fake: simulated, faults },
});
const serve = faults ? recorded(app.fetch, timeline, faults) : app.fetch;

// The processor's events. The simulated one sends them over HTTP, as a real one does.
const eventsPath = '/processor/events';
app.all(eventsPath, withMessages(processorEventsHandler(chairside, http), timeline));
const sender =
  simulated && faults && createSender(simulated, url + eventsPath, () => faults.messages);
const upkeep = startUpkeep(chairside, sender, warn);

// A signal ends the server.
state = 'running';
process.on('SIGINT', close);
process.on('SIGTERM', close);
// The watching parent has ended.
process.on('disconnect', close);

if (timeline.since(0).at(-1)?.kind === 'down') timeline.add({ kind: 'up' });
process.send?.({ url });
if (isFirstStart()) {
  console.log(greeting({ url, place, about, isSimulated: simulated !== undefined }));
}

/** Closes the parts, each before those that it needs. */
async function close(): Promise<void> {
  if (state !== 'running') return;
  state = 'closing';
  setTimeout(() => process.exit(1), 4.8 * secondMs).unref();
  await Promise.all([server.close(4 * secondMs), upkeep.stop()]);
  await chairside.settled();
  await store.close();
  inUse.close();
  console.log('Stopped.');
  // An open channel to the watching parent would keep this process until the deadline.
  if (process.connected) process.disconnect();
}

/** Whether a parent starts it again where it is killed. */
function isWatched(): boolean {
  return process.send !== undefined && process.env['CHAIRSIDE_WATCHED'] !== undefined;
}

function isFirstStart(): boolean {
  return process.env['CHAIRSIDE_WATCHED'] !== 'again';
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

function turnAway({ url }: Request): Response {
  const why = fault(
    'notFound',
    'This server has another name, localhost or that of BASE_URL, and serves no page of another site.',
  );
  return app.refuse(why, new URL(url).pathname);
}

/** All tokens of the demo are in one table. */
function authenticate(token: string): AuthContext | undefined {
  return Object.values(people).find((person) => person.token === token)?.auth;
}

/** Successes are not printed. */
function observe(seen: Observation): void {
  if (faults) recordCall(seen, timeline, faults);
  const trouble = troubleOf(seen);
  if (trouble !== undefined) warn(trouble);
}

function onError(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
}

/** A fault that only a restart can mend ends the server, so that its supervisor restarts it. */
function onStoreError(error: unknown): void {
  const line = error instanceof Error ? error.message : String(error);
  // Nothing can be read or written, so the seeds would print it once each.
  if (state === 'starting') end(`${place}: ${line}`);
  warn(line);
  if (!(error instanceof SqliteStoreFailed)) return;
  process.exitCode = 1;
  void close();
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}

/** An error before the server listens ends the process. */
function orEnd<T>(result: Result<T, string>): T {
  return result.isOk() ? result.value : end(result.error);
}

function end(lines: string): never {
  console.error(lines.replaceAll(/^/gm, 'chairside: '));
  process.exit(1);
}
