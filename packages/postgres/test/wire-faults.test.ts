import type { Change, ChangeKind, ChangeOf, Commit, Review } from '@chairside/core/ports';
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
import { commitOf, empty, newPool, newSchema, openStore } from './helpers.ts';
import { openWire, serverIsLost, type Wire } from './wire.ts';

const payment = aPayment({ id: 'cpm_1' });
const key = aKeyRecord({ resourceId: 'cpm_1' });
const event = anEvent({ subject: 'cpm_1', version: 1 });
const next = anEvent({ subject: 'cpm_1', version: 2 });
const eventKey = { subject: 'cpm_1', version: 1 };
const review: Review = {
  id: 'rev_1',
  reason: 'unsettled',
  account: 'acct_1',
  paymentId: 'cpm_1',
  openedAt: 1,
};
const actor = { number: 7, subject: 'user-1' };
const resolution = { resolvedAt: someTime, note: 'seen' };
const deadly = { kind: 'postponeEvent', ...eventKey } as const;

/** The records that a change of each kind needs. */
const before: { readonly [Kind in ChangeKind]?: readonly Change[] } = {
  finishKey: [{ kind: 'insertKey', record: key }],
  deleteKeys: [{ kind: 'insertKey', record: key }],
  updatePayment: [{ kind: 'insertPayment', payment }],
  deletePayment: [{ kind: 'insertPayment', payment }],
  leaseEvent: [{ kind: 'appendEvent', event }],
  postponeEvent: [{ kind: 'appendEvent', event }],
  reviveEvent: [{ kind: 'appendEvent', event }, deadly],
  removeEvent: [
    { kind: 'appendEvent', event },
    { kind: 'appendEvent', event: next },
  ],
  resolveReview: [{ kind: 'insertReview', review }],
  countReview: [{ kind: 'insertReview', review: { ...review, count: 1 } }],
  resolvePaymentReviews: [{ kind: 'insertReview', review }],
  updateRefund: [{ kind: 'insertRefund', refund: aRefund() }],
  deleteRefund: [{ kind: 'insertRefund', refund: aRefund() }],
  updateTender: [{ kind: 'insertTender', tender: aTender() }],
  updateShare: [{ kind: 'insertShare', share: aShareEntry() }],
  updateDispute: [{ kind: 'insertDispute', dispute: aDispute() }],
  updateSetup: [{ kind: 'insertSetup', setup: aSetup({ id: 'pms_1' }) }],
  deleteSetup: [{ kind: 'insertSetup', setup: aSetup({ id: 'pms_1' }) }],
  renameActor: [{ kind: 'insertActor', actor }],
  deleteTerminal: [{ kind: 'insertTerminal', terminal: aTerminal({ id: 'trm_1' }) }],
  forget: [{ kind: 'appendEvent', event }],
  deleteFinancialAccount: [
    { kind: 'putFinancialAccount', account: aFinancialAccount({ isDefault: false }) },
  ],
  deleteSchedule: [{ kind: 'putSchedule', schedule: aSchedule() }],
};

