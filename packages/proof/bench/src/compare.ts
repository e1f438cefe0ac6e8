import type { Args } from './args.ts';
import { createDatabase, type StoreName, stores } from './database.ts';
import type { Call } from './load.ts';
import { median, msAt, print, tails, tailsOf, timesOf } from './report.ts';
import { type Measured, type Options, type Service, type Setup, serve } from './serve.ts';
import { appointment, captureCall, createCall, draw, shared, visit } from './visits.ts';

/** A program to measure. Its ratios are to its floor. */
interface Target {
  readonly kind: Setup['kind'];
  readonly store: StoreName;
  readonly floor?: string;
}
type Targets = Readonly<Record<string, Target>>;

const targets: Targets = {
  byHand: { kind: 'byHand', store: 'sqlite' },
  chairside: { kind: 'chairside', store: 'sqlite', floor: 'byHand' },
  drizzle: { kind: 'drizzle', store: 'sqlite', floor: 'byHand' },
  postgresByHand: { kind: 'byHand', store: 'postgres' },
  postgres: { kind: 'chairside', store: 'postgres', floor: 'postgresByHand' },
  dbos: { kind: 'dbos', store: 'postgres', floor: 'postgresByHand' },
};

/** Uses a target: one run after the other. */
type Drive = (service: Service) => AsyncIterable<Measured>;

/** Creates, then captures of them, as fast as they are answered. */
export async function closed(args: Args): Promise<void> {
  const { seconds, warmUp } = args;
  const own = args.wants('create', 'capture') ? ['chairside'] : [];
  const wanted = Object.entries(targets).filter(([name]) => own.includes(name) || args.wants(name));
  for (const callers of [1, 64]) {
    const most = Math.ceil((seconds + warmUp) * (callers === 1 ? 4000 : 14_000));
    const drive: Drive = async function* ({ kind, measure }) {
      const opened: Call[] = [];
      const keep = (created: string) => void opened.push(captureCall(created));
      let next = 0;
      const create = () => (next < most ? createCall(appointment(next++), keep) : undefined);
      yield await measure(seconds, warmUp, (load) => load.closed(callers, create));
      const isLast = args.only?.includes('create') === true && !args.wants('capture');
      if (isLast || kind === 'dbos' || kind === 'drizzle') return;
      yield await measure(seconds, warmUp, (load) => load.closed(callers, () => opened.pop()));
    };
    const options = { appointments: most };
    await compare(args, `${callers} at once`, Object.fromEntries(wanted), options, drive);
  }
}

const uses = [
  [1, 62, 'even'],
  [1, 62, 'zipf'],
  [1, 5, 'even'],
  [3, 62, 'even'],
] as const;

/** What a barber waits for: visits come when they come, and the processor takes its time. */
export async function open(args: Args): Promise<void> {
  const { seconds, warmUp, latencyMs } = args;
  const all = stores.flatMap((store) => uses.map((use) => [store, ...use] as const));
  for (const [store, nodes, perSecond, law] of all) {
    const names = [store, law, `${nodes}`, `${perSecond}`];
    if (args.only?.some((name) => !names.includes(name))) continue;
    const byHand: Target = { kind: 'byHand', store };
    const wanted: Targets = { byHand, chairside: { kind: 'chairside', store, floor: 'byHand' } };
    const drive: Drive = async function* ({ measure, processor }) {
      yield await measure(seconds, warmUp, (load) =>
        load.open(perSecond, (number) => visit(number, appointment(draw(law)), processor)),
      );
    };
    const title = `${store}, nodes: ${nodes}, ${perSecond} visits/s, ${law} appointments`;
    await compare(args, title, wanted, { appointments: shared, nodes, latencyMs }, drive);
  }
}

/** A round runs every target, so that a noisy machine disturbs all alike. */
async function compare(args: Args, title: string, wanted: Targets, options: Options, drive: Drive) {
  const runs = new Map<string, Measured[]>();
  for (let round = 1; round <= args.rounds; round += 1) {
    for (const [name, { kind, store }] of Object.entries(wanted)) {
      console.error(`${title}, round ${round} of ${args.rounds}: ${name}`);
      const database = await createDatabase(store, args.folder, kind);
      const service = await serve(kind, database, options);
      const found = runs.get(name) ?? [];
      for await (const run of drive(service)) found.push(run);
      runs.set(name, found);
      await service.stop();
      await database.remove();
    }
  }
  const rows = Object.entries(wanted).flatMap(([name, { floor = '' }]) =>
    ['create', 'capture', 'get', 'list'].flatMap((operation) => {
      const [ours, floors] = [name, floor].map((one) => figures(runs.get(one), operation));
      if (ours === undefined || ours.times.count === 0) return [];
      const ratios = ours.all.map((figure, n) => figure / (floors?.all[n] ?? 0));
      const toFloor = ratios.map((ratio) => (Number.isFinite(ratio) ? ratio.toFixed(2) : ''));
      const sums = ours.all.slice(0, 2).map((figure) => figure.toFixed(0));
      return [[`${name}: ${operation}`, ...tailsOf(ours.times), ...sums, ...toFloor]];
    }),
  );
  const ratios = ['req/s', 'CPU', 'p50', 'p99'].map((name) => `${name} to floor`);
  print(title, ['ms', ...tails, 'req/s', 'CPU µs', ...ratios], rows);
}

/** The times of all rounds, and in the order of the table: rate and CPU, their medians, p50 and p99. */
function figures(rounds: readonly Measured[] = [], operation: string) {
  const runs = rounds.filter(({ times }) => times.has(operation));
  const times = timesOf(runs, operation);
  const rate = median(runs.map((run) => timesOf([run], operation).count / run.seconds));
  const cpu = median(runs.map((run) => run.cpuMicroseconds / timesOf([run]).count));
  return { times, all: [rate, cpu, msAt(times, 50), msAt(times, 99)] };
}
