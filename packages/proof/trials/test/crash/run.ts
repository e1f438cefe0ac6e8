import { createRandom } from '../fuzz/random.ts';
import { killSometime, type Phase, phases } from './kill.ts';
import { type Exchange, isAcknowledged } from './log.ts';
import { openSite } from './site.ts';

export interface CrashOptions {
  /** The number of cycles: the servers are killed, started again and checked. */
  readonly cycles: number;
  readonly seed: number;
  /** The number of server processes that share the database. */
  readonly servers: number;
  /** A bug for the servers' core, which the run must find. */
  readonly bug?: string;
  readonly onProgress?: (report: CrashReport) => void;
  /** Called with the clients' log of each shop, once its requests have ended. */
  readonly onHistory?: (shop: number, log: readonly Exchange[]) => void;
}

export interface CrashReport {
  readonly cycles: number;
  /** All sent requests, repetitions included. */
  readonly requests: number;
  readonly acknowledged: number;
  /** Requests without a response, because a server was killed during them. */
  readonly lostCreates: number;
  readonly lostCaptures: number;
  readonly lostRefunds: number;
  /** Responses with `recovery.outcome: unknown`. */
  readonly unknown: number;
  /** Payments that the processor captured. */
  readonly captured: number;
  /** Refunds that the processor made. */
  readonly refunds: number;
  readonly kills: Readonly<Record<Phase, number>>;
  /** The broken promises; the run stops after them. */
  readonly violations: readonly string[];
  /** The folder of a failed run's files. */
  readonly folder?: string;
}

/** A lost file ends all servers on the database at once, which a kill of one cannot wait for. */
const phasesOfMany = phases.filter((phase) => phase !== 'a file of its database was lost');

/** The database and the processor's books are replaced after this many cycles. */
const cyclesPerShop = 10;

export async function crash(options: CrashOptions): Promise<CrashReport> {
  const { cycles, seed, onProgress, onHistory } = options;
  let report = emptyReport;
  for (let shop = 0; report.cycles < cycles; shop += 1) {
    const before = report;
    const own = await crashShop({
      ...options,
      cycles: Math.min(cyclesPerShop, cycles - report.cycles),
      seed: seed + shop,
      onProgress: (progress) => onProgress?.(sum(before, progress)),
      onLog: (log) => onHistory?.(shop, log),
    });
    report = sum(before, own);
    if (report.violations.length > 0) break;
  }
  return report;
}

async function crashShop({
  cycles,
  seed,
  servers,
  bug,
  onProgress,
  onLog,
}: CrashOptions & {
  readonly onLog: (log: readonly Exchange[]) => void;
}): Promise<CrashReport> {
  const random = createRandom(seed);
  const site = await openSite(seed);
  const { client, processor, violations } = site;
  const kills = { ...emptyReport.kills };
  let cycle = 0;

  while (cycle < cycles && violations.length === 0) {
    cycle += 1;
    await site.start({ servers, ...(bug !== undefined && { bug }) });
    for (const server of site.servers()) {
      const phase = random.pickOr(servers === 1 ? phases : phasesOfMany, 'any moment');
      await killSometime({ server, processor, client }, phase, random);
      kills[phase] += 1;
      await site.bury(server);
    }
    await site.killAll();
    onProgress?.(report());
  }
  if (violations.length === 0) await site.start();
  if (violations.length === 0) await site.finish();
  const folder = await site.close();
  onLog(client.log);
  return { ...report(), ...(folder !== undefined && { folder }) };

  function report(): CrashReport {
    const { log } = client;
    const lost = log.filter(({ answer }) => answer === undefined);
    return {
      cycles: cycle,
      requests: log.length,
      acknowledged: log.filter(isAcknowledged).length,
      lostCreates: lost.filter(({ operation }) => operation === 'create').length,
      lostCaptures: lost.filter(({ operation }) => operation === 'capture').length,
      lostRefunds: lost.filter(({ operation }) => operation === 'refund').length,
      unknown: log.filter(({ answer }) => answer?.outcome === 'unknown').length,
      captured: site.captured(),
      refunds: site.refunds(),
      kills: { ...kills },
      violations: [...violations],
    };
  }
}

const emptyReport: CrashReport = {
  cycles: 0,
  requests: 0,
  acknowledged: 0,
  lostCreates: 0,
  lostCaptures: 0,
  lostRefunds: 0,
  unknown: 0,
  captured: 0,
  refunds: 0,
  kills: {
    'any moment': 0,
    'an answer was read': 0,
    'a payment was opened, and not answered': 0,
    'a payment was to be opened': 0,
    'a payment was captured, and not answered': 0,
    'a payment was to be captured': 0,
    'a refund was made, and not answered': 0,
    'a refund was to be made': 0,
    'a file of its database was lost': 0,
  },
  violations: [],
};

function sum(a: CrashReport, b: CrashReport): CrashReport {
  const { folder = a.folder } = b;
  const kills = { ...a.kills };
  for (const phase of phases) kills[phase] += b.kills[phase];
  return {
    cycles: a.cycles + b.cycles,
    requests: a.requests + b.requests,
    acknowledged: a.acknowledged + b.acknowledged,
    lostCreates: a.lostCreates + b.lostCreates,
    lostCaptures: a.lostCaptures + b.lostCaptures,
    lostRefunds: a.lostRefunds + b.lostRefunds,
    unknown: a.unknown + b.unknown,
    captured: a.captured + b.captured,
    refunds: a.refunds + b.refunds,
    kills,
    violations: [...a.violations, ...b.violations],
    ...(folder !== undefined && { folder }),
  };
}
