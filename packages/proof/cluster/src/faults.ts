import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@chairside/trials/random';
import { askServer, type Database, type Roles, signalPostgres, ttlSeconds } from './database.ts';
import {
  cut,
  type Db,
  dbs,
  heal,
  hosts,
  type NodeHost,
  nodes,
  type Program,
  processesOn,
  signal,
  tryOn,
} from './hosts.ts';

export interface Site {
  readonly database: Database;
  readonly nodes: Readonly<Record<NodeHost, Program>>;
  readonly random: Random;
}

/** Breaks something until {@link mend}, or for a moment. */
export type Fault = (site: Site, roles: Roles) => Promise<void>;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const others = (db: Db) => dbs.filter((one) => one !== db);

export const faults = {
  async killPrimary(_, { primary }) {
    signalPostgres(primary, 'SIGKILL');
  },
  async killPrimaryAndItsPatroni({ database }, { primary }) {
    await database.patroni[primary].kill();
    signalPostgres(primary, 'SIGKILL');
    await pause((ttlSeconds + 2) * 1000);
  },
  /** The server goes on without its orchestrator, and another one is promoted. */
  async killPatroniOfPrimary({ database }, { primary }) {
    await database.patroni[primary].kill();
    await pause((ttlSeconds + 2) * 1000);
  },
  async killEtcdLeader({ database }) {
    const leader = dbs.find((db) => isEtcdLeader(db)) ?? 'db1';
    await database.etcd[leader].kill();
  },
  /** Without a majority no lease can be renewed, so the primary steps down. */
  async killEtcdMajority({ database }) {
    await Promise.all([database.etcd.db1.kill(), database.etcd.db2.kill()]);
    await pause((ttlSeconds + 5) * 1000);
  },
  async killHaproxy({ database }) {
    await database.haproxy.kill();
    await pause(2000);
  },
  async killPgbouncer({ database }) {
    await database.pgbouncer.kill();
    await pause(2000);
  },
  async killNode({ nodes: programs, random }) {
    await programs[nodes[random.below(nodes.length)] ?? 'node1'].kill();
    await pause(2000);
  },
  /** A zombie: it comes back after its lease has ended, and believes to be the primary. */
  async freezePrimaryWithItsPatroni(_, { primary }) {
    const frozen = processesOn(primary, 'patroni').concat(processesOn(primary, 'postgres'));
    for (const pid of frozen) signal(pid, 'SIGSTOP');
    await pause((ttlSeconds + 10) * 1000);
    for (const pid of frozen) signal(pid, 'SIGCONT');
  },
  async cutPrimaryFromEtcd(_, { primary }) {
    for (const other of others(primary)) cut(primary, other, { ports: '2379,2380' });
    await pause((ttlSeconds + 5) * 1000);
  },
  async cutPrimaryFromStandbys(_, { primary }) {
    for (const other of others(primary)) cut(primary, other, { ports: '5432' });
    await pause(10_000);
  },
  /** The other servers still hear the primary, and the primary does not hear them. */
  async cutOneWay(_, { primary }) {
    for (const other of others(primary)) cut(other, primary, { both: false });
    await pause((ttlSeconds + 5) * 1000);
  },
  async cutPrimaryFromAll(_, { primary }) {
    for (const other of others(primary)) cut(primary, other);
    await pause((ttlSeconds + 5) * 1000);
  },
  async stopSynchronousStandby({ database }, { synchronous }) {
    if (synchronous === undefined) return;
    await database.patroni[synchronous].kill();
    signalPostgres(synchronous, 'SIGKILL');
    await pause(8000);
  },
  /** Commits stop to wait, and are then only on the primary. */
  async cancelWaitingCommits({ database }, { primary }) {
    for (const other of others(primary)) cut(primary, other, { ports: '5432' });
    await pause(1500);
    for (let times = 0; times < 5; times += 1) {
      askServer(
        primary,
        database,
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
      );
      await pause(300);
    }
    signalPostgres(primary, 'SIGKILL');
    await database.patroni[primary].kill();
  },
  async switchOver(_, { primary, synchronous }) {
    if (synchronous === undefined) return;
    await fetch(`http://${hosts[primary]}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: primary, candidate: synchronous }),
    }).catch(() => undefined);
  },
  async fillDiskOfPrimary({ database }, { primary }) {
    const folder = database.dataOf(primary);
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler(folder), Buffer.alloc(Math.max(bavail * bsize - 65_536, 0)));
    await pause(10_000);
  },
} satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;
// cast: Object.keys widens the names
export const faultNames = Object.keys(faults) as readonly FaultName[];

/** Faults after which another server becomes the primary; the short ones are drawn more often. */
export const failOvers: readonly FaultName[] = [
  ...Array.from({ length: 6 }, () => ['killPrimary', 'switchOver'] as const).flat(),
  'killPrimaryAndItsPatroni',
  'killPatroniOfPrimary',
  'freezePrimaryWithItsPatroni',
  'cutPrimaryFromEtcd',
  'cutPrimaryFromAll',
];

const filler = (folder: string) => join(folder, 'filler');

/** Heals links, empties disks, and lets frozen programs go on. */
export function mend({ database }: Site): void {
  heal();
  for (const db of dbs) {
    const file = filler(database.dataOf(db));
    if (existsSync(file)) rmSync(file);
  }
}

function isEtcdLeader(db: Db): boolean {
  const text = tryOn(db, 'env', 'ETCDCTL_API=3', 'etcdctl', 'endpoint', 'status', '-w', 'fields');
  const field = (name: string) => new RegExp(`"${name}" : (\\d+)`).exec(text ?? '')?.[1];
  return text !== undefined && field('Leader') === field('MemberID');
}
