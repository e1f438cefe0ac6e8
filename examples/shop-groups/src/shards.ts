import { type Chairside, createChairside } from '@chairside/core';
import type { Processor } from '@chairside/core/ports';
import { openPostgresStore, type PostgresStore } from '@chairside/postgres';
import type { Pool } from 'pg';
import type { Directory } from './directory.ts';

export interface ShardOptions {
  readonly directory: Directory;
  readonly servers: ReadonlyMap<string, Pool>;
  readonly processor: Processor;
}

interface Open {
  readonly version: number;
  readonly store: PostgresStore;
  readonly chairside: Chairside;
}

/** One Chairside for each shop group, on the server where the group is. */
export function createShards({ directory, servers, processor }: ShardOptions) {
  const open = new Map<string, Open>();

  return {
    /** `undefined` while the group moves: respond 503 `unknown`, and the app repeats its request. */
    async of(group: string): Promise<Chairside | undefined> {
      const place = await directory.find(group);
      if (place === undefined) throw new Error(`there is no group ${group}`);
      if (place.movingTo !== undefined) return undefined;
      const known = open.get(group);
      if (known?.version === place.version) return known.chairside;
      const pool = servers.get(place.server);
      if (pool === undefined) throw new Error(`there is no server ${place.server}`);
      const opened = await openPostgresStore(pool, { schema: group });
      if (opened.isErr()) return undefined;
      const store = opened.value;
      // Groups may share a processor account. Each sweeps only the payments with its own mark.
      const chairside = createChairside({ store, processor, installation: group });
      open.set(group, { version: place.version, store, chairside });
      await known?.store.close();
      return chairside;
    },
    async close() {
      for (const { store } of open.values()) await store.close();
    },
  };
}

export type Shards = ReturnType<typeof createShards>;
