import type { Change, Review } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import {
  aDispute,
  aFinancialAccount,
  aKeyRecord,
  anEvent,
  aPayment,
  aProblem,
  aRefund,
  aSchedule,
  aSetup,
  aShareEntry,
  aTender,
  aTerminal,
  someTime,
} from '../../builders.ts';
import { oneOfEachKind, recordsOf } from './records.ts';
import { answerOf, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

type Condition = readonly [when: string, given: readonly Change[], refused: Change];

/** The stored records, and the change that is then refused. */
const conditions: readonly Condition[] = (() => {
  const record = aKeyRecord();
  const payment = aPayment({ version: 3 });
  const terminal = aTerminal();
  const actor = { number: 7, subject: 'user-1' };
  const event = anEvent();
  const setup = aSetup({ version: 3 });
  const account = aFinancialAccount();
  const schedule = aSchedule();
  const second = anEvent({ version: 2 });
  const key = { subject: event.subject, version: 1 };
  const deliverAt = someTime;
  const append: Change = { kind: 'appendEvent', event };
  const appendNext: Change = { kind: 'appendEvent', event: second };
  const lease: Change = { kind: 'leaseEvent', ...key, attempts: 0, deliverAt };
  const bury: Change = { kind: 'postponeEvent', ...key };
  // One attempt was made before it was dead; its revival begins another round.
  const revived: readonly Change[] = [
    append,
    lease,
    bury,
    { kind: 'reviveEvent', ...key, deliverAt },
  ];
  // Their names are before and behind those of the owners.
  const strangers = ['an earlier one', 'other'];
  const refund = aRefund({ version: 3 });
  const dispute = aDispute({ version: 3 });
  const review: Review = {
    id: 'rev_1',
    reason: 'unsettled',
    account: 'acct_1',
    openedAt: someTime,
    count: 2,
  };
  const finishKey: Change = { kind: 'finishKey', ...record, problem: aProblem() };
  return [
    [
      'a key that the subject already has',
      [{ kind: 'insertKey', record }],
      { kind: 'insertKey', record: { ...record, fingerprint: '0'.repeat(64) } },
    ],
    [
      'a second problem for a key',
      [{ kind: 'insertKey', record }, finishKey],
      { ...finishKey, problem: aProblem({ id: 'prb_2' }) },
    ],
    ['a problem for an unknown key', [], finishKey],
    [
      'a payment whose id is taken',
      [{ kind: 'insertPayment', payment }],
      { kind: 'insertPayment', payment: { ...payment, state: 'failed' } },
    ],
    [
      'an update from an older version',
      [{ kind: 'insertPayment', payment }],
      { kind: 'updatePayment', payment, expectedVersion: 2 },
    ],
    [
      'an update from a newer version',
      [{ kind: 'insertPayment', payment }],
      { kind: 'updatePayment', payment, expectedVersion: 4 },
    ],
    ['an update of an unknown payment', [], { kind: 'updatePayment', payment, expectedVersion: 3 }],
    [
      'a removal of another version',
      [{ kind: 'insertPayment', payment }],
      { kind: 'deletePayment', id: payment.id, expectedVersion: 2 },
    ],
    [
      'a removal of an unknown payment',
      [],
      { kind: 'deletePayment', id: payment.id, expectedVersion: 3 },
    ],
    [
      'a second event of a version',
      [{ kind: 'appendEvent', event }],
      { kind: 'appendEvent', event: { ...event, type: 'contactlessPayment.failed' } },
    ],
    [
      'a person whose number is taken',
      [{ kind: 'insertActor', actor }],
      { kind: 'insertActor', actor: { ...actor, subject: 'user-2' } },
    ],
    [
      'a second number of a person',
      [{ kind: 'insertActor', actor }],
      { kind: 'insertActor', actor: { ...actor, number: 8 } },
    ],
    ['a new name of an unknown number', [], { kind: 'renameActor', ...actor }],
    [
      "another person's name",
      [
        { kind: 'insertActor', actor },
        { kind: 'insertActor', actor: { number: 8, subject: 'user-2' } },
      ],
      { kind: 'renameActor', number: 8, subject: actor.subject },
    ],
    [
      'a terminal whose id is taken',
      [{ kind: 'insertTerminal', terminal }],
      { kind: 'insertTerminal', terminal: { ...terminal, deviceIdentifier: 'other' } },
    ],
    [
      'a device that is already registered',
      [{ kind: 'insertTerminal', terminal }],
      { kind: 'insertTerminal', terminal: { ...terminal, id: 'trm_2', barberId: 'other' } },
    ],
    ['a removal of an unknown terminal', [], { kind: 'deleteTerminal', id: terminal.id }],
    ['a lease of an unknown event', [], lease],
    ['a second lease of an event', [append, lease], lease],
    ['a lease of an event behind another', [append, appendNext], { ...lease, version: 2 }],
    ['a lease of a dead letter', [append, bury], lease],
    ['a postponement of an unknown event', [], { kind: 'postponeEvent', ...key, deliverAt }],
    ['a burial of an unknown event', [], bury],
    ['a revival of an unknown event', [], { kind: 'reviveEvent', ...key, deliverAt }],
    [
      'a revival of an event that is not dead',
      [append],
      { kind: 'reviveEvent', ...key, deliverAt },
    ],
    [
      'a postponement after another lease',
      [append, lease, { ...lease, attempts: 1 }],
      { kind: 'postponeEvent', ...key, attempts: 1, deliverAt },
    ],
    [
      'a removal after another lease',
      [append, lease, { ...lease, attempts: 1 }],
      { kind: 'removeEvent', ...key, attempts: 1, deliverAt },
    ],
    ['a lease with more attempts than there were', [append], { ...lease, attempts: 1 }],
    ['a lease of a revived event with its former attempts', revived, { ...lease, attempts: 1 }],
    [
      'a postponement of a revived event by its former lease',
      revived,
      { kind: 'postponeEvent', ...key, attempts: 1, deliverAt },
    ],
    [
      'a removal of a revived event by its former lease',
      revived,
      { kind: 'removeEvent', ...key, attempts: 1, deliverAt },
    ],
    [
      'a removal of an update that is not there yet',
      [{ kind: 'insertPayment', payment }],
      { kind: 'deletePayment', id: payment.id, expectedVersion: 4 },
    ],
    [
      'an update of a setup from a newer version',
      [{ kind: 'insertSetup', setup }],
      { kind: 'updateSetup', setup, expectedVersion: 4 },
    ],
    [
      'a removal of a newer version of a setup',
      [{ kind: 'insertSetup', setup }],
      { kind: 'deleteSetup', id: setup.id, expectedVersion: 4 },
    ],
    [
      'an update of a refund from a newer version',
      [{ kind: 'insertRefund', refund }],
      { kind: 'updateRefund', refund, expectedVersion: 4 },
    ],
    [
      'a removal of a newer version of a refund',
      [{ kind: 'insertRefund', refund }],
      { kind: 'deleteRefund', id: refund.id, expectedVersion: 4 },
    ],
    [
      'an update of a dispute from a newer version',
      [{ kind: 'insertDispute', dispute }],
      { kind: 'updateDispute', dispute, expectedVersion: 4 },
    ],
    [
      'a count of a review above its count',
      [{ kind: 'insertReview', review }],
      { kind: 'countReview', id: review.id, expectedCount: 3, count: 4, openedAt: deliverAt },
    ],
    [
      'a count of a review below its count',
      [{ kind: 'insertReview', review }],
      { kind: 'countReview', id: review.id, expectedCount: 1, count: 4, openedAt: deliverAt },
    ],
    ['a removal of an unknown event', [], { kind: 'removeEvent', ...key, deliverAt }],
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
    [
      'a setup whose id is taken',
      [{ kind: 'insertSetup', setup }],
      { kind: 'insertSetup', setup: { ...setup, customerId: 'other' } },
    ],
    [
      'an update of a setup from another version',
      [{ kind: 'insertSetup', setup }],
      { kind: 'updateSetup', setup, expectedVersion: 2 },
    ],
    ['an update of an unknown setup', [], { kind: 'updateSetup', setup, expectedVersion: 3 }],
    [
      'a removal of another version of a setup',
      [{ kind: 'insertSetup', setup }],
      { kind: 'deleteSetup', id: setup.id, expectedVersion: 2 },
    ],
    [
      'a removal of an unknown setup',
      [],
      { kind: 'deleteSetup', id: setup.id, expectedVersion: 3 },
    ],
    [
      'a removal of an unknown financial account',
      [],
      { kind: 'deleteFinancialAccount', businessId: account.businessId, id: account.id },
    ],
    ...strangers.map(
      (businessId): Condition => [
        `a removal of a financial account by another business, ${businessId}`,
        [{ kind: 'putFinancialAccount', account }],
        { kind: 'deleteFinancialAccount', businessId, id: account.id },
      ],
    ),
    [
      'a removal of the default financial account',
      [{ kind: 'putFinancialAccount', account: { ...account, isDefault: true } }],
      { kind: 'deleteFinancialAccount', businessId: account.businessId, id: account.id },
    ],
    [
      'a removal of an unknown schedule',
      [],
      { kind: 'deleteSchedule', barberId: schedule.barberId, id: schedule.id },
    ],
    ...strangers.map(
      (barberId): Condition => [
        `a removal of a schedule by another barber, ${barberId}`,
        [{ kind: 'putSchedule', schedule }],
        { kind: 'deleteSchedule', barberId, id: schedule.id },
      ],
    ),
    ['one payment too many', [], ledgerMove({ openPayments: 2, maxOpenPayments: 1 })],
    [
      'one payment too many beside open ones',
      [ledgerMove({ openPayments: 2 })],
      ledgerMove({ openPayments: 1, maxOpenPayments: 2 }),
    ],
    [
      'one cent too much',
      [ledgerMove({ capturedMinor: 40n, reservedMinor: 30n })],
      ledgerMove({ reservedMinor: 31n, maxCommittedMinor: 100n }),
    ],
    [
      'one cent too much beside what was tendered',
      [ledgerMove({ capturedMinor: 40n, reservedMinor: 10n, tenderedMinor: 20n })],
      ledgerMove({ reservedMinor: 31n, maxCommittedMinor: 100n }),
    ],
    [
      'one tendered cent too much',
      [ledgerMove({ capturedMinor: 40n, reservedMinor: 30n })],
      ledgerMove({ tenderedMinor: 31n, maxCommittedMinor: 100n }),
    ],
    [
      'one cent too much in the first tender',
      [],
      ledgerMove({ tenderedMinor: 101n, maxCommittedMinor: 100n }),
    ],
    [
      'an amount in another currency than the tendered sum',
      [ledgerMove({ tenderedMinor: 30n })],
      ledgerMove({ reservedMinor: 1n, maxCommittedMinor: 100n, currency: 'usd' }),
    ],
    [
      'an update of a tender at another version',
      [write.tender({ version: 2 })],
      { kind: 'updateTender', tender: aTender({ version: 2 }), expectedVersion: 1 },
    ],
    ['a tender twice', [write.tender()], write.tender({ amountMinor: 1n })],
    [
      'an update of a share at another version',
      [write.share({ version: 2 })],
      { kind: 'updateShare', share: aShareEntry({ version: 2 }), expectedVersion: 1 },
    ],
    ['a share twice', [write.share()], write.share({ amountMinor: 1n })],
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
    [
      'an amount in another currency than the reserved sum',
      [ledgerMove({ reservedMinor: 30n })],
      ledgerMove({ reservedMinor: 1n, maxCommittedMinor: 100n, currency: 'usd' }),
    ],
    [
      'an amount in another currency than the captured sum',
      [ledgerMove({ capturedMinor: 30n })],
      ledgerMove({ reservedMinor: 1n, maxCommittedMinor: 100n, currency: 'usd' }),
    ],
    [
      'one cent too much in the first move',
      [],
      ledgerMove({ capturedMinor: 51n, reservedMinor: 50n, maxCommittedMinor: 100n }),
    ],
  ];
})();

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
    await refuses(
      'insertPayment',
      { kind: 'insertPayment', payment },
      { kind: 'insertPayment', payment },
    );
    expect(answerOf(await store().payments.get(payment.id))).toBeUndefined();
    const second = { ...payment, version: 2 };
    await given(
      { kind: 'insertPayment', payment },
      { kind: 'updatePayment', payment: second, expectedVersion: 1 },
    );
    expect(answerOf(await store().payments.get(payment.id))?.version).toBe(2);
  });
}
