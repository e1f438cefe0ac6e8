// A process that serves, Chairside or a program written by hand, or that stands for many phones.
import { readdirSync } from 'node:fs';
import { carryOut, type Tasks } from './child.ts';
import { type Address, runSql } from './database.ts';
import { createLoad } from './load.ts';
import { tailsOf } from './report.ts';
import type { Setup } from './serve.ts';
import { serveByHand } from './targets/by-hand.ts';
import { serveChairside } from './targets/chairside.ts';
import { appointment, listCall } from './visits.ts';

const servers = {
  chairside: serveChairside,
  byHand: serveByHand,
  dbos: async (setup: Setup) => (await import('./targets/beside.ts')).serveDbos(setup),
  drizzle: async (setup: Setup) => (await import('./targets/beside.ts')).serveDrizzle(setup),
};
let close: () => Promise<unknown> = async () => {};

const tasks: Tasks = {
  async start(setup: Setup) {
    const node = await servers[setup.kind](setup);
    close = node.close;
    Object.assign(tasks, node.tasks);
    return node.port;
  },
  sql: async ({ address, sql }: { address: Address; sql: string }) =>
    void (await runSql(address, sql)),
  cpu: async () => process.cpuUsage().user + process.cpuUsage().system,
  async memory() {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    return [heapUsed / 2 ** 20, rss / 2 ** 20, readdirSync('/dev/fd').length];
  },
  /** Phones that connect at the same moment, and read what they had on the screen. */
  async phones({ port, count }: { port: number; count: number }) {
    const { send, wrong, times } = createLoad([port], Number.POSITIVE_INFINITY);
    const [now, call] = [performance.now(), listCall(appointment(0))];
    await Promise.all(Array.from({ length: count }, () => send(call, port, now)));
    return `${tailsOf(times.get('list'))} ms (p50, p99, p99.9), ${wrong.length} in vain`;
  },
};

carryOut(tasks, () => close());
