import type { Args } from './args.ts';
import { createDatabase, type StoreName, stores } from './database.ts';
import { fill } from './fill.ts';
import { median, print, show, tailsOf, timesOf } from './report.ts';
import { serve } from './serve.ts';
import { appointment, draw, shared, visit } from './visits.ts';

/** Whether what a shop feels depends on the number of payments that were ever taken. */
export async function growth(args: Args): Promise<void> {
  for (const store of stores.filter((name) => args.wants(name))) {
    const columns: Record<string, string>[] = [];
    for (const size of args.sizes) columns.push(await measure(args, store, size));
    const names = Object.keys(columns[0] ?? {});
    const rows = names.map((name) => [name, ...columns.map((column) => column[name] ?? '')]);
    print(`${store}, by the payments stored`, ['ms', ...args.sizes.map(String)], rows);
  }
}

async function measure(args: Args, store: StoreName, size: number) {
  const database = await createDatabase(store, args.folder);
  const { run, tables } = database;
  const bytes = async () => (((await database.sizes())[0] ?? 0) / size).toFixed(0);
  const startedAt = performance.now();
  const filled = await fill(database, size, false);
  const filledAt = performance.now();
  console.error(`filled ${store} with ${size} in ${show(filledAt - startedAt)} ms`);
  const found: Record<string, string> = { 'bytes a payment': await bytes() };
  const options = { appointments: shared };
  const { ask, measure, processor, stop } = await serve('chairside', database, options);
  found['starting the process'] = show(performance.now() - filledAt);
  const measured = await measure(args.seconds, args.warmUp, (load) =>
    load.open(20, (number) => visit(number, appointment(draw('even')), processor, filled.random)),
  );
  for (const operation of ['create', 'capture', 'get', 'list']) {
    const [p50, p99] = tailsOf(timesOf([measured], operation));
    found[`${operation} (p50 / p99)`] = `${p50} / ${p99}`;
  }

  async function repeat(name: string, task: (number: number) => Promise<{ readonly ms: number }>) {
    const times: number[] = [];
    for (let number = 0; number < 30; number += 1) times.push((await task(number)).ms);
    found[`${name} (p50 / most)`] = `${show(median(times))} / ${show(Math.max(...times))}`;
  }
  // Each day is far from the one before, so that no statement finds its pages in a cache of the CPU.
  await repeat('statement of a day', (number) => ask('statement', filled.day(number * 149)));
  await repeat('erasing a customer', () => ask('erase', filled.random().appointmentId));
  await ask('upkeep');
  await repeat('idle upkeep', () => ask('upkeep'));
  await repeat('upkeep with a sweep', async () => {
    await run(`UPDATE ${tables}sweeps SET tried_at = 0, swept_before = swept_before - 7200000`);
    return ask('upkeep');
  });
  await stop();
  // What upkeep forgets after three days.
  await run(`DELETE FROM ${tables}keys; DELETE FROM ${tables}events`);
  await run(store === 'sqlite' ? 'VACUUM; PRAGMA wal_checkpoint(TRUNCATE)' : 'VACUUM FULL');
  found['bytes of it after retention'] = await bytes();
  await database.remove();
  return found;
}
