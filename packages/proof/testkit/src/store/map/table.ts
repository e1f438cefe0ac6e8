import type { EventKey } from '@chairside/core/ports';

/** Indexes of a table. */
interface Indexes<T, Group extends string, Order extends string> {
  /** Records of one group, in the order of insertion. */
  readonly groups?: Readonly<Record<Group, (record: T) => string | undefined>>;
  /** Records by a number, lowest first. */
  readonly orders?: Readonly<Record<Order, (record: T) => number | undefined>>;
}

export interface Entry<T> {
  readonly id: string;
  readonly record: T;
}

interface Row<T> extends Entry<T> {
  /** The count of insertions before it; updates do not change it. */
  readonly tie: number;
}

interface Index<T> {
  add(row: Row<T>): void;
  remove(row: Row<T>): void;
}

export type Table<T, Group extends string = never, Order extends string = never> = ReturnType<
  typeof createTable<T, Group, Order>
>;

/** Records by id. A record is in an index if the index has a value for it. */
export function createTable<T, Group extends string = never, Order extends string = never>({
  groups,
  orders,
}: Indexes<T, Group, Order> = {}) {
  const rows = new Map<string, Row<T>>();
  const grouped = new Map(
    Object.entries<(record: T) => string | undefined>(groups ?? {}).map(
      ([name, keyOf]) => [name, createGroups(keyOf)] as const,
    ),
  );
  const ordered = new Map(
    Object.entries<(record: T) => number | undefined>(orders ?? {}).map(
      ([name, placeOf]) => [name, createOrder(placeOf)] as const,
    ),
  );
  const indexes: readonly Index<T>[] = [...grouped.values(), ...ordered.values()];
  let inserted = 0;
  let undo: (revert: () => void) => void = () => {};

  /** Replaces a row by another; without one of them, it inserts or removes. */
  function replace(id: string, before: Row<T> | undefined, after: Row<T> | undefined): void {
    if (after === undefined) rows.delete(id);
    else rows.set(id, after);
    for (const index of indexes) {
      if (before !== undefined) index.remove(before);
      if (after !== undefined) index.add(after);
    }
  }

  function change(id: string, after: Row<T> | undefined): void {
    const before = rows.get(id);
    undo(() => replace(id, after, before));
    replace(id, before, after);
  }

  return {
    get(id: string): T | undefined {
      return rows.get(id)?.record;
    },
    has(id: string): boolean {
      return rows.has(id);
    },
    /** Inserts or replaces. */
    put(id: string, record: T): true {
      const tie = rows.get(id)?.tie ?? ++inserted;
      // A frozen copy, so that callers cannot change stored records and reads need no copy.
      change(id, { id, record: frozen(record), tie });
      return true;
    },
    /** Returns whether the id was free; a taken one keeps its record. */
    insert(id: string, record: T): boolean {
      return !rows.has(id) && this.put(id, record);
    },
    remove(id: string): boolean {
      if (!rows.has(id)) return false;
      change(id, undefined);
      return true;
    },
    /** Of one group. */
    group(name: Group, value: string): readonly Entry<T>[] {
      return grouped.get(name)?.of(value) ?? [];
    },
    /** With at most this number. */
    upTo(name: Order, bound: number): Iterable<Entry<T>> {
      return ordered.get(name)?.upTo(bound) ?? [];
    },
    /** With more than this number. */
    above(name: Order, bound: number): Iterable<Entry<T>> {
      return ordered.get(name)?.above(bound) ?? [];
    },
    entries(): IterableIterator<Entry<T>> {
      return rows.values();
    },
    /** Called before each change, with a function that reverts it. */
    onChange(listener: (revert: () => void) => void): void {
      undo = listener;
    },
  };
}

function createGroups<T>(keyOf: (record: T) => string | undefined) {
  const groups = new Map<string, Map<string, Row<T>>>();
  return {
    add(row: Row<T>) {
      const key = keyOf(row.record);
      if (key === undefined) return;
      const group = groups.get(key) ?? new Map<string, Row<T>>();
      groups.set(key, group.set(row.id, row));
    },
    remove({ id, record }: Row<T>) {
      const key = keyOf(record) ?? '';
      groups.get(key)?.delete(id);
      if (groups.get(key)?.size === 0) groups.delete(key);
    },
    of: (key: string) => [...(groups.get(key)?.values() ?? [])].sort((a, b) => a.tie - b.tie),
  };
}

/** Rows by a number, and in the order of insertion where it is equal. */
function createOrder<T>(placeOf: (record: T) => number | undefined) {
  const placed: { readonly at: number; readonly row: Row<T> }[] = [];

  /** The index of the first row that is not before this place. */
  function indexOf(at: number, tie: number): number {
    let [low, high] = [0, placed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = placed[middle];
      const isBefore = one !== undefined && (one.at === at ? one.row.tie < tie : one.at < at);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(row: Row<T>) {
      const at = placeOf(row.record);
      if (at !== undefined) placed.splice(indexOf(at, row.tie), 0, { at, row });
    },
    remove(row: Row<T>) {
      const at = placeOf(row.record);
      if (at !== undefined) placed.splice(indexOf(at, row.tie), 1);
    },
    *upTo(bound: number) {
      for (const { at, row } of placed) {
        if (at > bound) return;
        yield row;
      }
    },
    *above(bound: number) {
      for (const { row } of placed.slice(indexOf(bound, Number.POSITIVE_INFINITY))) yield row;
    },
  };
}

/** The first `limit` values; a negative limit counts as zero. */
export function take<T>(from: Iterable<T>, limit: number): readonly T[] {
  const taken: T[] = [];
  if (limit <= 0) return taken;
  for (const one of from) {
    taken.push(one);
    if (taken.length >= limit) break;
  }
  return taken;
}

/** A frozen copy of plain data; frozen parts are shared. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map(frozen);
    return Object.freeze(items) as T & unknown[]; // cast: its items are the same
  }
  const copy = { ...value };
  for (const name in copy) copy[name] = frozen(copy[name]);
  return Object.freeze(copy);
}

/** A unique name for an event, or for a key of a subject. */
export function pair(a: string, b: string | number): string {
  return JSON.stringify([a, b]);
}

export function keyOf({ subject, version }: EventKey): string {
  return pair(subject, version);
}

export function compareKeys(a: EventKey, b: EventKey): number {
  if (a.subject === b.subject) return a.version - b.version;
  return a.subject < b.subject ? -1 : 1;
}
