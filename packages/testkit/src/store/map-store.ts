import {
  type Appointment,
  type Barber,
  type Business,
  type Change,
  type Commit,
  type DomainEvent,
  type EventKey,
  emptyLedger,
  err,
  errAsync,
  type FinancialAccount,
  type KeyRecord,
  type Ledger,
  type MethodSetup,
  ok,
  okAsync,
  type Payment,
  type PayoutPreferences,
  type PendingEvent,
  type Read,
  type Result,
  ResultAsync,
  type Schedule,
  type Store,
  type StoreConflict,
  type StoreUnavailable,
  type SweptAccount,
  type Terminal,
} from '@chairside/core';

interface Tables {
  readonly commits: Map<string, Pick<Commit, 'id' | 'at'>>;
  readonly payments: Map<string, Payment>;
  readonly ledgers: Map<string, Ledger>;
  readonly keys: Map<string, KeyRecord>;
  readonly events: Map<string, StoredEvent>;
  readonly processorEvents: Map<string, { readonly at: number }>;
  readonly setups: Map<string, MethodSetup>;
  readonly sweeps: Map<string, SweptAccount>;
  readonly terminals: Map<string, Terminal>;
  readonly appointments: Map<string, Appointment>;
  readonly barbers: Map<string, Barber>;
  readonly businesses: Map<string, Business>;
  readonly financialAccounts: Map<string, FinancialAccount>;
  readonly schedules: Map<string, Schedule>;
  readonly payoutPreferences: Map<string, PayoutPreferences>;
}

/** Without `deliverAt`: it waits for an earlier one, or is a dead letter. */
interface StoredEvent extends PendingEvent {
  readonly deliverAt?: number;
  readonly isDead: boolean;
}

/** All that a Map store held at one moment; it does not change any more. */
export interface MapStoreSnapshot {
  readonly tables: Readonly<Tables>;
}

export interface MapStore extends Store {
  /** Costs no more than the number of records: values are frozen, so only the maps are copied. */
  snapshot(): MapStoreSnapshot;
}

const unavailable: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };

/**
 * The store in memory, for tests and simulation. Keeps every promise of the port but durability.
 * @param options `from`: begins with what a snapshot held, as a process does after a crash.
 */
