import { setTimeout as delay } from 'node:timers/promises';
import type { Args } from './args.ts';
import { createDatabase, type StoreName, stores } from './database.ts';
import { fill } from './fill.ts';
import { msAt, print, show, tails, tailsOf, timesOf } from './report.ts';
import { type Service, serve, startNode } from './serve.ts';
import { appointment, draw, shared, visit } from './visits.ts';

/** What goes on while visits come. */
type Storm = (service: Service) => Promise<unknown>;

const maintenance: Readonly<Record<StoreName, readonly string[]>> = {
  sqlite: ["VACUUM INTO '<file>'", 'PRAGMA wal_checkpoint(FULL)', 'VACUUM'],
  postgres: ["COPY chairside.chairside_payments TO '/dev/null'", 'CHECKPOINT', 'VACUUM'],
};
/** Work in a process of its own, so that it does not delay the visits of this one. */
async function elsewhere(task: 'phones' | 'sql', input: unknown): Promise<void> {
  const child = startNode();
  const { value } = await child.ask<string | undefined>(task, input);
  if (value !== undefined) console.error(`${task}: ${value}`);
  await child.stop();
}

/** What requests wait for while something else goes on in the same database. */
export async function storms(args: Args, phones = 5000): Promise<void> {
  const [pieces = 0] = args.sizes;
  for (const store of stores.filter((name) => args.wants(name))) {
    const database = await createDatabase(store, args.folder);
    await fill(database, pieces, true);
    const service = await serve('chairside', database, { ...args, appointments: shared });
    const rows: string[][] = [];
    const all: Record<string, Storm> = {
      nothing: () => delay(args.seconds * 1000),
      upkeep: ({ ask }) => ask('upkeep'),
      [`${phones} phones`]: ({ ports: [port] }) => elsewhere('phones', { port, count: phones }),
    };
    for (const sql of maintenance[store]) {
      const { address } = database;
      const now = () => sql.replace('<file>', `${address.path}${Date.now()}`);
      all[sql] = () => elsewhere('sql', { address, sql: now() });
    }
    for (const [name, storm] of Object.entries(all)) {
      const [run, tookMs] = await weather(service, 62, args, storm);
      const waits = [timesOf([run], 'create', 'capture'), timesOf([run], 'get', 'list')];
      const took = (tookMs / 1000).toFixed(1);
      rows.push([name, took, ...waits.flatMap(tailsOf), `${run.wrong.length}`]);
    }
    const head = ['changes', 'reads'].flatMap((what) => tails.map((tail) => `${what} ${tail}`));
    const title = `${store}, 62 visits/s, ${pieces} overdue payments with keys and events`;
    print(title, ['ms', 'took s', ...head, 'failed'], rows);
    await service.stop();
    await database.remove();
  }
}

/** Lets visits come while the storm goes on, again and again. Returns how long its first time took. */
async function weather(service: Service, perSecond: number, args: Args, storm: Storm) {
  let tookMs = 0;
  const run = await service.measure(Number.POSITIVE_INFINITY, args.warmUp, async (load) => {
    const visits = load.open(perSecond, (number) =>
      visit(number, appointment(draw('even')), service.processor),
    );
    await delay(args.warmUp * 1000);
    const startedAt = performance.now();
    do {
      await storm(service);
      tookMs ||= performance.now() - startedAt;
    } while (performance.now() < startedAt + args.seconds * 1000);
    load.endAt = performance.now();
    await visits;
  });
  return [run, tookMs] as const;
}

/** One long run of 200 requests a second with upkeep, for what grows. */
export async function soak(args: Args): Promise<void> {
  const [store = 'sqlite'] = stores.filter((name) => args.wants(name));
  const database = await createDatabase(store, args.folder);
  const service = await serve('chairside', database, { ...args, appointments: shared });
  const everySecond: Storm = ({ ask }) => Promise.all([ask('upkeep'), delay(1000)]);
  const samples: number[][] = [];
  const startedAt = performance.now();
  for (let hours = 0; hours < args.minutes / 60; ) {
    const [run] = await weather(service, 50, args, everySecond);
    hours = (performance.now() - startedAt) / 3_600_000;
    const memory = (await service.ask<number[]>('memory')).value;
    const [, wal = 0] = await database.sizes();
    samples.push([hours, ...memory, wal / 2 ** 20, msAt(timesOf([run]), 99), run.wrong.length]);
    console.error(samples.at(-1)?.map(show).join('  '));
  }
  await service.stop();
  await database.remove();
  // Until then the code is compiled, and the caches fill.
  const warm = samples.filter(([hours = 0]) => hours >= Math.min(20, args.minutes / 4) / 60);
  const names = ['hours', 'heap MB', 'RSS MB', 'files', 'WAL MB', 'p99 ms', 'failed'];
  const columns = names.map((_, n) => warm.map((sample) => sample[n] ?? 0));
  const grown = (values: readonly number[] = []) => (values.at(-1) ?? 0) - (values[0] ?? 0);
  const rows = columns.map((values, n) => {
    const slope = grown(values) / grown(columns[0]);
    const shown = [values[0] ?? 0, values.at(-1) ?? 0, Math.max(...values), slope];
    return [names[n] ?? '', ...shown.map((value) => value.toFixed(1))];
  });
  print(`${store}, 200 requests/s`, ['', 'first', 'last', 'most', 'slope an hour'], rows);
}
