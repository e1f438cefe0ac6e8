import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { systemClock } from '@chairside/core';
import { judge, parseHistory } from '@chairside/judge';
import { createStripeBooks } from '@chairside/spec/stripe-books';
import { createStripeStandIn } from '@chairside/stripe-stand-in';
import { createRandom } from '@chairside/trials/random';
import {
  askServer,
  connectionString,
  createDatabase,
  type Roles,
  rolesOf,
  startAll,
} from './database.ts';
import { type FaultName, faults, mend, type Site } from './faults.ts';
import {
  createHosts,
  dbs,
  hosts,
  type NodeHost,
  nodes,
  ownAddress,
  programOn,
  removeHosts,
  run,
} from './hosts.ts';
import { type Load, startLoad } from './load.ts';
import type { Line } from './recorder.ts';
import { account, type NodeSetup, nodePort, secretKey, webhookSecret } from './shop.ts';

export interface Round {
  readonly fault: FaultName;
  /** Whether another server is the primary afterwards. */
  readonly hasMoved: boolean;
  /** The longest time without an acknowledged write. */
  readonly silentSeconds: number;
  readonly payments: number;
  readonly wrong: readonly string[];
}

/** The clocks of the nodes differ by as much as people see in practice. */
const aheadMs: Readonly<Record<NodeHost, number>> = { node1: 0, node2: 90_000, node3: -90_000 };
const recoveryMs = 180_000;
const steadyMs = 2000;
/** Appointments that are compared together. */
const atOnce = 8;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface TrialOptions {
  readonly seed: number;
  /** false: without a synchronous standby, so that the trial must find lost commits. */
  readonly isSynchronous: boolean;
  /** A phone rests for up to this time after each payment. */
  readonly restMs: number;
}