export function createMapStore(options: { readonly from?: MapStoreSnapshot } = {}): MapStore {
  const tables = copyOf(options.from?.tables);
  const { commits, payments, ledgers, keys, events, terminals } = tables;
  const { processorEvents, setups, sweeps, financialAccounts, schedules } = tables;
  const { appointments, barbers, businesses, payoutPreferences } = tables;
  let isClosed = false;

  /** Undone in reverse order when a later change of the same commit meets a conflict. */
  let undo: (() => void)[] = [];

  function put<T>(table: Map<string, T>, id: string, record: T): true {
    const before = table.get(id);
    undo.push(before === undefined ? () => table.delete(id) : () => table.set(id, before));
    // A copy, frozen: nobody outside can change what is stored, and reads need not copy.
    table.set(id, frozen(record));
    return true;
  }

  function insert<T>(table: Map<string, T>, id: string, record: T): boolean {
    return !table.has(id) && put(table, id, record);
  }

  function remove<T>(table: Map<string, T>, id: string): boolean {
    const before = table.get(id);
    if (before !== undefined) undo.push(() => table.set(id, before));
    return table.delete(id);
  }

  function removeWhere<T>(table: Map<string, T>, limit: number, matches: (record: T) => boolean) {
    const found = [...table].filter(([, record]) => matches(record)).slice(0, limit);
    for (const [id] of found) remove(table, id);
    return true;
  }

  /** Applies one change; says whether its condition held. */
  function apply(change: Change): boolean {
    switch (change.kind) {
      case 'insertKey':
        return insert(keys, pair(change.record.subject, change.record.key), change.record);
      case 'finishKey': {
        const id = pair(change.subject, change.key);
        const record = keys.get(id);
        if (record === undefined || record.problem !== undefined) return false;
        return put(keys, id, { ...record, problem: change.problem });
      }
      case 'deleteKeys':
        return removeWhere(keys, keys.size, ({ resourceId }) => resourceId === change.resourceId);
      case 'insertPayment': {
        const { account, createdAt } = change.payment;
        insert(sweeps, account, { account, sweptBefore: createdAt, triedAt: createdAt });
        return insert(payments, change.payment.id, change.payment);
      }
      case 'updatePayment':
        return (
          payments.get(change.payment.id)?.version === change.expectedVersion &&
          put(payments, change.payment.id, change.payment)
        );
      case 'deletePayment':
        return (
          payments.get(change.id)?.version === change.expectedVersion && remove(payments, change.id)
        );
      case 'moveLedger': {
        const ledger = moved(ledgers.get(change.appointmentId), change);
        return ledger !== undefined && put(ledgers, change.appointmentId, ledger);
      }
      case 'appendEvent':
        return appendEvent(change.event);
      case 'leaseEvent': {
        const { attempts, deliverAt } = change;
        const stored = events.get(keyOf(change));
        if (stored === undefined || stored.isDead || stored.attempts !== attempts) return false;
        return isFirst(change) && putEvent({ ...stored, attempts: attempts + 1, deliverAt });
      }
      case 'postponeEvent': {
        const stored = events.get(keyOf(change));
        if (stored === undefined || isTakenUpSince(stored, change)) return false;
        const { event, attempts } = stored;
        const { deliverAt } = change;
        return deliverAt === undefined
          ? putEvent({ event, attempts, isDead: true })
          : putEvent({ event, attempts, isDead: false, deliverAt });
      }
      case 'reviveEvent': {
        const stored = events.get(keyOf(change));
        if (!stored?.isDead) return false;
        const { deliverAt } = change;
        return putEvent({ event: stored.event, attempts: 0, isDead: false, deliverAt });
      }
      case 'removeEvent': {
        const stored = events.get(keyOf(change));
        if (!isFirst(change) || stored === undefined || isTakenUpSince(stored, change))
          return false;
        remove(events, keyOf(change));
        return wakeNext(change.subject, change.deliverAt);
      }
      case 'insertProcessorEvent':
        return insert(processorEvents, change.id, { at: change.at });
      case 'insertSetup':
        return insert(setups, change.setup.id, change.setup);
      case 'updateSetup':
        return (
          setups.get(change.setup.id)?.version === change.expectedVersion &&
          put(setups, change.setup.id, change.setup)
        );
      case 'deleteSetup':
        return (
          setups.get(change.id)?.version === change.expectedVersion && remove(setups, change.id)
        );
      case 'putSweep':
        return put(sweeps, change.swept.account, change.swept);
      case 'insertTerminal': {
        const { id, deviceIdentifier } = change.terminal;
        return byDevice(deviceIdentifier) === undefined && insert(terminals, id, change.terminal);
      }
      case 'deleteTerminal':
        return remove(terminals, change.id);
      case 'forget':
        removeWhere(
          keys,
          change.limit,
          ({ resourceId, forgetAt = Infinity }) =>
            resourceId === undefined && forgetAt <= change.now,
        );
        removeWhere(commits, change.limit, ({ at }) => at < change.commitsBefore);
        removeWhere(processorEvents, change.limit, ({ at }) => at < change.processorEventsBefore);
        return forgetEvents(change);
      case 'deleteFinancialAccount': {
        const account = financialAccounts.get(change.id);
        if (account?.businessId !== change.businessId || account.isDefault) return false;
        return remove(financialAccounts, change.id);
      }
      case 'deleteSchedule':
        return (
          schedules.get(change.id)?.barberId === change.barberId && remove(schedules, change.id)
        );
      case 'putAppointment':
        return put(appointments, change.appointment.id, change.appointment);
      case 'putBarber':
        return put(barbers, change.barber.id, change.barber);
      case 'putBusiness':
        return put(businesses, change.business.id, change.business);
      case 'putFinancialAccount': {
        const { id, businessId, isDefault } = change.account;
        for (const other of isDefault ? financialAccounts.values() : []) {
          if (other.businessId === businessId && other.isDefault) {
            put(financialAccounts, other.id, { ...other, isDefault: false });
          }
        }
        return put(financialAccounts, id, change.account);
      }
      case 'putSchedule':
        return put(schedules, change.schedule.id, change.schedule);
      case 'putPayoutPreferences':
        return put(payoutPreferences, change.preferences.businessId, change.preferences);
    }
  }

  function first(subject: string): StoredEvent | undefined {
    return [...events.values()].filter(({ event }) => event.subject === subject).sort(inOrder)[0];
  }

  /** Whoever took it up that often holds it no longer. */
  function isTakenUpSince(stored: StoredEvent, { attempts }: { readonly attempts?: number }) {
    return attempts !== undefined && attempts !== stored.attempts;
  }

  function isFirst({ subject, version }: EventKey): boolean {
    return first(subject)?.event.version === version;
  }

  function putEvent(stored: StoredEvent): true {
    return put(events, keyOf(stored.event), stored);
  }

  function appendEvent(event: DomainEvent): boolean {
    const before = first(event.subject);
    const isNext = before === undefined || event.version < before.event.version;
    const stored = { event, attempts: 0, isDead: false };
    const record = isNext ? { ...stored, deliverAt: event.occurredAt } : stored;
    return insert(events, keyOf(event), record);
  }

  /** What stood behind a removed event is its subject's first now. */
  function wakeNext(subject: string, deliverAt?: number): true {
    const next = first(subject);
    if (next === undefined || next.isDead || next.deliverAt !== undefined) return true;
    return putEvent({ ...next, deliverAt: deliverAt ?? next.event.occurredAt });
  }

  function forgetEvents({ eventsBefore, limit }: Extract<Change, { kind: 'forget' }>): true {
    const untaken = [...events.values()]
      .flatMap(({ event, attempts, deliverAt }) =>
        attempts === 0 && deliverAt !== undefined && deliverAt < eventsBefore
          ? [{ event, deliverAt }]
          : [],
      )
      .sort((a, b) => a.deliverAt - b.deliverAt)
      .slice(0, limit);
    for (const { event } of untaken) remove(events, keyOf(event));
    for (const { event } of untaken) wakeNext(event.subject);
    return true;
  }

  function write({ id, at, changes }: Commit): Result<void, StoreConflict> {
    undo = [];
    if (!insert(commits, id, { id, at })) return ok();
    const failed = changes.find((change) => !apply(change));
    if (failed === undefined) return ok();
    for (const revert of undo.reverse()) revert();
    return err({ kind: 'storeConflict', change: failed.kind });
  }

  function byDevice(deviceIdentifier: string): Terminal | undefined {
    return [...terminals.values()].find(
      (terminal) => terminal.deviceIdentifier === deviceIdentifier,
    );
  }

  function read<T>(find: () => T): Read<T> {
    return isClosed ? errAsync(unavailable) : okAsync(find());
  }

  return {
    appointments: { get: (id) => read(() => appointments.get(id)) },
    barbers: { get: (id) => read(() => barbers.get(id)) },
    businesses: { get: (id) => read(() => businesses.get(id)) },
    ledgers: { get: (id) => read(() => ledgers.get(id) ?? emptyLedger(id)) },
    payments: {
      get: (id) => read(() => payments.get(id)),
      listByAppointment: (id, limit) =>
        read(() => newest(payments, limit, ({ appointment }) => appointment.id === id)),
      listDue: (now, limit) => read(() => due(payments.values(), now, limit)),
    },
    keys: { get: (subject, key) => read(() => keys.get(pair(subject, key))) },
    events: {
      listDue: (now, limit) =>
        read(() => {
          const found = [...events.values()]
            .filter(({ event, deliverAt = Infinity }) => deliverAt <= now && isFirst(event))
            .sort((a, b) => (a.deliverAt ?? 0) - (b.deliverAt ?? 0));
          return pending(found, limit);
        }),
      listDead: (limit, after = { subject: '', version: 0 }) =>
        read(() => {
          const found = [...events.values()]
            .filter(({ event, isDead }) => isDead && compareKeys(event, after) > 0)
            .sort(inOrder);
          return pending(found, limit);
        }),
    },
    processorEvents: { has: (id) => read(() => processorEvents.has(id)) },
    setups: {
      get: (id) => read(() => setups.get(id)),
      listDue: (now, limit) => read(() => due(setups.values(), now, limit)),
    },
    sweeps: {
      listStale: (sweptBefore, limit) =>
        read(() =>
          [...sweeps.values()]
            .filter((swept) => swept.sweptBefore <= sweptBefore)
            .sort((a, b) => a.triedAt - b.triedAt)
            .slice(0, Math.max(0, limit)),
        ),
    },
    financialAccounts: { get: (id) => read(() => financialAccounts.get(id)) },
    schedules: { get: (id) => read(() => schedules.get(id)) },
    payoutPreferences: { get: (id) => read(() => payoutPreferences.get(id)) },
    terminals: {
      get: (id) => read(() => terminals.get(id)),
      getByDeviceIdentifier: (device) => read(() => byDevice(device)),
      listByBarber: (id, limit) =>
        read(() => newest(terminals, limit, ({ barberId }) => barberId === id)),
    },
    commit: (commit) =>
      isClosed ? errAsync(unavailable) : new ResultAsync(Promise.resolve(write(commit))),
    wasCommitted: (id) => read(() => commits.has(id)),
    close: async () => {
      isClosed = true;
    },
    snapshot: () => ({ tables: copyOf(tables) }),
  };
}

