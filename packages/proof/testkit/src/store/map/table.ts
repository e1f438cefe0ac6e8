import { createSorted, type Placed, type Sorted } from './sorted.ts';

/** Indexes of a table. */
export interface Indexes<T, Group extends string, Order extends string> {
  /** Records of one group, in the order of insertion. */
  readonly groups?: Readonly<Record<Group, (record: T) => string | undefined>>;
  /** Records by a number, lowest first. */
  readonly orders?: Readonly<Record<Order, (record: T) => number | undefined>>;
}

/** Records by id. A record is in an index if the index has a value for it. */
export interface Table<T, Group extends string = never, Order extends string = never> {
  get(id: string): T | undefined;
  has(id: string): boolean;
  /** Inserts or replaces. */
  put(id: string, record: T): true;
  /** Returns whether the id was free; a taken one keeps its record. */
  insert(id: string, record: T): boolean;
  remove(id: string): boolean;
  values(): IterableIterator<T>;
  /** The ids and records of a group. */
  group(name: Group, value: string): readonly Entry<T>[];
  /** Records with at most this number, or below it. */
  upTo(name: Order, bound: number, how?: 'including' | 'excluding'): IterableIterator<Entry<T>>;
  entries(): IterableIterator<readonly [string, T]>;
  /** Called before each change, with a function that reverts it. */
  onChange(undo: (revert: () => void) => void): void;
}

export interface Entry<T> {
  readonly id: string;
  readonly record: T;
}

interface Row<T> extends Entry<T> {
  /** The count of insertions before it; updates do not change it. */
  readonly tie: number;
}

export function createTable<T, Group extends string = never, Order extends string = never>({
  groups,
  orders,
}: Indexes<T, Group, Order> = {}): Table<T, Group, Order> {
  const rows = new Map<string, Row<T>>();
  const grouped = Object.entries<(record: T) => string | undefined>(groups ?? {}).map(
    ([name, keyBy]) => ({ name, keyBy, members: new Map<string, Map<string, Row<T>>>() }),
  );
  const ordered = Object.entries<(record: T) => number | undefined>(orders ?? {}).map(
    ([name, keyBy]) => ({ name, keyBy, rows: createSorted<Row<T>>() }),
  );
  let inserted = 0;
  let undo: (revert: () => void) => void = () => {};

  /** Replaces a row by another; without one of them, it inserts or removes. */
  function replace(id: string, before: Row<T> | undefined, after: Row<T> | undefined): void {
    if (after === undefined) rows.delete(id);
    else rows.set(id, after);
    for (const { keyBy, members } of grouped) regroup(members, keyBy, before, after);
    for (const index of ordered) reorder(index.rows, index.keyBy, before, after);
  }

  function change(id: string, after: Row<T> | undefined): void {
    const before = rows.get(id);
    undo(() => replace(id, after, before));
    replace(id, before, after);
  }

  function put(id: string, record: T): true {
    const tie = rows.get(id)?.tie ?? ++inserted;
    // A frozen copy, so that callers cannot change stored records and reads need no copy.
    change(id, { id, record: frozen(record), tie });
    return true;
  }

  return {
    get: (id) => rows.get(id)?.record,
    has: (id) => rows.has(id),
    put,
    insert: (id, record) => !rows.has(id) && put(id, record),
    remove(id) {
      if (!rows.has(id)) return false;
      change(id, undefined);
      return true;
    },
    *values() {
      for (const { record } of rows.values()) yield record;
    },
    group(name, value) {
      const members = grouped.find((index) => index.name === name)?.members.get(value);
      return [...(members?.values() ?? [])].sort((a, b) => a.tie - b.tie);
    },
    *upTo(name, bound, how = 'including') {
      for (const { at, item } of ordered.find((index) => index.name === name)?.rows ?? []) {
        if (at > bound || (at === bound && how === 'excluding')) return;
        yield item;
      }
    },
    *entries() {
      for (const { id, record } of rows.values()) yield [id, record] as const;
    },
    onChange(listener) {
      undo = listener;
    },
  };
}

function regroup<T>(
  members: Map<string, Map<string, Row<T>>>,
  keyBy: (record: T) => string | undefined,
  before: Row<T> | undefined,
  after: Row<T> | undefined,
): void {
  const left = before && keyBy(before.record);
  const joined = after && keyBy(after.record);
  if (before !== undefined && left !== undefined && left !== joined) {
    const group = members.get(left);
    group?.delete(before.id);
    if (group?.size === 0) members.delete(left);
  }
  if (after === undefined || joined === undefined) return;
  const group = members.get(joined) ?? new Map<string, Row<T>>();
  members.set(joined, group.set(after.id, after));
}

function reorder<T>(
  rows: Sorted<Row<T>>,
  keyBy: (record: T) => number | undefined,
  before: Row<T> | undefined,
  after: Row<T> | undefined,
): void {
  const place = (row: Row<T> | undefined): Placed<Row<T>> | undefined => {
    const at = row && keyBy(row.record);
    return row === undefined || at === undefined ? undefined : { at, tie: row.tie, item: row };
  };
  const left = place(before);
  const joined = place(after);
  if (left !== undefined) rows.remove(left);
  if (joined !== undefined) rows.add(joined);
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
