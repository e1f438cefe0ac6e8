import type { Change, ChangeKind, Commit, Review } from '@chairside/core/ports';
import {
  aBarber,
  aBusiness,
  aDispute,
  aFinancialAccount,
  aKeyRecord,
  aMovement,
  anAppointment,
  anEvent,
  aPayment,
  aPayout,
  aPayoutPreferences,
  aProblem,
  aRefund,
  aSchedule,
  aSettlement,
  aSetup,
  aShareEntry,
  aTender,
  aTerminal,
  someTime,
} from '@chairside/testkit';
import type { Strike } from '@chairside/testkit/proxy';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { setWise } from '../src/commit-group.ts';
import { encodeCommit } from '../src/encode.ts';
import { openPostgresStore, type PostgresStore } from '../src/index.ts';
import { commitOf, empty, newPlace } from './helpers.ts';
import { openWire, serverIsLost, type Wire } from './wire.ts';

const payment = aPayment();
const gone = aPayment({ id: 'cpm_2' });
const key = aKeyRecord({ resourceId: 'cpm_1' });
const actor = { number: 7, subject: 'user-1' };
const review: Review = {
  ...{ id: 'rev_1', version: 1, reason: 'unsettled', account: 'acct_1', openedAt: 1 },
};
const append = (subject: string, version = 1) =>
  ({ kind: 'appendEvent', event: anEvent({ subject, version }) }) as const;
const eventOf = (subject: string) => ({ subject, version: 1 });

/** The changes that the store may also write set by set: those of a create and a capture. */
const common = [
  { kind: 'insertKey', record: key },
  { kind: 'insertPayment', payment },
  {
    kind: 'updatePayment',
    payment: { ...payment, state: 'authorized', version: 2 },
    expectedVersion: 1,
  },
  {
    kind: 'moveLedger',
    ...{ appointmentId: 'a', openPayments: 1, reservedMinor: 5n, capturedMinor: 0n },
    currency: 'eur',
  },
  append('cpm_1'),
] as const satisfies readonly Change[];

/** One of each kind that writes a record. */
const written = [
  { kind: 'insertPayment', payment: gone },
  { kind: 'insertKey', record: key },
  { kind: 'insertKey', record: { ...key, key: 'key-2', resourceId: 'cpm_2' } },
  append('leased'),
  append('late'),
  append('dead'),
  { kind: 'postponeEvent', ...eventOf('dead') },
  append('told'),
  append('told', 2),
  { kind: 'insertProcessorEvent', id: 'evt_1', at: someTime },
  { kind: 'insertRefund', refund: aRefund() },
  { kind: 'insertDispute', dispute: aDispute() },
  { kind: 'insertTender', tender: aTender() },
  { kind: 'insertShare', share: aShareEntry() },
  { kind: 'insertMovement', movement: aMovement() },
  { kind: 'putSettlement', settlement: aSettlement() },
  { kind: 'putPayout', payout: aPayout() },
  { kind: 'insertReview', review },
  { kind: 'insertSetup', setup: aSetup({ id: 'pms_1' }) },
  { kind: 'insertSetup', setup: aSetup({ id: 'pms_2' }) },
  { kind: 'moveSlot', appointmentId: 'a', chargeId: 'chg_1', move: 'keep' },
  { kind: 'putFact', fact: { name: 'world', version: 1, text: '{}' } },
  {
    kind: 'putSweep',
    swept: { books: 'acct_1', sweptBefore: someTime, triedAt: someTime },
  },
  { kind: 'insertActor', actor },
  { kind: 'insertTerminal', terminal: aTerminal({ id: 'trm_1' }) },
  { kind: 'putAppointment', appointment: anAppointment() },
  { kind: 'putBarber', barber: aBarber() },
  { kind: 'putBusiness', business: aBusiness() },
  { kind: 'putFinancialAccount', account: aFinancialAccount({ isDefault: false }) },
  { kind: 'putSchedule', schedule: aSchedule() },
  { kind: 'putPayoutPreferences', preferences: aPayoutPreferences() },
] as const satisfies readonly Change[];

/** One of each kind that changes or removes one of these. */
const changed = [
  { kind: 'finishKey', subject: key.subject, key: key.key, problem: aProblem() },
  { kind: 'deleteKeys', resourceId: 'cpm_2' },
  { kind: 'deletePayment', id: 'cpm_2', expectedVersion: 1 },
  { kind: 'leaseEvent', ...eventOf('leased'), attempts: 0, deliverAt: someTime },
  { kind: 'postponeEvent', ...eventOf('late'), deliverAt: someTime + 5 },
  { kind: 'reviveEvent', ...eventOf('dead'), deliverAt: someTime },
  { kind: 'removeEvent', ...eventOf('told'), deliverAt: someTime },
  { kind: 'updateRefund', refund: aRefund({ version: 2 }), expectedVersion: 1 },
  { kind: 'updateDispute', dispute: aDispute({ version: 2 }), expectedVersion: 1 },
  { kind: 'updateTender', tender: aTender({ version: 2, returnedMinor: 1n }), expectedVersion: 1 },
  { kind: 'updateShare', share: aShareEntry({ version: 2 }), expectedVersion: 1 },
  { kind: 'updateReview', review: { ...review, version: 2 }, expectedVersion: 1 },
  { kind: 'updateSetup', setup: aSetup({ id: 'pms_1', version: 2 }), expectedVersion: 1 },
  { kind: 'deleteSetup', id: 'pms_2', expectedVersion: 1 },
  { kind: 'renameActor', number: 7, subject: 'erased 1' },
  { kind: 'deleteTerminal', id: 'trm_1' },
  {
    kind: 'deleteFinancialAccount',
    ...{ businessId: aFinancialAccount().businessId, id: aFinancialAccount().id },
  },
  { kind: 'deleteSchedule', barberId: aSchedule().barberId, id: aSchedule().id },
] as const satisfies readonly Change[];

