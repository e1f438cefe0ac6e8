import type { Ports } from '../ports/ports.ts';
import type { ProcessorWorld } from '../ports/processor.ts';
import type { Change, CommitError, Fact, Store, StoreUnavailable } from '../ports/store.ts';
import type { Steps } from '../values/result.ts';
import { err, ok, type Result } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { commit, isConflict } from './commit.ts';

// Test payments that pass for real ones, and a copy of a database that cancels the payments of the original:
// a store remembers the world that it belongs to, and refuses another before anything is written (D210).

/** What a store belongs to. */
export interface StoreWorld extends Partial<ProcessorWorld> {
  readonly installation: string;
  /** The store is a copy since then: it knows payments of another world. */
  readonly since?: EpochMs;
}

const world = 'world';

type OfWorld = Pick<Ports, 'store' | 'processor' | 'installation'>;

export function ownWorld({ processor, installation }: OfWorld): StoreWorld {
  return { ...processor.world, installation };
}

const namedByAdapters = ['processor', 'mode', 'account'] as const;

/** A missing member may be the same: an adapter need not know its account. */
export function isSameWorld(one: StoreWorld, other: StoreWorld): boolean {
  const differs = namedByAdapters.some(
    (name) => one[name] !== undefined && other[name] !== undefined && one[name] !== other[name],
  );
  return !differs && one.installation === other.installation;
}

/** Whether this process names what the one that wrote the world did not know. */
export function namesMore(own: StoreWorld, stored: StoreWorld): boolean {
  return namedByAdapters.some((name) => own[name] !== undefined && stored[name] === undefined);
}

interface RememberedWorld {
  readonly fact: Fact | undefined;
  /** Absent if the store is new. */
  readonly stored: StoreWorld | undefined;
}

export async function readWorld({
  store,
}: Pick<Ports, 'store'>): Promise<Result<RememberedWorld, StoreUnavailable>> {
  const found = await store.facts.get(world);
  return found.map((fact) => ({ fact, stored: fact && JSON.parse(fact.text) }));
}

/** Writes which world the store belongs to from now on. */
export function writeWorld(
  ports: Ports,
  fact: Fact | undefined,
  stored: StoreWorld,
): Promise<Result<void, CommitError>> {
  return commit(ports, [factChange(world, fact, stored)]);
}

/** @param before the fact as it was read; another commit since makes this one a conflict. */
function factChange(name: string, before: Fact | undefined, value: object): Change {
  const { version = 0 } = before ?? {};
  return { kind: 'putFact', fact: { name, version: version + 1, text: JSON.stringify(value) } };
}

// Each process that starts with `restored: true` draws a number. What was read for a smaller number may have been
// read before the database was restored, whatever the clocks say (D210).

const restoration = 'restoration';

const noNumber = { number: 0 };

/** The greatest number that was drawn so far. */
export async function readRestoration({ store }: Pick<Ports, 'store'>) {
  const found = await store.facts.get(restoration);
  return found.map((fact) => {
    const { number }: { readonly number: number } = fact ? JSON.parse(fact.text) : noNumber;
    return { fact, number };
  });
}

/** Draws a number greater than all before. */
export async function drawRestoration(
  ports: Ports,
  tries = 8,
): Promise<Result<number, CommitError>> {
  const before = await readRestoration(ports);
  if (before.isErr()) return err(before.error);
  const number = Math.max(before.value.number + 1, ports.clock.now());
  const drawn = await commit(ports, [factChange(restoration, before.value.fact, { number })]);
  if (drawn.isOk()) return ok(number);
  // Another process may have come first.
  return isConflict(drawn.error) && tries > 1
    ? drawRestoration(ports, tries - 1)
    : err(drawn.error);
}

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
  return factChange(nameOf(customerId), fact, merged);
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
