import type { Change, Read, Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aKeyRecord, anAppointmentReference, aSettlement, someTime } from '../../builders.ts';
import { whenever } from './records.ts';
import { answerOf, idOf, ledgerMove, numberOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** Names that a collation folds, a pattern matches, a column truncates or a trim makes equal. */
const lookalikes = [
  ...['a', 'A', 'a ', ' a', 'ä', 'a\u0308', '\u{1F600}', '\u{1F601}'],
  ...[`'"`, `''`, '%', '_', '1', '01', '1.0'],
  // Different only in length, and only in the last character.
  ...[63, 64, 65, 127, 128, 254, 255].map((length) => 'l'.repeat(length)),
  `${'l'.repeat(254)}m`,
];

/** The separators with which stores join two names, the empty text first. */
const separators = [
  '',
  ' ',
  ':',
  '/',
  '|',
  ',',
  ';',
  '.',
  '-',
  '_',
  '#',
  '\t',
  '\n',
  '\u001f',
  '"',
];

/** One kind of name: how it is written, and the names that are found under one. */
type Naming = readonly [
  what: string,
  write: (name: string) => Change,
  find: (store: Store, name: string) => Promise<readonly (string | undefined)[]>,
];

const ofOne = async <T>(read: Read<T | undefined>, nameOf: (record: T) => string | undefined) => {
  const record = answerOf(await read);
  return record === undefined ? [] : [nameOf(record)];
};
const ofMany = async <T>(read: Read<readonly T[]>, nameOf: (record: T) => string) =>
  answerOf(await read).map(nameOf);
/** From a list of all records: those with this name. */
const among = async <T>(read: Read<readonly T[]>, name: string, nameOf: (record: T) => string) =>
  answerOf(await read)
    .map(nameOf)
    .filter((found) => found === name);

const insertTerminal = (name: string): Change =>
  write.terminal({ id: name, deviceIdentifier: name, barberId: name });
const insertPayment = (name: string): Change => {
  const appointment = anAppointmentReference({ id: name });
  return write.payment({ id: name, account: name, appointment });
};

const insertReview = (name: string): Change => write.review({ id: name, account: name });
/** The name as the id, the business, the account and the payment of a record. */
const named = (name: string) => ({ id: name, businessId: name, account: name, paymentId: name });
const insertRefund = (name: string): Change => write.refund({ id: name, paymentId: name });
const insertDispute = (name: string): Change => write.dispute(named(name));
const insertMovement = (name: string): Change => write.movement(named(name));
const insertShare = (name: string): Change =>
  write.share({ id: name, businessId: name, appointmentId: name, paymentId: name });

const insertTender = (name: string): Change =>
  write.tender({ id: name, businessId: name, appointmentId: name, paymentId: name });
const putSettlement = (name: string): Change => write.settlement(named(name));
const putPayout = (name: string): Change => write.payout({ id: name, account: name });

const namings: readonly Naming[] = [
  ['payments', insertPayment, (store, name) => ofOne(store.payments.get(name), idOf)],
  [
    'the appointments of payments',
    insertPayment,
    (store, name) => ofMany(store.payments.listByAppointment(name, 99), idOf),
  ],
  [
    'the accounts of payments',
    insertPayment,
    (store, name) => among(store.sweeps.listStale(someTime, 99), name, ({ ledger }) => ledger),
  ],
  [
    'the businesses of captured payments',
    (name) => write.payment({ ...named(name), state: 'captured', capturedAt: someTime }),
    (store, name) => ofMany(store.payments.listCaptured(name, whenever, 99), idOf),
  ],
  ['refunds', insertRefund, (store, name) => ofOne(store.refunds.get(name), idOf)],
  [
    'the payments of refunds',
    insertRefund,
    (store, name) => ofMany(store.refunds.listByPayment(name, 99), idOf),
  ],
  ['disputes', insertDispute, (store, name) => ofOne(store.disputes.get(name), idOf)],
  [
    'the payments of disputes',
    insertDispute,
    (store, name) => ofMany(store.disputes.listByPayment(name, 99), idOf),
  ],
  [
    'the businesses of movements',
    insertMovement,
    (store, name) => ofMany(store.movements.list(name, whenever, 99), idOf),
  ],
  [
    'the payments of movements',
    insertMovement,
    (store, name) => ofMany(store.movements.listByPayment(name, 99), idOf),
  ],
  ['tenders', insertTender, (store, name) => ofOne(store.tenders.get(name), idOf)],
  [
    'the appointments of tenders',
    insertTender,
    (store, name) => ofMany(store.tenders.listByAppointment(name, 99), idOf),
  ],
  [
    'the businesses of tenders',
    insertTender,
    (store, name) => ofMany(store.tenders.list(name, whenever, 99), idOf),
  ],
  [
    'the payments of tenders',
    insertTender,
    (store, name) => ofMany(store.tenders.listByPayment(name, 99), idOf),
  ],
  ['shares', insertShare, (store, name) => ofOne(store.shares.get(name), idOf)],
  [
    'the appointments of shares',
    insertShare,
    (store, name) => ofMany(store.shares.listByAppointment(name, 99), idOf),
  ],
  [
    'the businesses of shares',
    insertShare,
    (store, name) => ofMany(store.shares.list(name, whenever, 99), idOf),
  ],
  [
    'the payments of shares',
    insertShare,
    (store, name) => ofMany(store.shares.listByPayment(name, 99), idOf),
  ],
  [
    'the businesses of settlements',
    putSettlement,
    (store, name) => ofMany(store.settlements.list(name, whenever, 99), idOf),
  ],
  [
    'the payments of settlements',
    putSettlement,
    (store, name) => ofMany(store.settlements.listByPayment(name, 99), idOf),
  ],
  [
    'the accounts of settlements without a business',
    (name) => {
      const { businessId: _business, ...settlement } = aSettlement({ id: name, account: name });
      return { kind: 'putSettlement', settlement };
    },
    (store, name) => ofMany(store.settlements.listUnknown(name, whenever, 99), idOf),
  ],
  [
    'the payouts of settlements',
    (name) => write.settlement({ id: name, paymentId: name, payoutId: name, businessId: name }),
    (store, name) => ofMany(store.settlements.sumOfPayout(name, name), () => name),
  ],
  ['payouts', putPayout, (store, name) => ofOne(store.payouts.get(name), idOf)],
  [
    'the accounts of payouts',
    putPayout,
    (store, name) => ofMany(store.payouts.list(name, whenever, 99), idOf),
  ],
  ['reviews', insertReview, (store, name) => ofOne(store.reviews.get(name), idOf)],
  [
    'the accounts of reviews',
    insertReview,
    (store, name) => ofMany(store.reviews.listOpenOf(name, 'unsettled', 99), idOf),
  ],
  [
    'the ledgers of sweeps',
    insertPayment,
    (store, name) => ofOne(store.sweeps.get(name), ({ ledger }) => ledger),
  ],
  [
    'the subjects of keys',
    (name) => write.key({ subject: name }),
    (store, name) => ofOne(store.keys.get(name, 'key-1'), ({ subject }) => subject),
  ],
  [
    'keys',
    (name) => write.key({ key: name }),
    (store, name) => ofOne(store.keys.get('user-1', name), ({ key }) => key),
  ],
  [
    'ledgers',
    (name) => ledgerMove({ appointmentId: name, openPayments: 1 }),
    async (store, name) => {
      const { openPayments, appointmentId } = answerOf(await store.ledgers.get(name));
      return Array.from({ length: openPayments }, () => appointmentId);
    },
  ],
  [
    'the subjects of events',
    (name) => write.event({ subject: name }),
    (store, name) => among(store.events.listDue(someTime, 99), name, ({ event }) => event.subject),
  ],
  [
    'messages of the processor',
    (name) => ({ kind: 'insertProcessorEvent', id: name, at: someTime }),
    async (store, name) => (answerOf(await store.processorEvents.has(name)) ? [name] : []),
  ],
  [
    'setups',
    (name) => write.setup({ id: name }),
    (store, name) => ofOne(store.setups.get(name), idOf),
  ],
  [
    'the customers of setups',
    (name) => write.setup({ id: name, customerId: name }),
    (store, name) => ofMany(store.setups.listByCustomer(name, 99), idOf),
  ],
  [
    'people',
    (name) => ({ kind: 'insertActor', actor: { number: numberOf(name), subject: name } }),
    (store, name) => ofOne(store.actors.getBySubject(name), ({ subject }) => subject),
  ],
  ['terminals', insertTerminal, (store, name) => ofOne(store.terminals.get(name), idOf)],
  [
    'devices',
    insertTerminal,
    (store, name) =>
      ofOne(store.terminals.getByDeviceIdentifier(name), (found) => found.deviceIdentifier),
  ],
  [
    'the barbers of terminals',
    insertTerminal,
    (store, name) => ofMany(store.terminals.listByBarber(name, 99), ({ barberId }) => barberId),
  ],
  [
    'appointments',
    (name) => write.appointment({ id: name }),
    (store, name) => ofOne(store.appointments.get(name), idOf),
  ],
  [
    'barbers',
    (name) => write.barber({ id: name }),
    (store, name) => ofOne(store.barbers.get(name), idOf),
  ],
  [
    'businesses',
    (name) => write.business({ id: name }),
    (store, name) => ofOne(store.businesses.get(name), idOf),
  ],
  [
    'financial accounts',
    (name) => write.financialAccount({ id: name }),
    (store, name) => ofOne(store.financialAccounts.get(name), idOf),
  ],
  [
    'the businesses of default financial accounts',
    (name) => write.financialAccount({ id: name, businessId: name, isDefault: true }),
    (store, name) =>
      ofOne(store.financialAccounts.get(name), ({ isDefault, businessId }) =>
        isDefault ? businessId : 'no longer the default',
      ),
  ],
  [
    'schedules',
    (name) => write.schedule({ id: name }),
    (store, name) => ofOne(store.schedules.get(name), idOf),
  ],
  [
    'payout preferences',
    (name) => write.payoutPreferences({ businessId: name }),
    (store, name) => ofOne(store.payoutPreferences.get(name), ({ businessId }) => businessId),
  ],
];

/** A name means one record, even if other names are similar (keys are not folded either). */
export function lookalikesContract(suite: StoreSuite): void {
  const { store, given } = suite;

  describe('tells names apart that differ in case, accent, space, script or length only:', () => {
    it.each(namings)('%s', async (_what, write, find) => {
      for (const name of lookalikes) {
        expect(await find(store(), name)).toStrictEqual([]);
        await given(write(name));
      }
      for (const name of lookalikes) expect(await find(store(), name)).toStrictEqual([name]);
    });

    it('commits', async () => {
      const changes = [ledgerMove({ openPayments: 1 })];
      for (const id of lookalikes) {
        answerOf(await store().commit({ id, at: someTime, changes }));
      }
      const { openPayments } = answerOf(await store().ledgers.get('appointment-1'));
      expect(openPayments).toBe(lookalikes.length);
    });
  });

  it('tells keys apart whose subject and key have the same joined text', async () => {
    const pairs = separators.flatMap((by): [subject: string, key: string][] => [
      ['a', `b${by}c`],
      [`a${by}b`, 'c'],
    ]);
    const all: readonly [subject: string, key: string][] = [...pairs, ['c', 'ab'], ['bc', 'a']];
    for (const [subject, key] of all) {
      expect(answerOf(await store().keys.get(subject, key))).toBeUndefined();
      await given(write.key({ subject, key, resourceId: key }));
    }
    for (const [subject, key] of all) {
      const expected = aKeyRecord({ subject, key, resourceId: key });
      expect(answerOf(await store().keys.get(subject, key))).toStrictEqual(expected);
    }
  });

  it('tells events apart whose subject and version have the same joined text', async () => {
    const dead = { subject: 'a', version: 11 };
    const alive = { subject: 'a1', version: 1 };
    await given(write.event(dead), write.event(alive), { kind: 'postponeEvent', ...dead });
    const shown = (events: readonly { readonly event: { readonly subject: string } }[]) =>
      events.map(({ event }) => event.subject);
    expect(shown(answerOf(await store().events.listDead(9)))).toStrictEqual(['a']);
    expect(shown(answerOf(await store().events.listDue(someTime, 9)))).toStrictEqual(['a1']);
  });
}
