import type { Collections, FakeLedger } from '@chairside/fake-processor';

/** A measured run repeats no key. */
const mostKeys = 200;
/** Of these, the newer half is kept. */
const mostPayments = 300_000;

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
  const kept: { -readonly [C in keyof Collections]: Map<string, Collections[C] | undefined> } = {
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
    list: (collection) =>
      [...kept[collection].values()].flatMap((record) => (record === undefined ? [] : [record])),
    write(writes) {
      for (const { collection, id, record } of writes) {
        const records: Map<string, unknown> = kept[collection];
        if (collection === 'payments' && !records.has(id)) opened += 1;
        if (collection === 'payments' && record.status === 'captured') {
          takenMinor += Number(record.amountCaptured.replace('.', ''));
          records.set(id, undefined);
        } else records.set(id, record);
      }
      // To delete them one by one would leave more garbage: the old tables of a Map.
      if (kept.keys.size > mostKeys) kept.keys = new Map();
      if (kept.payments.size > mostPayments) {
        kept.payments = new Map([...kept.payments].slice(-mostPayments / 2));
      }
    },
    opened: () => opened,
    takenMinor: () => takenMinor,
  };
}
