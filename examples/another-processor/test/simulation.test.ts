import { createMapStore } from '@chairside/testkit';
import { type Harness, simulate } from '@chairside/trials';
import { expect, it } from 'vitest';
import { driveTally } from './drive.ts';

it('keeps every promise over Tally (D116)', async () => {
  const accounts = ['acct_shop', 'acct_annex', 'acct_new'].map((id) => ({ id, currency: 'eur' }));
  const harness: Harness = {
    open: (clock) => ({ store: createMapStore(), processor: driveTally(clock, accounts) }),
  };
  const report = await simulate(harness, { seeds: 10, operations: 60 });
  expect(report.failure).toBeUndefined();
  expect(report.succeeded).toBeGreaterThan(200);
}, 300_000);
