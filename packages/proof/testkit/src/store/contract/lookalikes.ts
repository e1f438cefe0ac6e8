import type { Change, Read, Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aKeyRecord, anAppointmentReference, aPayment, someTime } from '../../builders.ts';
import { listsOfOwners } from './lists.ts';
import { collections, readsOfNothing, whenever } from './records.ts';
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
const separators = ['', ...' :/|,;.-_#\t\n\u001f"'];

/** One kind of name: how it is written, and the names that are found under one. */
type Naming = readonly [
  what: string,
  write: (name: string) => Change | readonly Change[],
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

/** The change that writes a record of each collection. */
const byId = {
  payments: write.payment,
  refunds: write.refund,
  disputes: write.dispute,
  tenders: write.tender,
  shares: write.share,
  payouts: write.payout,
  reviews: write.review,
  setups: write.setup,
  terminals: ({ id }) => write.terminal({ id, deviceIdentifier: id }),
  appointments: write.appointment,
  barbers: write.barber,
  businesses: write.business,
  schedules: write.schedule,
  financialAccounts: write.financialAccount,
} satisfies Record<(typeof collections)[number], (record: Named) => Change>;

interface Named {
  readonly id: string;
}

const ofAccount = (name: string) => write.payment({ id: name, account: name });

const namings: readonly Naming[] = [
  ...collections.map(
    (of): Naming => [
      of,
      (id) => byId[of]({ id }),
      (store, name) => ofOne<Named>(store[of].get(name), idOf),
    ],
  ),
  ...listsOfOwners.map(
    ({ of, write, read }): Naming => [
      of,
      (name) => write({ owner: name, id: name, at: someTime }),
      async (store, name) => answerOf(await read(store, name, { limit: 99, span: whenever })),
    ],
  ),
  [
    'the accounts of payments',
    ofAccount,
    (store, name) => among(store.sweeps.listStale(someTime, 99), name, ({ books }) => books),
  ],
  [
    'the payouts of settlements',
    (name) => write.settlement({ id: name, paymentId: name, payoutId: name, businessId: name }),
    (store, name) => ofMany(store.settlements.sumOfPayout(name, name), () => name),
  ],
  [
    'the books of sweeps',
    ofAccount,
    (store, name) => ofOne(store.sweeps.get(name), ({ books }) => books),
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
    'people',
    (name) => ({ kind: 'insertActor', actor: { number: numberOf(name), subject: name } }),
    (store, name) => ofOne(store.actors.getBySubject(name), ({ subject }) => subject),
  ],
  [
    'devices',
    (name) => write.terminal({ id: name, deviceIdentifier: name }),
    (store, name) =>
      ofOne(store.terminals.getByDeviceIdentifier(name), (found) => found.deviceIdentifier),
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
        await given(...[write(name)].flat());
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

/** Each name means exactly one record, and its content is unchanged. */
export function identityContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  it('returns undefined, zero or an empty list for unknown records', async () => {
    for (const [read, found] of readsOfNothing(store())) {
      expect(answerOf<unknown, unknown>(await read)).toStrictEqual(found);
    }
  });

  it('accepts ids of 255 code points', async () => {
    const id = '\u{1F600}'.repeat(255);
    const record = aKeyRecord({ subject: id, key: id, resourceId: id });
    await insert(aPayment({ id, appointment: anAppointmentReference({ id }) }));
    await given({ kind: 'insertKey', record });
    expect(answerOf(await store().payments.get(id))?.id).toBe(id);
    expect(answerOf(await store().payments.listByAppointment(id, 1))[0]?.id).toBe(id);
    expect(answerOf(await store().keys.get(id, id))).toStrictEqual(record);
  });

  it('keeps a record when the caller changes its value later', async () => {
    const spokenLanguages = ['de'];
    const appointment = anAppointmentReference({
      barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow', spokenLanguages },
    });
    await insert(aPayment({ appointment }));
    spokenLanguages.push('fr');
    const kept = answerOf(await store().payments.get('cpm_1'));
    expect(kept?.appointment.barber.spokenLanguages).toStrictEqual(['de']);
  });
}
