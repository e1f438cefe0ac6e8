import { err, okAsync, type Result, ResultAsync } from '@chairside/core';
import type { Commit, Read, Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import type { FaultKind } from '../plan/plan.ts';
import { callThrough, type Gate, type Task } from './gate.ts';
import { type CaptureWatch, watchComparison } from './watch-captures.ts';
import { watchCommit } from './watch-commit.ts';

type Written = Result<void, StoreConflict | StoreUnavailable>;

const notApplied: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'notApplied' };
const unknown: StoreUnavailable = { kind: 'storeUnavailable', outcome: 'unknown' };

/** The store for one task. */
export function gatedStore(gate: Gate, task: Task, watch: CaptureWatch): Store {
  const call = callThrough(gate, task);
  const real = () => gate.world().store;

  function read<T>(name: string, find: (store: Store) => Read<T>): Read<T> {
    const act = () => find(real());
    const onFault = async () => err(notApplied);
    return new ResultAsync(call({ port: 'read', name, act, failure: notApplied, onFault }));
  }

  /** A commit of unknown outcome may be found when the store is opened again. */
  async function isKept({ id }: Commit, error: StoreConflict | StoreUnavailable) {
    if (error.kind !== 'storeUnavailable' || error.outcome !== 'unknown') return false;
    return (await real().wasCommitted(id)).unwrapOr(false);
  }

  function commit(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable> {
    const act = async (): Promise<Written> => {
      const written = await real().commit(commit);
      if (written.isErr() && !(await isKept(commit, written.error))) return written;
      await watchCommit(gate, task, watch, commit);
      return written;
    };
    const onFault = async (fault: FaultKind): Promise<Written> => {
      if (fault === 'vanishes') return err(unknown);
      const first = await act();
      if (fault === 'repeats') return real().commit(commit);
      // Only the success of a write can be lost; a conflict is a definite reply.
      return first.isOk() ? err(unknown) : first;
    };
    const name = commit.changes.map(({ kind }) => kind).join(' ');
    return new ResultAsync(call({ port: 'commit', name, act, failure: notApplied, onFault }));
  }

  const own = {
    facts: {
      get: (name: string) => {
        // Read once in the life of a process, before its first call.
        if (name === 'world') return okAsync(gate.home());
        if (name === 'restoration' && !gate.isRestored()) return okAsync(undefined);
        return read('facts.get', (store) => store.facts.get(name));
      },
    },
    appointments: {
      get: (id: string) =>
        read('appointments.get', (store) =>
          store.appointments
            .get(id)
            .map((found) => (gate.gone.has(id) ? undefined : found))
            .andTee((found) => watchComparison(gate, watch, found, id)),
        ),
      getByPayment: (id: string) =>
        read('appointments.getByPayment', (store) => {
          const found = store.appointments.getByPayment?.(id) ?? okAsync(undefined);
          return found.map((one) => (one !== undefined && gate.gone.has(one.id) ? undefined : one));
        }),
    },
    ...(gate.hasServerTime && {
      now: () => read('now', () => okAsync(gate.scheduler.clock.now())),
    }),
    commit,
    wasCommitted: (id: string) => read('wasCommitted', (store) => store.wasCommitted(id)),
    close: async () => {},
  };
  const gated: unknown = new Proxy(own, {
    get: (_, name) => Reflect.get(own, name) ?? gatedGroup(name),
  });
  return gated as Store; // cast: every other member is a group, with the reads of the store's own

  /** The reads of a group, each in its turn. */
  function gatedGroup(name: string | symbol): object | undefined {
    const group: unknown = Reflect.get(real(), name);
    if (typeof group !== 'object' || group === null) return undefined;
    return new Proxy(group, {
      get: (_, method) => {
        // A store may leave out a read, and the core then does without it.
        if (Reflect.get(group, method) === undefined) return undefined;
        return (...query: readonly unknown[]) =>
          read(`${String(name)}.${String(method)}`, (store) => {
            const found = Reflect.get(store, name);
            return Reflect.apply(Reflect.get(found, method), found, query);
          });
      },
    });
  }
}
