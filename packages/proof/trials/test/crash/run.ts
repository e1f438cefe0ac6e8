import { createRandom, type Random } from '../fuzz/random.ts';
import type { Child } from './child.ts';
import type { Client } from './client.ts';
import { type Exchange, isAcknowledged } from './log.ts';
import type { ProcessorCalls, Trap } from './processor-process.ts';
import type { LossWay, ServerCalls } from './server-process.ts';
import { openSite } from './site.ts';

/** The moment of a server's death. */
const phases = [
  'any moment',
  'an answer was read',
  'a payment was opened, and not answered',
  'a payment was to be opened',
  'a payment was captured, and not answered',
  'a payment was to be captured',
  'a refund was made, and not answered',
  'a refund was to be made',
  'a file of its database was lost',
] as const;
type Phase = (typeof phases)[number];

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
  cycles: number;
  /** All sent requests, repetitions included. */
  requests: number;
  acknowledged: number;
  /** Requests without a response, because a server was killed during them. */
  lost: number;
  /** Responses with `recovery.outcome: unknown`. */
  unknown: number;
  /** Payments that the processor captured, and refunds that it made. */
  captured: number;
  refunds: number;
  readonly kills: Map<Phase, number>;
  /** The broken promises; the run stops after them. */
  readonly violations: string[];
  /** The folder of a failed run's files. */
  folder?: string;
}

/** A lost file ends all servers on the database at once, which a kill of one cannot wait for. */
const phasesOfMany = phases.filter((phase) => phase !== 'a file of its database was lost');

/** The database and the processor's books are replaced after this many cycles. */
const cyclesPerShop = 10;

export async function crash(options: CrashOptions): Promise<CrashReport> {
  const sums = { requests: 0, acknowledged: 0, lost: 0, unknown: 0, captured: 0, refunds: 0 };
  const report: CrashReport = { cycles: 0, ...sums, kills: new Map(), violations: [] };
  for (let shop = 0; report.cycles < options.cycles && report.violations.length === 0; shop += 1) {
    const log = await crashShop(options, shop, report);
    options.onHistory?.(shop, log);
  }
  return report;
}

/** Adds to the report. Returns the clients' log. */
async function crashShop(
  { cycles, seed, servers, bug, onProgress }: CrashOptions,
  shop: number,
  report: CrashReport,
): Promise<readonly Exchange[]> {
  const random = createRandom(seed + shop);
  const site = await openSite(seed + shop);
  const { client, processor, violations } = site;
  const last = Math.min(cycles, report.cycles + cyclesPerShop);

  while (report.cycles < last && violations.length === 0) {
    report.cycles += 1;
    await site.start({ servers, ...(bug !== undefined && { bug }) });
    for (const server of site.servers()) {
      const phase = random.pickOr(servers === 1 ? phases : phasesOfMany, 'any moment');
      await killSometime({ server, processor, client }, phase, random);
      report.kills.set(phase, (report.kills.get(phase) ?? 0) + 1);
      await site.bury(server);
    }
    await site.killAll();
    onProgress?.(report);
  }
  if (violations.length === 0) await site.start();
  if (violations.length === 0) await site.finish();
  const folder = await site.close();
  if (folder !== undefined) report.folder = folder;

  const { log } = client;
  report.requests += log.length;
  report.acknowledged += log.filter(isAcknowledged).length;
  report.lost += log.filter(({ answer }) => answer === undefined).length;
  report.unknown += log.filter(({ answer }) => answer?.outcome === 'unknown').length;
  report.captured += site.captured();
  report.refunds += site.refunds();
  report.violations.push(...violations);
  return log;
}

const traps: Readonly<Partial<Record<Phase, Pick<Trap, 'route' | 'isApplied'>>>> = {
  'a payment was opened, and not answered': { route: 'createPaymentIntent', isApplied: true },
  'a payment was to be opened': { route: 'createPaymentIntent', isApplied: false },
  'a payment was captured, and not answered': { route: 'capturePaymentIntent', isApplied: true },
  'a payment was to be captured': { route: 'capturePaymentIntent', isApplied: false },
  'a refund was made, and not answered': { route: 'createRefund', isApplied: true },
  'a refund was to be made': { route: 'createRefund', isApplied: false },
};

const lossWays: readonly [LossWay, ...LossWay[]] = ['openedTwice', 'shmDeleted'];
const maxMoves = 200;
const maxPayments = 40;
const maxPauseMs = 20;

interface Target {
  readonly server: Child<ServerCalls>;
  readonly processor: Child<ProcessorCalls>;
  readonly client: Client;
}

/** Kills the server at a random moment. Resolves when it has ended. */
async function killSometime(target: Target, phase: Phase, random: Random): Promise<void> {
  const { server, processor, client } = target;
  const trap = traps[phase];
  if (trap !== undefined) {
    const after = random.below(maxPayments);
    await processor.ask('setTrap', { ...trap, pid: server.pid, after });
  } else if (phase === 'a file of its database was lost') {
    await moves(client, 'answered', 1 + random.below(maxMoves));
    await server.ask('loseFile', random.pick(lossWays));
    await moves(client, 'answered', 1 + random.below(maxMoves));
    await server.kill();
  } else {
    const move = phase === 'any moment' ? 'sent' : 'answered';
    await moves(client, move, 1 + random.below(maxMoves));
    const pauseMs = phase === 'any moment' ? random.below(maxPauseMs) : 0;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await server.kill();
  }
  await server.ended;
}

function moves(client: Client, kind: 'sent' | 'answered', count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    client.onMove = (move) => {
      if (move === kind) left -= 1;
      if (left > 0) return;
      client.onMove = () => undefined;
      resolve();
    };
  });
}