/** And one of each kind that removes whatever is over. */
const removed = [
  { kind: 'deleteRefund', id: aRefund().id, expectedVersion: 1 },
  {
    kind: 'forget',
    ...{ now: someTime, commitsBefore: 0, processorEventsBefore: 0 },
    ...{ eventsBefore: someTime + 1, limit: 9 },
  },
] as const satisfies readonly Change[];

const all = [...common, ...written, ...changed, ...removed];
/** The compiler requires the new ones. */
const isComplete: [Exclude<ChangeKind, (typeof all)[number]['kind']>] extends [never]
  ? true
  : false = true;

interface Case {
  readonly what: string;
  readonly before: readonly Change[];
  readonly changes: readonly Change[];
}
const commits: readonly Case[] = [
  ...common.map((change) => ({
    what: change.kind,
    before: change.kind === 'updatePayment' ? [common[1]] : [],
    changes: [change],
  })),
  { what: 'each kind that writes a record', before: [], changes: written },
  { what: 'each kind that changes one', before: written, changes: changed },
  { what: 'each kind that removes one', before: written, changes: removed },
];

/** Visible to all readers too: a torn message leaves one of the two states. */
const witness: Change = {
  kind: 'insertKey',
  record: aKeyRecord({ subject: 'witness', resourceId: 'cpm_2' }),
};
const struck = (changes: readonly Change[]): Commit => commitOf('struck', ...changes, witness);

const { fewest } = setWise;
const { schema, pool } = newPlace();
let wire: Wire;
let direct: PostgresStore;
let struckStore: PostgresStore;

beforeAll(async () => {
  wire = await openWire();
  direct = (await openPostgresStore(pool, { schema }))._unsafeUnwrap();
  const options = { schema, maxAttempts: 1, maxConnections: 1 };
  struckStore = (await openPostgresStore(wire.connectionString, options))._unsafeUnwrap();
});
afterAll(async () => {
  await struckStore.close();
  await direct.close();
  await wire.close();
});

/** All stored records as one text. */
async function everything(): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_name NOT IN ('chairside_migrations') ORDER BY 1`,
    [schema],
  );
  const tables = rows.map(
    ({ name }) =>
      `(SELECT json_agg(one ORDER BY one::TEXT) FROM "${schema}"."${name}" AS one) AS ${name}`,
  );
  const found = await pool.query(`SELECT row_to_json(a) AS all FROM (SELECT ${tables}) AS a`);
  return JSON.stringify(found.rows);
}

async function given(needed: readonly Change[]): Promise<string> {
  await empty(schema);
  if (needed.length > 0) (await direct.commit(commitOf('before', ...needed)))._unsafeUnwrap();
  return everything();
}

/**
 * Each of BEGIN, SELECT and COMMIT is parsed, bound and complete; SELECT has the description and row
 * of its result. The ready message is last.
 */
const replies = 12;
const points: readonly Omit<Strike, 'marker'>[] = [
  { fault: 'loseRequest' },
  { fault: 'tearRequest' },
  ...Array.from(
    { length: replies },
    (_, index) => ({ fault: 'loseReply', replies: index }) as const,
  ),
];
/** The sender sees the end of the connection, or a proxy's error. */
const ends = { cut: {}, error: { lastWords: serverIsLost('ERROR') } };

afterEach(() => {
  setWise.fewest = fewest;
});

const ways = commits.flatMap((one) => {
  const mayShare = encodeCommit(struck(one.changes)).rows !== undefined;
  return [
    { ...one, way: 'one by one', fewest: Number.POSITIVE_INFINITY },
    ...(mayShare ? [{ ...one, way: 'set by set', fewest: 1 }] : []),
  ];
});

it.each(ways)(
  'a commit of $what, written $way, is whole, and its result true, if any message is lost',
  async ({ before, changes, fewest }) => {
    setWise.fewest = fewest;
    const none = await given(before);
    (await direct.commit(struck(changes)))._unsafeUnwrap();
    const all = await everything();
    expect(all).not.toBe(none);
    for (const point of points) {
      for (const [end, lastWords] of Object.entries(ends)) {
        expect(await given(before)).toBe(none);
        wire.strike({ marker: 'struck', ...point, ...lastWords });
        const answer = await struckStore.commit(struck(changes));
        await wire.settled();
        const found = await everything();
        const where = `${end}: ${JSON.stringify(point)}`;
        expect([none, all], where).toContain(found);
        // The server has the whole request when it replies, and then executes it.
        expect(found === all, where).toBe(point.fault === 'loseReply');
        expect(answer.isOk() ? 'ok' : answer.error, where).toMatchObject({
          kind: 'storeUnavailable',
          outcome: 'unknown',
        });
        // Repeated under its id, it is written once.
        (await struckStore.commit(struck(changes)))._unsafeUnwrap();
        expect(await everything(), where).toBe(all);
        expect((await struckStore.wasCommitted('struck'))._unsafeUnwrap()).toBe(true);
      }
    }
    expect(wire.replies()).toBe(replies);
  },
);

it('writes five kinds in both ways, and has each kind', () => {
  expect(ways.filter(({ way }) => way === 'set by set').map(({ what }) => what)).toStrictEqual(
    common.map(({ kind }) => kind),
  );
  expect(isComplete).toBe(true);
});
