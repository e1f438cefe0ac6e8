import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ResultAsync } from '@chairside/core';
import { createMapStore } from '@chairside/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createProject } from '../src/index.ts';

/** Opens the shop of a new project, with a store of this test and no appointments. */
async function openShop(store: unknown) {
  // Below the workspace, so that its imports are found.
  const folder = mkdtempSync(join(import.meta.dirname, 'shop-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  createProject(folder, { host: 'h3', store: 'sqlite', processor: 'fake' });
  vi.stubGlobal('openDatabase', async () => ({
    store,
    appointments: { list: async () => [{}], get: async () => undefined },
    close: async () => undefined,
  }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const database = 'export const openDatabase = () => globalThis.openDatabase();\n';
  writeFileSync(join(folder, 'src/database.ts'), database);
  const { openShop: open } = await import(join(folder, 'src/shop.ts'));
  const { openProcessor } = await import(join(folder, 'src/processor.ts'));
  return open(openProcessor());
}

it('runs no upkeep behind one that takes long, so that the process can end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMapStore();
  const { listDue } = store.events;
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let runs = 0;
  const events: typeof store.events = {
    ...store.events,
    listDue(...asked) {
      runs += 1;
      return ResultAsync.fromSafePromise(held).andThen(() => listDue(...asked));
    },
  };
  const shop = await openShop({ ...store, events });
  for (let ticks = 0; ticks < 20; ticks += 1) {
    vi.advanceTimersByTime(3000);
    await nextTurn();
  }
  const closing = shop.close();
  goOn();
  await closing;
  expect(runs).toBe(1);
});
