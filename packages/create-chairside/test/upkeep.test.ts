import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ResultAsync } from '@chairside/core';
import { createMapStore } from '@chairside/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createProject } from '../src/index.ts';

/** A new project, with a store of this test and no appointments. Returns its folder. */
function newShop(store: unknown): string {
  // Below the workspace, so that its imports are found.
  const folder = mkdtempSync(join(import.meta.dirname, 'shop-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  createProject(folder, { host: 'h3', store: 'sqlite', processor: 'fake' });
  vi.stubEnv('INSTALLATION', 'test');
  vi.stubEnv('DATABASE', join(folder, 'shop.db'));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubGlobal('openDatabase', async () => ({
    store,
    appointments: { list: async () => [{}], get: async () => undefined },
    close: async () => undefined,
  }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const database = 'export const openDatabase = () => globalThis.openDatabase();\n';
  writeFileSync(join(folder, 'src/database.ts'), database);
  return folder;
}

async function openShop(store: unknown) {
  const folder = newShop(store);
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
      // A run reads the due events once, and those of any time beside them.
      if (asked[0] < Number.MAX_SAFE_INTEGER) runs += 1;
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

it('opens for the operator without its regular work', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = newShop(createMapStore());
  const { default: open } = await import(join(folder, 'chairside.config.ts'));
  const { chairside, deliver, businesses, close } = await open();
  expect(vi.getTimerCount()).toBe(0);
  expect([typeof deliver, businesses]).toEqual(['function', ['shop']]);
  expect((await chairside.listReviews()).isOk()).toBe(true);
  await close();
});