function copyOf(from: Tables | undefined): Tables {
  return {
    commits: new Map(from?.commits),
    payments: new Map(from?.payments),
    ledgers: new Map(from?.ledgers),
    keys: new Map(from?.keys),
    events: new Map(from?.events),
    processorEvents: new Map(from?.processorEvents),
    setups: new Map(from?.setups),
    sweeps: new Map(from?.sweeps),
    financialAccounts: new Map(from?.financialAccounts),
    schedules: new Map(from?.schedules),
    payoutPreferences: new Map(from?.payoutPreferences),
    terminals: new Map(from?.terminals),
    appointments: new Map(from?.appointments),
    barbers: new Map(from?.barbers),
    businesses: new Map(from?.businesses),
  };
}

/** The ledger after the move; `undefined` where that would go beyond a bound. */
function moved(
  before: Ledger | undefined,
  move: Extract<Change, { kind: 'moveLedger' }>,
): Ledger | undefined {
  const { appointmentId, capturedMinor, reservedMinor, openPayments } =
    before ?? emptyLedger(move.appointmentId);
  const after = {
    appointmentId,
    capturedMinor: capturedMinor + move.capturedMinor,
    reservedMinor: reservedMinor + move.reservedMinor,
    openPayments: openPayments + move.openPayments,
  };
  const { maxOpenPayments, maxCommittedMinor } = move;
  const isWithin =
    (maxOpenPayments === undefined || after.openPayments <= maxOpenPayments) &&
    (maxCommittedMinor === undefined ||
      after.capturedMinor + after.reservedMinor <= maxCommittedMinor);
  return isWithin ? after : undefined;
}

