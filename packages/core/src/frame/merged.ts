import type { Change, Fact, Store, StoreUnavailable } from '../ports/store.ts';
import type { Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';

// Some systems merge customers by themselves. The host says so once, and for good (D209).

/** What a store remembers of a customer that was merged. */
export interface MergedCustomer {
  /** The customer that it is now, and since when. */
  readonly into?: string;
  readonly at?: EpochMs;
  /** All that were merged into it, one by one or with others. */
  readonly from?: readonly string[];
}

const nameOf = (customerId: string) => `customer ${customerId}`;

export interface RememberedCustomer {
  readonly fact: Fact | undefined;
  readonly merged: MergedCustomer;
}

export async function* readMerged(
  store: Store,
  customerId: string,
): Steps<RememberedCustomer, StoreUnavailable> {
  const fact = yield* await store.facts.get(nameOf(customerId));
  const merged: MergedCustomer = fact === undefined ? {} : JSON.parse(fact.text);
  return { fact, merged };
}

export function mergedChange(
  customerId: string,
  fact: Fact | undefined,
  merged: MergedCustomer,
): Change {
  const { version = 0 } = fact ?? {};
  const text = JSON.stringify(merged);
  return { kind: 'putFact', fact: { name: nameOf(customerId), version: version + 1, text } };
}

/** The customer that this one is by now. */
export async function* customerNow(
  store: Store,
  customerId: string,
): Steps<string, StoreUnavailable> {
  const { merged } = yield* readMerged(store, customerId);
  return merged.into ?? customerId;
}

/** The customer's id, and those that were merged into it. */
export async function* allIdsOf(
  store: Store,
  customerId: string,
): Steps<readonly string[], StoreUnavailable> {
  const { merged } = yield* readMerged(store, customerId);
  return [customerId, ...(merged.from ?? [])];
}
