import { createMemoryLedger, type FakeLedger } from '@chairside/fake-processor';

/**
 * A fake's ledger that forgets, so that a long run does not measure the fake's growth. It has two
 * generations: the older is dropped whenever the younger has taken `limit` writes.
 */
export function createBoundedLedger(limit: number): FakeLedger {
  let young = createMemoryLedger();
  let old = createMemoryLedger();
  let writes = 0;
  return {
    get: (collection, id) => young.get(collection, id) ?? old.get(collection, id),
    list(collection, group) {
      const newest = young.list(collection, group);
      return newest.length > 0 ? newest : old.list(collection, group);
    },
    write(batch) {
      if (writes >= limit) {
        old = young;
        young = createMemoryLedger();
        writes = 0;
      }
      young.write(batch);
      writes += batch.length;
    },
  };
}
