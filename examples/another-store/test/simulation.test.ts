import { createFakeProcessor } from '@chairside/fake-processor';
import { type Harness, simulate } from '@chairside/trials';
import { expect, it } from 'vitest';
import { openInFolder } from './open.ts';

it('keeps every promise over node:sqlite (D116)', async () => {
  const harness = {
    open(clock, seed) {
      const { open, remove, ...opened } = openInFolder();
      let { store } = opened;
      return {
        get store() {
          return store;
        },
        processor: createFakeProcessor({ clock, seed: `${seed}` }),
        reopen: async () => {
          await store.close();
          store = open();
        },
        close: async () => {
          await store.close();
          remove();
        },
      };
    },
  } satisfies Harness;
  const report = await simulate(harness, { seeds: 10, operations: 60 });
  expect(report.failure).toBeUndefined();
  expect(report.succeeded).toBeGreaterThan(50);
}, 300_000);
