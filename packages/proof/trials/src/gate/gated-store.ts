import {
  type Commit,
  err,
  maxOpenPayments,
  okAsync,
  type Read,
  type Result,
  ResultAsync,
  type Store,
  type StoreConflict,
  type StoreUnavailable,
} from '@chairside/core';
import type { FaultKind } from '../plan/fault-kinds.ts';
import { callThrough, type Gate, type Task } from './gate.ts';
import { type CaptureWatch, watchComparison, watchPaymentWrites } from './watch-captures.ts';
import { watchKeys } from './watch-keys.ts';
import { watchRecords } from './watch-records.ts';
import { watchRefundWrites } from './watch-refunds.ts';
import { watchReleases } from './watch-releases.ts';
import { watchSetupWrites } from './watch-setups.ts';
import { watchTerminalWrites } from './watch-terminals.ts';

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

  function commit(commit: Commit): ResultAsync<void, StoreConflict | StoreUnavailable> {
    const act = async (): Promise<Written> => {
      const written = await real().commit(commit);
      if (written.isErr()) return written;
      note(gate, commit);
      watchKeys(gate, task.action, commit);
      checkWithdrawn(gate, commit);
      watchSetupWrites(gate, task, commit);
      watchTerminalWrites(gate, task.action, commit);
      watchRecords(gate, task, commit);
      watchPaymentWrites(gate, watch, commit);
      watchReleases(gate, task, commit);
      watchRefundWrites(gate, task, commit);
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

  return {
    appointments: {
      get: (id) =>
        read('appointment', (store) =>
          store.appointments
            .get(id)
            .map((found) => (gate.gone.has(id) ? undefined : found))
            .andTee((found) => watchComparison(gate, watch, found, id)),
        ),
    },
    barbers: { get: (id) => read('barber', (store) => store.barbers.get(id)) },
    businesses: { get: (id) => read('business', (store) => store.businesses.get(id)) },
    ledgers: { get: (id) => read('ledger', (store) => store.ledgers.get(id)) },
    payments: {
      get: (id) => read('payment', (store) => store.payments.get(id)),
      listByAppointment: (...query) =>
        read('payments', (store) => store.payments.listByAppointment(...query)),
      listDue: (now, limit) => read('paymentsDue', (store) => store.payments.listDue(now, limit)),
    },
    keys: { get: (subject, key) => read('key', (store) => store.keys.get(subject, key)) },
    events: {
      listDue: (now, limit) => read('eventsDue', (store) => store.events.listDue(now, limit)),
      listDead: (limit, after) =>
        read('eventsDead', (store) => store.events.listDead(limit, after)),
    },
    processorEvents: {
      has: (id) => read('processorEvent', (store) => store.processorEvents.has(id)),
    },
    moneyBacks: {
      has: (account, kind, id) =>
        read('moneyBack', (store) => store.moneyBacks.has(account, kind, id)),
    },
    refunds: {
      get: (id) => read('refund', (store) => store.refunds.get(id)),
      listByPayment: (id, limit) =>
        read('refunds', (store) => store.refunds.listByPayment(id, limit)),
      listDue: (now, limit) => read('refundsDue', (store) => store.refunds.listDue(now, limit)),
    },
    disputes: {
      get: (id) => read('dispute', (store) => store.disputes.get(id)),
      listByPayment: (id, limit) =>
        read('disputes', (store) => store.disputes.listByPayment(id, limit)),
      list: (state, limit, after) =>
        read('disputes', (store) => store.disputes.list(state, limit, after)),
    },
    reviews: {
      get: (id) => read('review', (store) => store.reviews.get(id)),
      list: (state, limit, after) =>
        read('reviews', (store) => store.reviews.list(state, limit, after)),
      listOpenOf: (account, reason, limit) =>
        read('reviews', (store) => store.reviews.listOpenOf(account, reason, limit)),
    },
    setups: {
      get: (id) => read('setup', (store) => store.setups.get(id)),
      listDue: (now, limit) => read('setupsDue', (store) => store.setups.listDue(now, limit)),
      listByCustomer: (id, limit) =>
        read('setups', (store) => store.setups.listByCustomer(id, limit)),
    },
    sweeps: {
      listStale: (sweptBefore, limit) =>
        read('sweeps', (store) => store.sweeps.listStale(sweptBefore, limit)),
    },
    financialAccounts: {
      get: (id) => read('financialAccount', (store) => store.financialAccounts.get(id)),
    },
    schedules: { get: (id) => read('schedule', (store) => store.schedules.get(id)) },
    payoutPreferences: {
      get: (id) => read('payoutPreferences', (store) => store.payoutPreferences.get(id)),
    },
    terminals: {
      get: (id) => read('terminal', (store) => store.terminals.get(id)),
      getByDeviceIdentifier: (device) =>
        read('terminal', (store) => store.terminals.getByDeviceIdentifier(device)),
      listByBarber: (id, limit) =>
        read('terminals', (store) => store.terminals.listByBarber(id, limit)),
    },
    ...(gate.hasServerTime && {
      now: () => read('now', () => okAsync(gate.scheduler.clock.now())),
    }),
    commit,
    wasCommitted: (id) => read('commit', (store) => store.wasCommitted(id)),
    close: async () => {},
  };
}

/** Records the applied writes, to compare them with the responses and events later. */
function note({ evidence }: Gate, { changes }: Commit): void {
  for (const change of changes) {
    if (change.kind === 'appendEvent') evidence.appended.push(change.event);
    if (change.kind === 'insertReview') evidence.reviews.push(change.review);
    if (change.kind === 'moveLedger' && change.openPayments !== 0) {
      const { appointmentId, openPayments } = change;
      const open = (evidence.open.get(appointmentId) ?? 0) + openPayments;
      evidence.open.set(appointmentId, open);
      if (open > maxOpenPayments) evidence.faults.push({ rule: 'bound', what: `${open} are open` });
    }
  }
}

/** A claim is withdrawn only with proof that the processor opened no payment. */
function checkWithdrawn({ evidence, world }: Gate, { changes }: Commit): void {
  for (const change of changes) {
    // A closed one goes when its keys do.
    if (change.kind !== 'deletePayment' || evidence.closed.has(change.id)) continue;
    const entries = world().processor.entries();
    const isOpen = entries.some(
      (entry) => entry.paymentId === change.id && entry.status === 'created',
    );
    if (isOpen)
      evidence.faults.push({ rule: 'truthful', what: `${change.id} was opened, and withdrawn` });
  }
}
