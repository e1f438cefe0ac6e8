import type { Change, ChangeOf } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { aPayment, aProblem, someTime } from '../../builders.ts';
import { oneOfEachKind, recordsOf } from './records.ts';
import { answerOf, ledgerMove, type StoreSuite } from './suite.ts';
import { remove, write } from './write.ts';

type Condition = readonly [when: string, given: readonly Change[], refused: Change];

/**
 * The conditions of a record with versions. The given one has version 3.
 * @param another has the same id.
 */
function versioned(
  name: string,
  write: {
    (over: { readonly version: number }): Change;
    next(over: { readonly version: number }, expectedVersion: number): Change;
  },
  another: Change,
  remove?: OfVersion,
): readonly Condition[] {
  const given = write({ version: 3 });
  const changes: readonly (readonly [what: string, change: OfVersion | undefined])[] = [
    ['an update', (from) => write.next({ version: 3 }, from)],
    ['a removal', remove],
  ];
  return [
    [`${name} whose id is taken`, [given], another],
    ...changes.flatMap(([what, change]): readonly Condition[] =>
      change === undefined
        ? []
        : [
            [`${what} of ${name} that is not there`, [], change(3)],
            [`${what} of ${name} from an older version`, [given], change(2)],
            [`${what} of ${name} from a newer version`, [given], change(4)],
          ],
    ),
  ];
}

type OfVersion = (expectedVersion: number) => Change;

const finishKey: ChangeOf<'finishKey'> = {
  kind: 'finishKey',
  subject: 'user-1',
  key: 'key-1',
  problem: aProblem(),
};

const ofPeopleAndDevices: readonly Condition[] = (() => {
  const actor = { number: 7, subject: 'user-1' };
  const insert = (over: Partial<typeof actor>): Change => {
    return { kind: 'insertActor', actor: { ...actor, ...over } };
  };
  return [
    ['a person whose number is taken', [insert({})], insert({ subject: 'user-2' })],
    ['a second number of a person', [insert({})], insert({ number: 8 })],
    ['a new name of an unknown number', [], { kind: 'renameActor', ...actor }],
    [
      "another person's name",
      [insert({}), insert({ number: 8, subject: 'user-2' })],
      { kind: 'renameActor', number: 8, subject: actor.subject },
    ],
    [
      'a terminal whose id is taken',
      [write.terminal()],
      write.terminal({ deviceIdentifier: 'other' }),
    ],
    [
      'a device that is already registered',
      [write.terminal()],
      write.terminal({ id: 'trm_2', barberId: 'other' }),
    ],
    ['a removal of an unknown terminal', [], { kind: 'deleteTerminal', id: 'trm_1' }],
  ];
})();

const ofEvents: readonly Condition[] = (() => {
  const key = { subject: 'cpm_1', version: 1 };
  const deliverAt = someTime;
  const append = write.event();
  const appendNext = write.event({ version: 2 });
  const lease = (attempts: number, version = 1): Change => {
    return { kind: 'leaseEvent', ...key, version, attempts, deliverAt };
  };
  const postpone = (attempts?: number): Change => {
    return {
      kind: 'postponeEvent',
      ...key,
      deliverAt,
      ...(attempts !== undefined && { attempts }),
    };
  };
  const remove = (attempts?: number): Change => {
    return { kind: 'removeEvent', ...key, deliverAt, ...(attempts !== undefined && { attempts }) };
  };
  const bury: Change = { kind: 'postponeEvent', ...key };
  const revive: Change = { kind: 'reviveEvent', ...key, deliverAt };
  // One attempt was made before it was dead; its revival begins another round.
  const revived = [append, lease(0), bury, revive];
  return [
    ['a second event of a version', [append], write.event({ type: 'contactlessPayment.failed' })],
    ['a lease of an unknown event', [], lease(0)],
    ['a second lease of an event', [append, lease(0)], lease(0)],
    ['a lease of an event behind another', [append, appendNext], lease(0, 2)],
    ['a lease of a dead letter', [append, bury], lease(0)],
    ['a lease with more attempts than there were', [append], lease(1)],
    ['a lease of a revived event with its former attempts', revived, lease(1)],
    ['a postponement of an unknown event', [], postpone()],
    ['a postponement after another lease', [append, lease(0), lease(1)], postpone(1)],
    ['a postponement of a revived event by its former lease', revived, postpone(1)],
    ['a burial of an unknown event', [], bury],
    ['a revival of an unknown event', [], revive],
    ['a revival of an event that is not dead', [append], revive],
    ['a removal of an unknown event', [], remove()],
    ['a removal after another lease', [append, lease(0), lease(1)], remove(1)],
    ['a removal of a revived event by its former lease', revived, remove(1)],
    [
      'a removal of an event behind another',
      [append, appendNext],
      { kind: 'removeEvent', ...key, version: 2, deliverAt },
    ],
    [
      'a message of the processor that was applied before',
      [{ kind: 'insertProcessorEvent', id: 'evt_1', at: someTime }],
      { kind: 'insertProcessorEvent', id: 'evt_1', at: someTime + 1 },
    ],
  ];
})();