export async function openTrial({ seed, isSynchronous, restMs }: TrialOptions) {
  createHosts();
  const folder = mkdtempSync('/tmp/chairside-cluster-');
  const database = createDatabase(folder, isSynchronous);
  startAll(database);
  const standIn = createStripeStandIn({ clock: systemClock, secretKey, webhookSecret });
  standIn.addAccount({ id: account, currency: 'usd' });
  const books = createStripeBooks(standIn, systemClock);
  const { port } = await standIn.listen();
  // The stand-in listens on the loopback, which the hosts do not reach.
  const door = createServer((socket) => {
    const inner = connect(port, '127.0.0.1');
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  const processorPort = await new Promise<number>((resolve) =>
    door.listen(0, ownAddress, () => {
      const address = door.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    }),
  );
  const nodeProgram = (node: NodeHost) => {
    const setup: NodeSetup = {
      connectionString,
      processorHost: ownAddress,
      processorPort,
      port: nodePort,
      aheadMs: aheadMs[node],
    };
    const file = new URL('node.ts', import.meta.url).pathname;
    return programOn(
      node,
      'root',
      [process.execPath, '--conditions=@chairside/source', file, JSON.stringify(setup)],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  };
  const programs = {
    node1: nodeProgram('node1'),
    node2: nodeProgram('node2'),
    node3: nodeProgram('node3'),
  };
  const random = createRandom(seed);
  const site: Site = { database, nodes: programs, random };
  const load = startLoad(standIn, random, { seed, restMs });
  /** The appointments compared, the events judged and the events shown by earlier rounds. */
  const passed = { appointments: 0, judged: 0, shown: 0 };
  await recovered();

  /** Starts what is down, until there are a primary with its standbys and three nodes that respond. */
  async function recovered(): Promise<Roles> {
    const until = performance.now() + recoveryMs;
    for (;;) {
      startAll(database);
      const roles = await rolesOf();
      const isSafe = !isSynchronous || roles?.synchronous !== undefined;
      if (roles?.standbys.length === dbs.length - 1 && isSafe) {
        for (const program of Object.values(programs)) program.start();
        if ((await Promise.all(nodes.map(responds))).every(Boolean)) return roles;
      }
      if (performance.now() > until) throw new Error(`no recovery: ${JSON.stringify(roles)}`);
      await pause(500);
    }
  }

  /** Compares everything once no request is under way. */
  async function compare(): Promise<string[]> {
    const wrong = load.endless.slice();
    const primaries = dbs.filter(
      (db) => askServer(db, database, 'SELECT pg_is_in_recovery()') === 'f',
    );
    if (primaries.length !== 1) wrong.push(`${primaries.length} writable primaries`);
    const entries = new Map(books.entries().map((entry) => [entry.paymentId, entry]));
    const fresh = load.appointments().slice(passed.appointments);
    passed.appointments += fresh.length;
    for (let from = 0; from < fresh.length; from += atOnce) {
      const some = fresh
        .slice(from, from + atOnce)
        .map((appointment) => compareAppointment(appointment, load.paid.get(appointment), entries));
      wrong.push(...(await Promise.all(some)).flat());
    }
    wrong.push(...judgeFresh());
    return wrong;
  }

  /** Judges each appointment with new events by its whole history. */
  function judgeFresh(): string[] {
    const { lines } = load.recorder;
    const fresh = new Set(lines.slice(passed.judged).map(({ appointment }) => appointment));
    passed.judged = lines.length;
    const meant = lines.filter(({ appointment }) => fresh.has(appointment));
    return judge(parseHistory(textOf(meant))).map(
      ({ appointment, what, detail }) => `history: ${appointment}: ${what}: ${detail}`,
    );
  }

  async function compareAppointment(
    appointment: string,
    acknowledged: string | undefined,
    entries: ReadonlyMap<string, { readonly amountCaptured?: string }>,
  ): Promise<string[]> {
    const wrong: string[] = [];
    const until = performance.now() + 60_000;
    for (;;) {
      wrong.length = 0;
      const listed = await list(appointment);
      if (listed === undefined) wrong.push(`${appointment} cannot be read`);
      let charged = 0;
      for (const { id, state, amount } of listed ?? []) {
        await read(id);
        const taken = Number(entries.get(id)?.amountCaptured ?? 0);
        charged += taken;
        const recorded = state === 'captured' ? Number(amount) : 0;
        if (taken !== recorded) wrong.push(`${id}: ${taken} taken, ${recorded} recorded`);
      }
      if (charged > 45) wrong.push(`${appointment} was charged ${charged}`);
      const isKept = listed?.some(({ id, state }) => id === acknowledged && state === 'captured');
      if (acknowledged !== undefined && !isKept)
        wrong.push(`${acknowledged} was acknowledged and is lost`);
      // Upkeep may still finish interrupted work.
      if (wrong.length === 0 || performance.now() > until) return wrong;
      await pause(1000);
    }
  }

  /** Returns `undefined` if no node gives the record. */
  const get = async (path: string) => {
    try {
      const response = await load.send(`http://shop${path}`, {
        method: 'GET',
        headers: { authorization: 'Bearer ada' },
        signal: AbortSignal.timeout(10_000),
      });
      return response.status === 200 ? JSON.parse(await response.text()) : undefined;
    } catch {
      return undefined;
    }
  };
  const read = (id: string) => get(`/contactlessPayments/${id}`);
  const list = async (appointment: string): Promise<readonly Listed[] | undefined> =>
    (await get(`/appointments/${appointment}/contactlessPayments`))?.items;
  const textOf = (lines: readonly Line[]) =>
    lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  /** The history since the last call, one JSON object in each line. */
  const history = () => {
    const fresh = load.recorder.lines.slice(passed.shown);
    passed.shown += fresh.length;
    return textOf(fresh);
  };

  return {
    load,
    history,
    /** Breaks something under load, mends it, and compares what clients, nodes and processor say. */
    async round(fault: FaultName): Promise<Round> {
      const before = await recovered();
      const payments = load.paid.size;
      load.go();
      await pause(steadyMs);
      const watch = watchSilence(load);
      await faults[fault](site, before);
      await pause(1000);
      mend(site);
      const after = await recovered();
      await pause(steadyMs);
      const silentSeconds = watch();
      await load.pause();
      return {
        fault,
        hasMoved: after.primary !== before.primary,
        silentSeconds,
        payments: load.paid.size - payments,
        wrong: await compare(),
      };
    },
    async close() {
      for (const program of Object.values(programs)) await program.kill();
      removeHosts();
      for (const db of dbs) run('umount', '-l', database.dataOf(db));
      rmSync(folder, { recursive: true, force: true });
      door.close();
    },
  };
}

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly amount: string;
}

async function responds(node: NodeHost): Promise<boolean> {
  try {
    const response = await fetch(
      `http://${hosts[node]}:${nodePort}/appointments/probe/contactlessPayments`,
      {
        headers: { authorization: 'Bearer ada' },
        signal: AbortSignal.timeout(3000),
      },
    );
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}

/** Returns the longest pause between two acknowledged writes, in seconds, until it is called. */
function watchSilence({ recorder }: Load): () => number {
  let longestMs = 0;
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - recorder.lastWriteAt());
  };
  const timer = setInterval(look, 100);
  return () => {
    clearInterval(timer);
    return longestMs / 1000;
  };
}
