import { type Appointment, type Barber, type Business, emptyLedger } from '../src/host/host.ts';
import type { Change, Commit, Store } from '../src/ports/store.ts';
import { storeGroups } from '../src/settings.ts';
import type { Terminal } from '../src/terminal/terminal.ts';
import { err, errAsync, ok, okAsync, ResultAsync } from '../src/values/result.ts';

/** A Map with a `put` that returns true. */
class Records<T extends { readonly id: string }> extends Map<string, T> {
  put(record: T): true {
    this.set(record.id, record);
    return true;
  }
}

/** A store that has only these parts: every other read fails. */
function storeWith(parts: Partial<Store>): Store {
  const failed = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
  const groups = Object.entries(storeGroups).map(([name, functions]) => [
    name,
    { ...Object.fromEntries(Object.keys(functions).map((member) => [member, failed])) },
  ]);
  const close = () => Promise.resolve();
  // cast: every group has its functions
  return { close, ...Object.fromEntries(groups), ...parts } as Store;
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
        return ['appendEvent', 'putFact', 'putSweep'].includes(change.kind);
    }
  }

  const store = {
    appointments: { get: (id) => okAsync(appointments.get(id)) },
    barbers: { get: (id) => okAsync(barbers.get(id)) },
    businesses: { get: (id) => okAsync(businesses.get(id)) },
    facts: { get: () => okAsync(undefined) },
    terminals: {
      get: (id) => okAsync(terminals.get(id)),
      getByDeviceIdentifier: () => okAsync(undefined),
      listByBarber: (id) =>
        okAsync([...terminals.values()].filter(({ barberId }) => barberId === id)),
      listAll: () => okAsync([...terminals.values()]),
    },
    actors: {
      get: () => okAsync(undefined),
      getBySubject: (subject) => okAsync({ number: 1, subject }),
    },
    ledgers: { get: (id) => okAsync(emptyLedger(id)) },
    keys: { get: () => okAsync(undefined) },
    sweeps: { get: () => okAsync(undefined), listStale: () => okAsync([]) },
    commit(commit) {
      commits.push(commit);
      const failed = commit.changes.find((change) => !apply(change));
      const conflict = failed && err({ kind: 'storeConflict', change: failed.kind } as const);
      return new ResultAsync(Promise.resolve(conflict ?? ok()));
    },
    wasCommitted: (id) => okAsync(commits.some((commit) => commit.id === id)),
  } satisfies Partial<Store>;

  return { store: storeWith(store), commits };
}
