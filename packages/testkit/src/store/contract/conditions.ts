import type { Change } from '@chairside/core';
import {
  aFinancialAccount,
  aKeyRecord,
  anEvent,
  aPayment,
  aProblem,
  aSchedule,
  aSetup,
  aTerminal,
  someTime,
} from '../../builders.ts';
import { ledgerMove } from './suite.ts';

type Condition = readonly [when: string, given: readonly Change[], refused: Change];

/** The stored records, and the change that is then refused. */
export const conditions: readonly Condition[] = (() => {
  const record = aKeyRecord();
  const payment = aPayment({ version: 3 });
  const terminal = aTerminal();
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
  const finishKey: Change = { kind: 'finishKey', ...record, problem: aProblem() };
  return [
    [
      'a key that the subject has',
      [{ kind: 'insertKey', record }],
      { kind: 'insertKey', record: { ...record, fingerprint: '0'.repeat(64) } },
    ],
    [
      'a second problem for a key',
      [{ kind: 'insertKey', record }, finishKey],
      { ...finishKey, problem: aProblem({ id: 'prb_2' }) },
    ],
    ['a problem for no key', [], finishKey],
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
    ['an update of nothing', [], { kind: 'updatePayment', payment, expectedVersion: 3 }],
    [
      'a removal of another version',
      [{ kind: 'insertPayment', payment }],
      { kind: 'deletePayment', id: payment.id, expectedVersion: 2 },
    ],
    ['a removal of no payment', [], { kind: 'deletePayment', id: payment.id, expectedVersion: 3 }],
    [
      'a second event of a version',
      [{ kind: 'appendEvent', event }],
      { kind: 'appendEvent', event: { ...event, type: 'contactlessPayment.failed' } },
    ],
    [
      'a terminal whose id is taken',
      [{ kind: 'insertTerminal', terminal }],
      { kind: 'insertTerminal', terminal: { ...terminal, deviceIdentifier: 'other' } },
    ],
    [
      'a device that is registered',
      [{ kind: 'insertTerminal', terminal }],
      { kind: 'insertTerminal', terminal: { ...terminal, id: 'trm_2', barberId: 'other' } },
    ],
    ['a removal of no terminal', [], { kind: 'deleteTerminal', id: terminal.id }],
    ['to take up no event', [], lease],
    ['to take up an event again', [append, lease], lease],
    ['to take up what waits for another', [append, appendNext], { ...lease, version: 2 }],
    ['to take up a dead letter', [append, bury], lease],
    ['to postpone no event', [], { kind: 'postponeEvent', ...key, deliverAt }],
    ['to bury no event', [], bury],
    ['to revive no event', [], { kind: 'reviveEvent', ...key, deliverAt }],
    ['to revive what is not dead', [append], { kind: 'reviveEvent', ...key, deliverAt }],
    [
      'to postpone what another took up since',
      [append, lease, { ...lease, attempts: 1 }],
      { kind: 'postponeEvent', ...key, attempts: 1, deliverAt },
    ],
    [
      'to remove what another took up since',
      [append, lease, { ...lease, attempts: 1 }],
      { kind: 'removeEvent', ...key, attempts: 1, deliverAt },
    ],
    ['to remove no event', [], { kind: 'removeEvent', ...key, deliverAt }],
    [
      'to remove what waits for another',
      [append, appendNext],
      { kind: 'removeEvent', ...key, version: 2, deliverAt },
    ],
    [
      'a message of the processor that took effect',
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
    ['an update of no setup', [], { kind: 'updateSetup', setup, expectedVersion: 3 }],
    [
      'a removal of another version of a setup',
      [{ kind: 'insertSetup', setup }],
      { kind: 'deleteSetup', id: setup.id, expectedVersion: 2 },
    ],
    ['a removal of no setup', [], { kind: 'deleteSetup', id: setup.id, expectedVersion: 3 }],
    [
      'a removal of no financial account',
      [],
      { kind: 'deleteFinancialAccount', businessId: account.businessId, id: account.id },
    ],
    [
      "a removal of another's financial account",
      [{ kind: 'putFinancialAccount', account }],
      { kind: 'deleteFinancialAccount', businessId: 'other', id: account.id },
    ],
    [
      'a removal of the default financial account',
      [{ kind: 'putFinancialAccount', account: { ...account, isDefault: true } }],
      { kind: 'deleteFinancialAccount', businessId: account.businessId, id: account.id },
    ],
    [
      'a removal of no schedule',
      [],
      { kind: 'deleteSchedule', barberId: schedule.barberId, id: schedule.id },
    ],
    [
      "a removal of another's schedule",
      [{ kind: 'putSchedule', schedule }],
      { kind: 'deleteSchedule', barberId: 'other', id: schedule.id },
    ],
    ['a payment too many', [], ledgerMove({ openPayments: 2, maxOpenPayments: 1 })],
    [
      'a payment too many beside those that are open',
      [ledgerMove({ openPayments: 2 })],
      ledgerMove({ openPayments: 1, maxOpenPayments: 2 }),
    ],
    [
      'a cent too much',
      [ledgerMove({ capturedMinor: 40n, reservedMinor: 30n })],
      ledgerMove({ reservedMinor: 31n, maxCommittedMinor: 100n }),
    ],
    [
      'an amount in another currency than what is reserved',
      [ledgerMove({ reservedMinor: 30n })],
      ledgerMove({ reservedMinor: 1n, maxCommittedMinor: 100n, currency: 'usd' }),
    ],
    [
      'an amount in another currency than what is captured',
      [ledgerMove({ capturedMinor: 30n })],
      ledgerMove({ reservedMinor: 1n, maxCommittedMinor: 100n, currency: 'usd' }),
    ],
    [
      'a first cent too much',
      [],
      ledgerMove({ capturedMinor: 51n, reservedMinor: 50n, maxCommittedMinor: 100n }),
    ],
  ];
})();
