import { connect } from 'node:net';
import { Client, type Pool, type PoolClient } from 'pg';

/** The pause between two questions about backends that were given up. */
const askEveryMs = 500;
/** A migration has an hour, which is too long for a question. */
const longestAnswerMs = 10_000;
/** A server that cannot be asked for so long has hardly kept their messages, and calls must go on. */
const longestUncertainMs = 5 * 60_000;

/** The backends that may still work on a message that a pool's user gave up (D205). */
export interface Abandoned {
  /** Whether so many are at work that another connection would only add to them. */
  isFull(): boolean;
  /** Asks the server which of them it still has; connecting and the answer may take `longestMs`. */
  ask(longestMs: number): Promise<void>;
  /**
   * Asks the server to cancel what this connection does. Resolves when the server has the request,
   * or after `longestMs`.
   */
  cancel(client: PoolClient, longestMs: number): Promise<void>;
  /** Counts its backend, until the server no longer has it. Each question may take `longestMs`. */
  add(client: PoolClient, longestMs: number): void;
  /** Closes its own connection. */
  close(): void;
}

const known = new WeakMap<Pool, Abandoned>();

export function abandonedOf(pool: Pool): Abandoned {
  const abandoned = known.get(pool) ?? create(pool);
  known.set(pool, abandoned);
  return abandoned;
}

function create(pool: Pool): Abandoned {
  /** With the time at which the server was last known to have it. */
  const pids = new Map<number, number>();
  /** Apart from the pool, whose connections may all be at work. It lives while it has to ask. */
  let reserved: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> | undefined;

  function letGo(): void {
    const client = reserved;
    reserved = undefined;
    clearTimeout(timer);
    timer = undefined;
    client?.end().catch(() => {});
  }

  function askLater(longestMs: number): void {
    timer ??= setTimeout(() => {
      void askOnce(longestMs).finally(() => {
        timer = undefined;
        if (pids.size === 0) letGo();
        else askLater(longestMs);
      });
    }, askEveryMs).unref();
  }

  function askOnce(longestMs: number): Promise<void> {
    asking ??= ask(longestMs).finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function ask(longestMs: number): Promise<void> {
    const asked = [...pids.keys()];
    const client = reserved ?? new Client(pool.options);
    const mostMs = Math.min(longestMs, longestAnswerMs);
    const giveUp = setTimeout(() => client.connection.stream.destroy(), mostMs);
    try {
      if (client !== reserved) {
        client.on('error', () => {});
        await client.connect();
        reserved = client;
      }
      const { rows } = await client.query<{ pid: number | string }>(
        `SELECT pid FROM pg_stat_activity WHERE pid = ANY ('{${asked}}')`,
      );
      const found = new Set(rows.map(({ pid }) => Number(pid)));
      for (const pid of asked) {
        if (found.has(pid)) pids.set(pid, performance.now());
        else pids.delete(pid);
      }
    } catch {
      // The next question opens another connection.
      reserved = undefined;
      client.connection.stream.destroy();
      const latest = performance.now() - longestUncertainMs;
      for (const [pid, knownAt] of pids) if (knownAt < latest) pids.delete(pid);
    } finally {
      clearTimeout(giveUp);
    }
  }

  return {
    isFull: () => pids.size >= 2 * pool.options.max,

    ask: askOnce,

    cancel(client, longestMs) {
      const request = cancelRequestOf(client);
      return new Promise((resolve) => {
        if (request === undefined) return resolve();
        const { host, port } = client;
        const isSocket = host.startsWith('/');
        // In plain text, as libpq does: a server reads it before it asks for TLS.
        const socket = connect(isSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
        const giveUp = setTimeout(() => socket.destroy(), longestMs);
        socket.on('error', () => {});
        socket.once('close', () => {
          clearTimeout(giveUp);
          resolve();
        });
        // Not ended by us: PgBouncer would forget the request of a client that has left.
        socket.resume().write(request);
      });
    },

    add(client, longestMs) {
      const pid = numberOf(client, 'processID');
      if (pid === undefined) return;
      pids.set(pid, performance.now());
      askLater(longestMs);
    },

    close: letGo,
  };
}

/** The protocol's CancelRequest; `undefined` for a connection that has no key for it. */
function cancelRequestOf(client: PoolClient): Buffer | undefined {
  const [pid, key] = [numberOf(client, 'processID'), numberOf(client, 'secretKey')];
  if (pid === undefined || key === undefined) return undefined;
  const request = Buffer.alloc(16);
  for (const [index, part] of [16, 80_877_102, pid, key].entries()) {
    request.writeInt32BE(part, 4 * index);
  }
  return request;
}

/** pg has these two members without declaring them. */
function numberOf(client: PoolClient, name: 'processID' | 'secretKey'): number | undefined {
  const value: unknown = Reflect.get(client, name);
  return typeof value === 'number' ? value : undefined;
}
