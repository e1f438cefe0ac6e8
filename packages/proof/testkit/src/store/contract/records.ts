import { type Change, emptyLedger, type Store } from '@chairside/core/ports';
import { anAppointmentReference, aPayment, aProblem, someTime } from '../../builders.ts';
import { lists } from './lists.ts';
import { answerOf, ledgerMove } from './suite.ts';
import { write } from './write.ts';

/** The collections whose records have ids. */
export const collections = [
  ...(['payments', 'refunds', 'disputes', 'tenders', 'shares', 'payouts'] as const),
  ...(['reviews', 'setups', 'terminals', 'appointments', 'barbers', 'businesses'] as const),
  ...(['schedules', 'financialAccounts'] as const),
] satisfies readonly (keyof Store)[];

/** With quotes and an emoji. */
export const idOfEach = `\u{1F600} "each" o'kind`;

/** A commit that touches every table, under a new id. */
export const oneOfEachKind: readonly Change[] = (() => {
  const id = idOfEach;
  const appointment = anAppointmentReference({ id });
  const payment = aPayment({ id, appointment, nextCheckAt: someTime - 1 });
  const problem = aProblem({ detail: '\u{1F600}', attributes: { z: 1, a: [null, { b: 'c' }] } });
  const key = { subject: id, key: id };
  return [
    { kind: 'insertPayment', payment },
    { kind: 'updatePayment', payment: { ...payment, version: 2 }, expectedVersion: 1 },
    write.key({ ...key, resourceId: 'none' }),
    { kind: 'finishKey', ...key, problem },
    { kind: 'deleteKeys', resourceId: 'cpm_1' },
    ledgerMove({ appointmentId: id, openPayments: 1, reservedMinor: 2n, capturedMinor: 3n }),
    write.event({ subject: id }),
    write.terminal({ id, deviceIdentifier: id, barberId: id }),
    write.appointment({ id }),
    write.barber({ id }),
    write.business({ id }),
    { kind: 'insertProcessorEvent', id, at: someTime },
    write.setup({ id, nextCheckAt: someTime - 1 }),
    write.movement({ id, paymentId: id, businessId: id }),
    write.tender({ id, appointmentId: id, businessId: id, paymentId: id }),
    write.share({ id, appointmentId: id, businessId: id, paymentId: id }),
    write.settlement({ id, paymentId: id, businessId: id }),
    write.payout({ id, account: id }),
    write.refund({ id, paymentId: id, nextCheckAt: someTime - 1 }),
    write.dispute({ id, paymentId: id }),
    write.review({ id }),
    { kind: 'insertActor', actor: { number: 1, subject: id } },
    write.fact({ name: id }),
    { kind: 'putSweep', swept: { books: id, sweptBefore: someTime, triedAt: someTime } },
    write.financialAccount({ id, businessId: id, isDefault: true }),
    write.schedule({ id }),
    write.payoutPreferences({ businessId: id }),
  ];
})();

/** All readable records that these tests write. */
export async function recordsOf(store: Store) {
  const id = idOfEach;
  const read = await Promise.all([
    ...collections.map((of) => store[of].get(id)),
    store.payments.get('cpm_1'),
    store.payments.listByAppointment('appointment-1', 9),
    store.payments.listByAppointment(id, 9),
    store.payments.listDue(someTime, 9),
    store.keys.get('user-1', 'key-1'),
    store.keys.get(id, id),
    store.ledgers.get('appointment-1'),
    store.ledgers.get(id),
    store.actors.get(1),
    store.actors.get(7),
    store.actors.get(8),
    store.actors.getBySubject(id),
    store.terminals.get('trm_1'),
    store.terminals.getByDeviceIdentifier('device-1'),
    store.terminals.getByDeviceIdentifier(id),
    store.terminals.listByBarber('barber-1', 9),
    store.events.listDue(someTime, 9),
    store.events.listDead(9),
    store.processorEvents.has(id),
    store.processorEvents.has('evt_1'),
    store.setups.get('pms_1'),
    store.setups.listDue(someTime, 9),
    store.movements.listByPayment(id, 9),
    store.tenders.listByPayment(id, 9),
    store.shares.listByPayment(id, 9),
    store.settlements.listByPayment(id, 9),
    store.sweeps.listStale(someTime + 99, 9),
    store.facts.get(id),
    store.facts.get('world'),
    store.refunds.get('rfd_1'),
    store.refunds.listDue(someTime, 9),
    store.disputes.get('dsp_1'),
    store.reviews.get('rev_1'),
    store.reviews.list('open', 9),
    store.movements.listByPayment('cpm_1', 9),
    store.tenders.listByAppointment('appointment-1', 9),
    store.shares.listByAppointment('appointment-1', 9),
    store.financialAccounts.get('account-1'),
    store.schedules.get('schedule-1'),
    store.payoutPreferences.get(id),
  ]);
  // JSON has no bigint, and omits undefined.
  return read.map((answer) =>
    JSON.stringify(answerOf<unknown, unknown>(answer) ?? null, (_, value) =>
      typeof value === 'bigint' ? `${value}n` : value,
    ),
  );
}

/** A span with every time in it. */
export const whenever = { from: 0, until: Number.MAX_SAFE_INTEGER };

/** Every read of the port, for names that no record has, beside what it then returns. */
export function readsOfNothing(store: Store) {
  const optional = [
    store.appointments.getByPayment?.('no'),
    store.businesses.getByAppointment?.('no'),
  ];
  return [
    ...optional.flatMap((read) => (read === undefined ? [] : [[read, undefined] as const])),
    ...collections.map((of) => [store[of].get('no'), undefined] as const),
    [store.keys.get('no', 'no'), undefined],
    [store.ledgers.get('no'), emptyLedger('no')],
    [store.actors.get(0), undefined],
    [store.actors.getBySubject('no'), undefined],
    [store.terminals.getByDeviceIdentifier('no'), undefined],
    [store.processorEvents.has('no'), false],
    [store.settlements.sumOfPayout('no', 'no'), []],
    [store.sweeps.get('no'), undefined],
    [store.payoutPreferences.get('no'), undefined],
    ...lists.map(({ read }) => [read(store, 'no', { limit: 10, span: whenever }), []] as const),
    [store.wasCommitted('no'), false],
  ] as const;
}