/** A change of every kind. The compiler requires the new ones. */
const changes: { readonly [Kind in ChangeKind]: ChangeOf<Kind> } = {
  insertKey: { kind: 'insertKey', record: key },
  finishKey: {
    kind: 'finishKey',
    subject: key.subject,
    key: key.key,
    problem: aProblem(),
  },
  deleteKeys: { kind: 'deleteKeys', resourceId: 'cpm_1' },
  insertPayment: { kind: 'insertPayment', payment },
  updatePayment: {
    kind: 'updatePayment',
    payment: { ...payment, state: 'authorized', version: payment.version + 1 },
    expectedVersion: payment.version,
  },
  deletePayment: { kind: 'deletePayment', id: 'cpm_1', expectedVersion: payment.version },
  moveLedger: {
    kind: 'moveLedger',
    appointmentId: 'a',
    openPayments: 1,
    reservedMinor: 5n,
    capturedMinor: 0n,
    currency: 'eur',
  },
  moveSlot: { kind: 'moveSlot', appointmentId: 'a', chargeId: 'chg_1', move: 'keep' },
  appendEvent: { kind: 'appendEvent', event },
  leaseEvent: { kind: 'leaseEvent', ...eventKey, attempts: 0, deliverAt: someTime },
  postponeEvent: { kind: 'postponeEvent', ...eventKey, deliverAt: someTime + 5 },
  reviveEvent: { kind: 'reviveEvent', ...eventKey, deliverAt: someTime },
  removeEvent: { kind: 'removeEvent', ...eventKey, deliverAt: someTime },
  insertProcessorEvent: { kind: 'insertProcessorEvent', id: 'evt_1', at: someTime },
  insertReturned: {
    kind: 'insertReturned',
    returned: {
      kind: 'refund',
      id: 're_1',
      account: 'acct_1',
      paymentId: 'cpm_1',
      amountMinor: 5n,
      at: someTime,
    },
  },
  insertRefund: { kind: 'insertRefund', refund: aRefund() },
  updateRefund: { kind: 'updateRefund', refund: aRefund({ version: 2 }), expectedVersion: 1 },
  deleteRefund: { kind: 'deleteRefund', id: 'rfd_1', expectedVersion: 1 },
  insertDispute: { kind: 'insertDispute', dispute: aDispute() },
  updateDispute: { kind: 'updateDispute', dispute: aDispute({ version: 2 }), expectedVersion: 1 },
  insertTender: { kind: 'insertTender', tender: aTender() },
  updateTender: {
    kind: 'updateTender',
    tender: aTender({ version: 2, returnedMinor: 1n }),
    expectedVersion: 1,
  },
  insertShare: { kind: 'insertShare', share: aShareEntry() },
  updateShare: { kind: 'updateShare', share: aShareEntry({ version: 2 }), expectedVersion: 1 },
  insertMovement: { kind: 'insertMovement', movement: aMovement() },
  putSettlement: { kind: 'putSettlement', settlement: aSettlement() },
  putPayout: { kind: 'putPayout', payout: aPayout() },
  insertReview: { kind: 'insertReview', review },
  resolveReview: { kind: 'resolveReview', id: 'rev_1', ...resolution },
  countReview: { kind: 'countReview', id: 'rev_1', expectedCount: 1, count: 2, openedAt: someTime },
  resolvePaymentReviews: {
    kind: 'resolvePaymentReviews',
    paymentId: 'cpm_1',
    reason: 'lost',
    ...resolution,
  },
  insertSetup: { kind: 'insertSetup', setup: aSetup({ id: 'pms_1' }) },
  updateSetup: {
    kind: 'updateSetup',
    setup: aSetup({ id: 'pms_1', version: aSetup().version + 1 }),
    expectedVersion: aSetup().version,
  },
  deleteSetup: { kind: 'deleteSetup', id: 'pms_1', expectedVersion: aSetup().version },
  putFact: { kind: 'putFact', fact: { name: 'world', version: 1, text: '{}' } },
  putSweep: {
    kind: 'putSweep',
    swept: { ledger: 'acct_1', sweptBefore: someTime, triedAt: someTime },
  },
  insertActor: { kind: 'insertActor', actor },
  renameActor: { kind: 'renameActor', number: 7, subject: 'erased 1' },
  insertTerminal: { kind: 'insertTerminal', terminal: aTerminal({ id: 'trm_1' }) },
  deleteTerminal: { kind: 'deleteTerminal', id: 'trm_1' },
  forget: {
    kind: 'forget',
    now: someTime,
    commitsBefore: 0,
    processorEventsBefore: 0,
    keptBefore: 0,
    eventsBefore: someTime + 1,
    limit: 9,
  },
  deleteFinancialAccount: {
    kind: 'deleteFinancialAccount',
    businessId: aFinancialAccount().businessId,
    id: aFinancialAccount().id,
  },
  deleteSchedule: {
    kind: 'deleteSchedule',
    barberId: aSchedule().barberId,
    id: aSchedule().id,
  },
  putAppointment: { kind: 'putAppointment', appointment: anAppointment() },
  putBarber: { kind: 'putBarber', barber: aBarber() },
  putBusiness: { kind: 'putBusiness', business: aBusiness() },
  putFinancialAccount: {
    kind: 'putFinancialAccount',
    account: aFinancialAccount({ isDefault: true }),
  },
  putSchedule: { kind: 'putSchedule', schedule: aSchedule() },
  putPayoutPreferences: { kind: 'putPayoutPreferences', preferences: aPayoutPreferences() },
};

/** Visible to all readers too: a torn message leaves one of the two states. */
const witness: Change = {
  kind: 'insertKey',
  record: aKeyRecord({ subject: 'witness', resourceId: 'cpm_2' }),
};
const struck = (kind: ChangeKind): Commit => commitOf('struck', changes[kind], witness);

const { fewest } = setWise;
const schema = newSchema();
const pool = newPool();
let wire: Wire;
let direct: PostgresStore;
let struckStore: PostgresStore;

beforeAll(async () => {
  wire = await openWire();
  direct = await openStore({ schema }, pool);
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

async function given(kind: ChangeKind): Promise<string> {
  await empty(schema);
  const needed = before[kind];
  if (needed !== undefined) (await direct.commit(commitOf('before', ...needed)))._unsafeUnwrap();
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

/** Each kind, and those of a create and a capture in both ways of writing. */
const ways = Object.keys(changes).flatMap((name) => {
  const kind = name as ChangeKind; // cast: a key of the table
  const mayShare = encodeCommit(struck(kind)).rows !== undefined;
  return [
    { kind, way: 'one by one', fewest: Number.POSITIVE_INFINITY },
    ...(mayShare ? [{ kind, way: 'set by set', fewest: 1 }] : []),
  ];
});

it.each(ways)(
  'a commit of $kind, written $way, is whole, and its result true, if any message is lost',
  async ({ kind, fewest }) => {
    setWise.fewest = fewest;
    const none = await given(kind);
    (await direct.commit(struck(kind)))._unsafeUnwrap();
    const all = await everything();
    expect(all).not.toBe(none);
    for (const point of points) {
      for (const [end, lastWords] of Object.entries(ends)) {
        expect(await given(kind)).toBe(none);
        wire.strike({ marker: 'struck', ...point, ...lastWords });
        const answer = await struckStore.commit(struck(kind));
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
        (await struckStore.commit(struck(kind)))._unsafeUnwrap();
        expect(await everything(), where).toBe(all);
        expect((await struckStore.wasCommitted('struck'))._unsafeUnwrap()).toBe(true);
      }
    }
    expect(wire.replies()).toBe(replies);
  },
);

it('writes five kinds in both ways', () => {
  expect(ways.filter(({ way }) => way === 'set by set').map(({ kind }) => kind)).toStrictEqual([
    'insertKey',
    'insertPayment',
    'updatePayment',
    'moveLedger',
    'appendEvent',
  ]);
});
