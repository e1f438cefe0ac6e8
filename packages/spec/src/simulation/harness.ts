import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Store } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import { createMapStore, type Harness, type World } from '@chairside/testkit/simulation';

/** The fake processor, over a store in memory: a crash leaves what a snapshot holds. */
export const mapHarness: Harness = {
  open(clock, seed): World {
    let store = createMapStore();
    return {
      store,
      processor: processorOf(clock, seed),
      reopen: async () => {
        store = createMapStore({ from: store.snapshot() });
        return store;
      },
    };
  },
};

/** The same over SQLite in a file, which is closed and opened again at every crash. */
export const sqliteHarness: Harness = {
  open(clock, seed): World {
    const folder = mkdtempSync(join(tmpdir(), 'chairside-simulation-'));
    let store = openFile(folder);
    return {
      store,
      processor: processorOf(clock, seed),
      reopen: async () => {
        await store.close();
        store = openFile(folder);
        return store;
      },
      close: async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

/** Every third processor tells its references only once a card was presented. */
function processorOf(clock: Clock, seed: number) {
  return createFakeProcessor({ clock, seed: `${seed}`, lateReferences: seed % 3 === 0 });
}

function openFile(folder: string): Store {
  const opened = openSqliteStore(join(folder, 'chairside.db'));
  if (opened.isErr()) throw new Error(opened.error.message);
  return opened.value;
}
