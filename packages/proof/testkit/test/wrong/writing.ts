import { emptyLedger } from '@chairside/core/ports';
import { applyChange } from '../../src/store/map/changes.ts';
import { keyOf, pair } from '../../src/store/map/table.ts';
import { changing, type WrongStore } from './wrong-store.ts';

const largest = 2 ** 31 - 1;

export const storesThatWriteWrongly: readonly WrongStore[] = [
  {
    fault: 'moves a sweep back for a new payment',
    caughtBy: ['are begun by the first payment of an account, and moved back by none'],
    open: changing('insertPayment', (tables, change) => {
      const { account, createdAt } = change.payment;
      const swept = tables.sweeps.get(account);
      if (swept !== undefined && createdAt < swept.sweptBefore) {
        tables.sweeps.put(account, { ...swept, sweptBefore: createdAt });
      }
      return applyChange(tables, change);
    }),
  },
  {
    fault: 'leaves the other default accounts of the business',
    caughtBy: [
      'has one default financial account for each business',
      'one comes first: the financial accounts of a business',
    ],
    open: changing('putFinancialAccount', (tables, { account }) =>
      tables.financialAccounts.put(account.id, account),
    ),
  },
  {
    fault: 'forgets its bounds for the first move of a ledger',
    caughtBy: [
      'refuses, and names, one payment too many',
      'refuses, and names, one cent too much in the first move',
    ],
    open: changing('moveLedger', (tables, change) => {
      const { maxOpenPayments: _open, maxCommittedMinor: _committed, ...free } = change;
      const isFirst = !tables.ledgers.has(change.appointmentId);
      return applyChange(tables, isFirst ? free : change);
    }),
  },
  {
    fault: 'adds up amounts as numbers',
    caughtBy: ['a ledger keeps a sum of many large amounts exactly'],
    open: changing('moveLedger', (tables, change) => {
      const before = tables.ledgers.get(change.appointmentId)?.capturedMinor ?? 0n;
      const rounded = BigInt(Number(before) + Number(change.capturedMinor)) - before;
      return applyChange(tables, { ...change, capturedMinor: rounded });
    }),
  },
  {
    fault: 'bounds what is reserved alone',
    caughtBy: [
      'refuses, and names, one cent too much',
      'a ledger accepts moves up to its bounds, and not beyond',
    ],
    open: changing('moveLedger', (tables, change) => {
      const { capturedMinor } =
        tables.ledgers.get(change.appointmentId) ?? emptyLedger(change.appointmentId);
      const { maxCommittedMinor: most } = change;
      return applyChange(
        tables,
        most === undefined ? change : { ...change, maxCommittedMinor: most + capturedMinor },
      );
    }),
  },
  {
    fault: 'cuts a counter at 31 bits',
    caughtBy: [
      'keeps every field of a payment, inserted and updated',
      'a commit removes a payment whose opening was refused, with its reservation',
      'keeps whole a timeline of full length',
    ],
    open: changing('insertPayment', (tables, { kind, payment }) =>
      applyChange(tables, {
        kind,
        payment: { ...payment, expiresAt: Math.min(payment.expiresAt, largest) },
      }),
    ),
  },
  {
    fault: 'replaces a problem that a key has',
    caughtBy: [
      'refuses, and names, a second problem for a key',
      'one comes first: a key without a problem',
    ],
    open: changing('finishKey', (tables, { subject, key, problem }) => {
      const record = tables.keys.get(pair(subject, key));
      return record !== undefined && tables.keys.put(pair(subject, key), { ...record, problem });
    }),
  },
  {
    fault: 'removes one key of a payment alone',
    caughtBy: ['deletes every key of a payment, in any number'],
    open: changing('deleteKeys', (tables, { resourceId }) => {
      const [first] = tables.keys.group('resource', resourceId);
      if (first !== undefined) tables.keys.remove(first.id);
      return true;
    }),
  },
  {
    fault: 'wakes a dead letter that becomes the first',
    caughtBy: ['that is dead stays so when it becomes the first'],
    open: changing('removeEvent', (tables, change) => {
      if (!applyChange(tables, change)) return false;
      const [next] = tables.events.group('subject', change.subject);
      if (next?.record.isDead === true) {
        const { deliverAt } = change;
        tables.events.put(next.id, { ...next.record, isDead: false, deliverAt });
      }
      return true;
    }),
  },
  {
    fault: 'delivers an event before an earlier one of its subject',
    caughtBy: [
      'one comes first: an event that is not there',
      'one comes first: an event',
      'one comes first: an event that was taken up',
      'one comes first: a dead letter',
      'keeps every field of an event that is to be delivered',
      'that was delivered makes way for the next',
    ],
    open: changing('appendEvent', (tables, { event }) =>
      tables.events.insert(keyOf(event), {
        event,
        attempts: 0,
        isDead: false,
        deliverAt: event.occurredAt + event.version,
      }),
    ),
  },
  {
    fault: 'registers a device twice',
    caughtBy: [
      'refuses, and names, a device that is already registered',
      'one comes first: a terminal that is not registered',
      'one comes first: a terminal',
    ],
    open: changing('insertTerminal', (tables, { terminal }) =>
      tables.terminals.insert(terminal.id, terminal),
    ),
  },
  {
    fault: `removes another barber's schedule`,
    caughtBy: [
      `refuses, and names, a removal of a schedule by another barber, an earlier one`,
      'one comes first: a schedule',
    ],
    open: changing('deleteSchedule', (tables, { id }) => tables.schedules.remove(id)),
  },
];
