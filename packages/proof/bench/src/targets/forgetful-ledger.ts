import type { Collection, Collections, FakeLedger } from '@chairside/fake-processor';

/** Stored responses and open payments beyond these are forgotten. A measured run repeats no key. */
const mostKeys = 1000;
const mostPayments = 200_000;

export interface ForgetfulLedger extends FakeLedger {
  /** The number of payments that were opened. */
  readonly opened: () => number;
  /** The total that was captured. */
  readonly takenMinor: () => number;
}

/**
 * A fake's ledger that counts a captured payment and forgets it. The servers by hand simulate no
 * processor, so Chairside's figures leave out the growth of one.
 */
export function createForgetfulLedger(): ForgetfulLedger {
  const kept: { readonly [C in Collection]: Map<string, Collections[C]> } = {
    payments: new Map(),
    keys: new Map(),
    setups: new Map(),
    setupKeys: new Map(),
    outbox: new Map(),
    payouts: new Map(),
    counters: new Map(),
  };
  let [opened, takenMinor] = [0, 0];

  return {
    get: (collection, id) => kept[collection].get(id),
    list: (collection) => [...kept[collection].values()],
    write(writes) {
      for (const { collection, id, record } of writes) {
        const records: Map<string, unknown> = kept[collection];
        if (collection === 'payments' && !records.has(id)) opened += 1;
        records.set(id, record);
        if (collection === 'payments' && record.status === 'captured') {
          takenMinor += Number(record.amountCaptured.replace('.', ''));
          records.delete(id);
        }
      }
      forgetOldest(kept.keys, mostKeys);
      forgetOldest(kept.payments, mostPayments);
    },
    opened: () => opened,
    takenMinor: () => takenMinor,
  };
}

function forgetOldest(records: Map<string, unknown>, most: number): void {
  if (records.size <= most) return;
  for (const oldest of records.keys()) {
    records.delete(oldest);
    return;
  }
}