function newest<T extends { readonly createdAt: number }>(
  table: Map<string, T>,
  limit: number,
  matches: (record: T) => boolean,
): readonly T[] {
  const found = [...table.values()].filter(matches).sort((a, b) => a.createdAt - b.createdAt);
  return found.slice(Math.max(0, found.length - Math.max(0, limit)));
}

function due<T extends { readonly nextCheckAt?: number }>(
  records: Iterable<T>,
  now: number,
  limit: number,
): readonly T[] {
  const checkAt = ({ nextCheckAt = Infinity }: T) => nextCheckAt;
  return [...records]
    .filter((record) => checkAt(record) <= now)
    .sort((a, b) => checkAt(a) - checkAt(b))
    .slice(0, Math.max(0, limit));
}

function pending(stored: readonly StoredEvent[], limit: number): readonly PendingEvent[] {
  return stored.slice(0, Math.max(0, limit)).map(({ event, attempts }) => ({ event, attempts }));
}

function inOrder({ event: a }: StoredEvent, { event: b }: StoredEvent): number {
  return compareKeys(a, b);
}

function compareKeys(a: EventKey, b: EventKey): number {
  if (a.subject === b.subject) return a.version - b.version;
  return a.subject < b.subject ? -1 : 1;
}

function keyOf({ subject, version }: EventKey): string {
  return pair(subject, version);
}

/** Two names as one that no other two make. */
function pair(a: string, b: string | number): string {
  return JSON.stringify([a, b]);
}

/** A copy of plain data that nobody can change; what nobody can change already is shared. */
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
