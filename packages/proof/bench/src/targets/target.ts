import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@chairside/core';
import { createIds } from '@chairside/core/ports';
import type { Finding } from '../job.ts';
import type { Load } from '../load.ts';
import type { Request } from '../request.ts';

/** A server with its requests. */
export interface Served {
  /** Compares stored records and responses, once the load is over. */
  readonly finish: (load: Load) => Promise<Finding>;
  readonly close: () => Promise<void>;
  /** The port of each of its processes. */
  readonly ports: readonly number[];
  readonly requests: readonly Request[];
  /** Whether the requests may be repeated. */
  readonly repeats: boolean;
}

/** The input of a scenario. */
export interface Setting {
  readonly folder: string;
  /** The number of requests to prepare. */
  readonly wanted: number;
  readonly database: string | undefined;
  /** The file for CPU profiles; other processes append their number. */
  readonly profile: string | undefined;
}

export type Open = (setting: Setting) => Promise<Served>;

/** Chairside's ids, ordered by time. Random ids cost the floor a third. */
export const ids = createIds(systemClock, (bytes) => crypto.getRandomValues(bytes));

/** Compares two counts, by name. */
export function differences(
  found: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
): string[] {
  return Object.keys({ ...found, ...expected }).flatMap((name) => {
    const [is, shouldBe] = [found[name] ?? 0, expected[name] ?? 0];
    return is === shouldBe ? [] : [`${name}: ${is}, not ${shouldBe}`];
  });
}

/** A plain Node server on a free port. */
export async function listen(
  handler: RequestListener,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // cast: it listens on a port
  return {
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