const ofHostRecords: readonly Condition[] = (() => {
  const deleteAccount = (businessId = 'business-1'): Change => {
    return { kind: 'deleteFinancialAccount', businessId, id: 'account-1' };
  };
  const deleteSchedule = (barberId = 'barber-1'): Change => {
    return { kind: 'deleteSchedule', barberId, id: 'schedule-1' };
  };
  return [
    ['a removal of an unknown financial account', [], deleteAccount()],
    ['a removal of an unknown schedule', [], deleteSchedule()],
    [
      'a removal of the default financial account',
      [write.financialAccount({ isDefault: true })],
      deleteAccount(),
    ],
    // Their names are before and behind those of the owners.
    ...['an earlier one', 'other'].flatMap((stranger): readonly Condition[] => [
      [
        `a removal of a financial account by another business, ${stranger}`,
        [write.financialAccount()],
        deleteAccount(stranger),
      ],
      [
        `a removal of a schedule by another barber, ${stranger}`,
        [write.schedule()],
        deleteSchedule(stranger),
      ],
    ]),
  ];
})();

const ofLedgers: readonly Condition[] = (() => {
  const bound = { maxCommittedMinor: 100n };
  const dollar = ledgerMove({ ...bound, reservedMinor: 1n, currency: 'usd' });
  return [
    ['one payment too many', [], ledgerMove({ openPayments: 2, maxOpenPayments: 1 })],
    [
      'one payment too many beside open ones',
      [ledgerMove({ openPayments: 2 })],
      ledgerMove({ openPayments: 1, maxOpenPayments: 2 }),
    ],
    [
      'one cent too much',
      [ledgerMove({ capturedMinor: 40n, reservedMinor: 30n })],
      ledgerMove({ ...bound, reservedMinor: 31n }),
    ],
    [
      'one cent too much beside what was tendered',
      [ledgerMove({ capturedMinor: 40n, reservedMinor: 10n, tenderedMinor: 20n })],
      ledgerMove({ ...bound, reservedMinor: 31n }),
    ],
    [
      'one tendered cent too much',
      [ledgerMove({ capturedMinor: 40n, reservedMinor: 30n })],
      ledgerMove({ ...bound, tenderedMinor: 31n }),
    ],
    ['one cent too much in the first tender', [], ledgerMove({ ...bound, tenderedMinor: 101n })],
    [
      'one cent too much in the first move',
      [],
      ledgerMove({ ...bound, capturedMinor: 51n, reservedMinor: 50n }),
    ],
    [
      'one cent of tips too much',
      [ledgerMove({ capturedMinor: 40n, tipsMinor: 20n })],
      ledgerMove({ tipsMinor: 11n, maxTipsMinor: 30n }),
    ],
    [
      'one cent of tips too much in the first move',
      [],
      ledgerMove({ tipsMinor: 31n, maxTipsMinor: 30n }),
    ],
    [
      'a tip where less was paid than it was compared with',
      [ledgerMove({ capturedMinor: 40n, tenderedMinor: 20n, reservedMinor: 30n })],
      ledgerMove({ tipsMinor: 1n, minPaidMinor: 61n }),
    ],
    ['a tip where nothing was paid yet', [], ledgerMove({ tipsMinor: 1n, minPaidMinor: 1n })],
    ...(['reserved', 'captured', 'tendered'] as const).map(
      (sum): Condition => [
        `an amount in another currency than the ${sum} sum`,
        [ledgerMove({ [`${sum}Minor`]: 30n })],
        dollar,
      ],
    ),
  ];
})();

