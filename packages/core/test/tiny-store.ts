import { type Appointment, emptyLedger } from '../src/domain/appointment.ts';
import type { Barber, Business } from '../src/domain/business.ts';
import { err, ok, okAsync, ResultAsync } from '../src/domain/result.ts';
import type { Terminal } from '../src/domain/terminal.ts';
import type { Change, Commit } from '../src/ports/change.ts';
import type { Store } from '../src/ports/store.ts';

/** A Map with a `put` that returns true. */
class Records<T extends { readonly id: string }> extends Map<string, T> {
  put(record: T): true {
    this.set(record.id, record);
    return true;
  }
}

/** The part of a store that the host's records and terminals need, with its commits. */
export function createTinyStore() {
  const appointments = new Records<Appointment>();
  const barbers = new Records<Barber>();
  const businesses = new Records<Business>();
  const terminals = new Records<Terminal>();
  const commits: Commit[] = [];

  function apply(change: Change): boolean {
    switch (change.kind) {
      case 'putAppointment':
        return appointments.put(change.appointment);
      case 'putBarber':
        return barbers.put(change.barber);
      case 'putBusiness':
        return businesses.put(change.business);
      case 'insertTerminal':
        return terminals.put(change.terminal);
      default:
        return change.kind === 'appendEvent';
    }
  }

  const store = {
    appointments: { get: (id) => okAsync(appointments.get(id)) },
    barbers: { get: (id) => okAsync(barbers.get(id)) },
    businesses: { get: (id) => okAsync(businesses.get(id)) },
    terminals: {
      get: (id) => okAsync(terminals.get(id)),
      getByDeviceIdentifier: () => okAsync(undefined),
      listByBarber: (id) =>
        okAsync([...terminals.values()].filter(({ barberId }) => barberId === id)),
    },
    ledgers: { get: (id) => okAsync(emptyLedger(id)) },
    keys: { get: () => okAsync(undefined) },
    commit(commit) {
      commits.push(commit);
      const failed = commit.changes.find((change) => !apply(change));
      const conflict = failed && err({ kind: 'storeConflict', change: failed.kind } as const);
      return new ResultAsync(Promise.resolve(conflict ?? ok()));
    },
    wasCommitted: (id) => okAsync(commits.some((commit) => commit.id === id)),
  } satisfies Partial<Store>;

  // cast: these tests use no other part of a store
  return { store: store as Partial<Store> as Store, commits };
}
