// Three PostgreSQL under Patroni, with an etcd beside each, and the proxies in front.
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, dbs, hosts, type Program, processesOn, programOn, run, signal } from './hosts.ts';

const binaries = '/usr/lib/postgresql/15/bin';
export const connectionString = `postgresql://postgres@${hosts.proxy}:6432/postgres`;

export type Database = ReturnType<typeof createDatabase>;

/** Who is what, as the orchestrator says. */
export interface Roles {
  readonly primary: Db;
  readonly standbys: readonly Db[];
  readonly synchronous: Db | undefined;
}

/** The size of a server's file system, so that it can be filled. */
const dataMegabytes = 1500;

/** @param isSynchronous false: acknowledged commits may be lost, which the trial must notice. */
export function createDatabase(folder: string, isSynchronous: boolean) {
  const asPostgres = (path: string) => {
    const [user, group] = ['-u', '-g'].map((which) => Number(run('id', which, 'postgres')));
    if (user !== undefined && group !== undefined) chownSync(path, user, group);
    return path;
  };
  const directory = (...names: string[]) => {
    const path = join(folder, ...names);
    mkdirSync(path, { recursive: true });
    return asPostgres(path);
  };
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return asPostgres(path);
  };
  chmodSync(folder, 0o755);
  const dataOf = (db: Db) => join(folder, 'data', db);
  for (const db of dbs) {
    directory('data', db);
    run('mount', '-t', 'tmpfs', '-o', `size=${dataMegabytes}m`, 'tmpfs', dataOf(db));
    directory('data', db, 'postgres');
    directory('data', db, 'etcd');
  }
  const perDb = (make: (db: Db) => Program) => ({
    db1: make('db1'),
    db2: make('db2'),
    db3: make('db3'),
  });
  return {
    /** The folder that holds the data of a server. */
    dataOf,
    etcd: perDb((db) =>
      programOn(db, 'postgres', etcdCommand(db, join(dataOf(db), 'etcd')), {
        env: { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch },
      }),
    ),
    patroni: perDb((db) => {
      const config = patroniConfig(db, join(dataOf(db), 'postgres', 'main'), isSynchronous);
      return programOn(db, 'postgres', ['patroni', file(`${db}.yml`, JSON.stringify(config))]);
    }),
    haproxy: programOn('proxy', 'postgres', [
      'haproxy',
      '-f',
      file('haproxy.cfg', haproxyConfig()),
    ]),
    pgbouncer: programOn('proxy', 'postgres', [
      'pgbouncer',
      file('pgbouncer.ini', pgbouncerConfig),
    ]),
  };
}

function etcdCommand(db: Db, data: string): readonly string[] {
  const at = (port: number) => `http://${hosts[db]}:${port}`;
  return [
    ...['etcd', '--name', db, '--data-dir', data],
    ...['--listen-peer-urls', at(2380), '--initial-advertise-peer-urls', at(2380)],
    ...['--listen-client-urls', `${at(2379)},http://127.0.0.1:2379`],
    ...['--advertise-client-urls', at(2379), '--initial-cluster-token', 'chairside'],
    ...['--initial-cluster', dbs.map((one) => `${one}=http://${hosts[one]}:2380`).join(',')],
    ...[
      '--heartbeat-interval',
      '200',
      '--election-timeout',
      '2000',
      '--unsafe-no-fsync',
      '--enable-v2',
    ],
  ];
}

/** Patroni's shortest life of a primary's lease. */
export const ttlSeconds = 20;

function patroniConfig(db: Db, data: string, isSynchronous: boolean): object {
  return {
    scope: 'chairside',
    name: db,
    restapi: { listen: `${hosts[db]}:8008`, connect_address: `${hosts[db]}:8008` },
    etcd: { hosts: dbs.map((one) => `${hosts[one]}:2379`) },
    bootstrap: {
      dcs: {
        ttl: ttlSeconds,
        loop_wait: 2,
        retry_timeout: 4,
        primary_start_timeout: 0,
        synchronous_mode: isSynchronous,
        synchronous_mode_strict: isSynchronous,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 200 } },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
      pg_hba: [
        'local all all trust',
        'host all all 0.0.0.0/0 trust',
        'host replication all 0.0.0.0/0 trust',
      ],
    },
    postgresql: {
      listen: `${hosts[db]}:5432`,
      connect_address: `${hosts[db]}:5432`,
      data_dir: data,
      bin_dir: binaries,
      pgpass: join(data, '..', 'pgpass'),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      parameters: {
        unix_socket_directories: join(data, '..'),
        logging_collector: 'on',
        log_directory: join(data, '..', 'log'),
        log_checkpoints: 'off',
        shared_buffers: '64MB',
        max_wal_size: '256MB',
        wal_log_hints: 'on',
      },
    },
  };
}

function haproxyConfig(): string {
  const servers = dbs.map((db) => `  server ${db} ${hosts[db]}:5432 check port 8008\n`).join('');
  return `defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind *:5000
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers}`;
}

const pgbouncerConfig = `[databases]
postgres = host=127.0.0.1 port=5000 user=postgres
[pgbouncer]
listen_addr = *
listen_port = 6432
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
default_pool_size = 30
server_login_retry = 1
query_wait_timeout = 20
ignore_startup_parameters = extra_float_digits
`;

/** Starts every program that is down. */
export function startAll({ etcd, patroni, haproxy, pgbouncer }: Database): void {
  for (const program of [...Object.values(etcd), ...Object.values(patroni), haproxy, pgbouncer]) {
    program.start();
  }
}

/** `undefined` while there is no running primary. */
export async function rolesOf(): Promise<Roles | undefined> {
  for (const db of dbs) {
    const members = await membersBy(db);
    const isUp = (state: string | undefined) => state === 'running' || state === 'streaming';
    const primary = members.find(({ role, state }) => role === 'leader' && isUp(state))?.name;
    if (primary === undefined) continue;
    const standbys = members.filter(({ role, state }) => role !== 'leader' && isUp(state));
    return {
      primary,
      standbys: standbys.map(({ name }) => name),
      synchronous: standbys.find(({ role }) => role === 'sync_standby')?.name,
    };
  }
  return undefined;
}

interface Member {
  readonly name: Db;
  readonly role: string;
  readonly state?: string;
}

async function membersBy(db: Db): Promise<readonly Member[]> {
  try {
    const response = await fetch(`http://${hosts[db]}:8008/cluster`, {
      signal: AbortSignal.timeout(1500),
    });
    // cast: Patroni documents this form, and another one only makes the trial wait
    const { members } = (await response.json()) as { members: readonly Member[] };
    return members;
  } catch {
    return [];
  }
}

/** Signals the server itself, and not its orchestrator. */
export function signalPostgres(db: Db, name: NodeJS.Signals): void {
  for (const pid of processesOn(db, 'postgres')) {
    if (!processesOn(db, 'patroni').includes(pid)) signal(pid, name);
  }
}

/** Asks one server directly, past the proxies. */
export function askServer(db: Db, database: Database, sql: string): string | undefined {
  try {
    const socket = join(database.dataOf(db), 'postgres');
    return run('timeout', '5', 'psql', '-h', socket, '-U', 'postgres', '-Atc', sql).trim();
  } catch {
    return undefined;
  }
}