/** The stored records, and the change that is then refused. */
const conditions: readonly Condition[] = [
  ['a key that the subject already has', [write.key()], write.key({ fingerprint: '0'.repeat(64) })],
  [
    'a second problem for a key',
    [write.key(), finishKey],
    { ...finishKey, problem: aProblem({ id: 'prb_2' }) },
  ],
  ['a problem for an unknown key', [], finishKey],
  ...versioned('a payment', write.payment, write.payment({ version: 3, state: 'failed' }), (from) =>
    remove.payment('cpm_1', from),
  ),
  ...versioned('a setup', write.setup, write.setup({ customerId: 'other' }), (from) =>
    remove.setup('pms_1', from),
  ),
  ...versioned(
    'a refund',
    write.refund,
    write.refund({ amountMinor: 1n, paymentId: 'cpm_2' }),
    (from) => remove.refund('rfd_1', from),
  ),
  ...versioned('a dispute', write.dispute, write.dispute({ amountMinor: 1n, paymentId: 'cpm_2' })),
  ...versioned('a tender', write.tender, write.tender({ amountMinor: 1n })),
  ...versioned('a share', write.share, write.share({ amountMinor: 1n })),
  ...versioned(
    'a review',
    write.review,
    write.review({ reason: 'orphanCaptured', account: 'other' }),
  ),
  ['a movement whose id is taken', [write.movement()], write.movement({ amountMinor: 1n })],
  ...ofPeopleAndDevices,
  ...ofEvents,
  ...ofHostRecords,
  ...ofLedgers,
  ['the second version of a fact that is not there', [], write.fact({ version: 2 })],
  ['the first version of a fact that has one', [write.fact()], write.fact({ text: '{"b":1}' })],
  ['a version of a fact behind the next', [write.fact()], write.fact({ version: 3 })],
];

/** A failed condition is named, and no change of its commit is applied. */
export function refusalsContract(suite: StoreSuite): void {
  const { store, given, refuses } = suite;

  describe('refuses, and names,', () => {
    it.each(conditions)('%s', async (_when, changes, refused) => {
      await given(...changes);
      const before = await recordsOf(store());
      await refuses(refused.kind, refused);
      // Earlier changes of the commit are rolled back too.
      await refuses(refused.kind, ...oneOfEachKind, refused);
      expect(await recordsOf(store())).toStrictEqual(before);
    });
  });

  it('names the first condition that failed', () =>
    refuses(
      'deleteTerminal',
      write.barber(),
      { kind: 'deleteTerminal', id: 'no' },
      { kind: 'deletePayment', id: 'no', expectedVersion: 1 },
    ));

  it('checks a condition against the changes before it in the same commit', async () => {
    const payment = aPayment();
    await refuses('insertPayment', write.payment(), write.payment());
    expect(answerOf(await store().payments.get(payment.id))).toBeUndefined();
    const second = { ...payment, version: 2 };
    await given(write.payment(), {
      kind: 'updatePayment',
      payment: second,
      expectedVersion: 1,
    });
    expect(answerOf(await store().payments.get(payment.id))?.version).toBe(2);
  });
}
