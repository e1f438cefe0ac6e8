import { emptyLedger } from '@chairside/core';
import { applyChange } from '../../src/store/map/changes.ts';
import { keyOf, pair } from '../../src/store/map/names.ts';
import { changing, type WrongStore } from './wrong-store.ts';

const largest = 2 ** 31 - 1;

export const storesThatWriteWrongly: readonly WrongStore[] = [
  {
    fault: 'moves a sweep back for a new payment',
    caughtBy: 'are begun by the first payment of an account, and moved back by none',
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
    caughtBy: 'has one default financial account for each business',
    open: changing('putFinancialAccount', (tables, { account }) =>
      tables.financialAccounts.put(account.id, account),
    ),
  },
  {
    fault: 'clears the default accounts of every business',
    caughtBy: 'has one default financial account for each business',
    open: changing('putFinancialAccount', (tables, change) => {
      const { financialAccounts } = tables;
      for (const { id, record } of change.account.isDefault
        ? [...financialAccounts.entries()]
        : []) {
        financialAccounts.put(id, { ...record, isDefault: false });
      }
      return applyChange(tables, change);
    }),
  },
  {
    fault: 'forgets its bounds for the first move of a ledger',
    caughtBy: 'refuses, and names, one payment too many',
    open: changing('moveLedger', (tables, change) => {
      const { maxOpenPayments: _open, maxCommittedMinor: _committed, ...free } = change;
      const isFirst = !tables.ledgers.has(change.appointmentId);
      return applyChange(tables, isFirst ? free : change);
    }),
  },
  {
    fault: 'refuses a first move that reaches its bound',
    caughtBy: 'a ledger accepts one move that reaches its bounds alone',
    open: changing('moveLedger', (tables, change) => {
      const { appointmentId, capturedMinor, reservedMinor, maxCommittedMinor } = change;
      const isFirst = !tables.ledgers.has(appointmentId);
      const isWhole = capturedMinor + reservedMinor === maxCommittedMinor;
      return isFirst && isWhole ? false : applyChange(tables, change);
    }),
  },
  {
    fault: 'adds up amounts as numbers',
    caughtBy: 'a ledger keeps a sum of many large amounts exactly',
    open: changing('moveLedger', (tables, change) => {
      const before = tables.ledgers.get(change.appointmentId)?.capturedMinor ?? 0n;
      const rounded = BigInt(Number(before) + Number(change.capturedMinor)) - before;
      return applyChange(tables, { ...change, capturedMinor: rounded });
    }),
  },
  {
    fault: 'bounds what is reserved alone',
    caughtBy: 'refuses, and names, one cent too much',
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
    fault: 'keeps the first currency of a ledger for ever',
    caughtBy: 'a ledger has the currency of its sums, and none while they are zero (D39)',
    open: changing('moveLedger', (tables, change) => {
      const before = tables.ledgers.get(change.appointmentId);
      const isMoved = applyChange(tables, change);
      const after = tables.ledgers.get(change.appointmentId);
      const currency = before?.currency ?? after?.currency;
      if (isMoved && after !== undefined && currency !== undefined) {
        tables.ledgers.put(change.appointmentId, { ...after, currency });
      }
      return isMoved;
    }),
  },
  {
    fault: 'does sums of cents in doubles of seven digits',
    caughtBy: 'a ledger accepts moves up to its bounds, and not beyond',
    open: changing('moveLedger', (tables, change) =>
      applyChange(tables, {
        ...change,
        capturedMinor: BigInt(Math.fround(Number(change.capturedMinor))),
      }),
    ),
  },
  {
    fault: 'cuts a counter at 31 bits',
    caughtBy: 'keeps every field of a payment that is inserted',
    open: changing('insertPayment', (tables, { kind, payment }) =>
      applyChange(tables, {
        kind,
        payment: { ...payment, expiresAt: Math.min(payment.expiresAt, largest) },
      }),
    ),
  },
  {
    fault: 'replaces a problem that a key has',
    caughtBy: 'refuses, and names, a second problem for a key',
    open: changing('finishKey', (tables, { subject, key, problem }) => {
      const record = tables.keys.get(pair(subject, key));
      return record !== undefined && tables.keys.put(pair(subject, key), { ...record, problem });
    }),
  },
  {
    fault: 'removes one key of a payment alone',
    caughtBy: 'deletes all keys of a payment at once, and no others',
    open: changing('deleteKeys', (tables, { resourceId }) => {
      const [first] = tables.keys.group('resource', resourceId);
      if (first !== undefined) tables.keys.remove(first.id);
      return true;
    }),
  },
  {
    fault: 'lets two nodes take up an event',
    caughtBy: 'one comes first: an event',
    open: changing('leaseEvent', (tables, change) => {
      const stored = tables.events.get(keyOf(change));
      const attempts = Math.max(change.attempts, stored?.attempts ?? 0);
      return applyChange(tables, { ...change, attempts });
    }),
  },
  {
    fault: 'lets an event wait for ever that came behind a removed one',
    caughtBy: 'that was delivered makes way for the next',
    open: changing('removeEvent', (tables, change) => {
      const stored = tables.events.get(keyOf(change));
      if (!applyChange(tables, change)) return false;
      for (const { record } of tables.events.group('subject', change.subject)) {
        const { deliverAt: _due, ...waiting } = record;
        if (stored !== undefined) tables.events.put(keyOf(record.event), waiting);
      }
      return true;
    }),
  },
  {
    fault: 'wakes a dead letter that becomes the first',
    caughtBy: 'that is dead stays so when it becomes the first',
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
    caughtBy: 'one comes first: an event that is not there',
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
    fault: 'resolves reviews of another reason',
    caughtBy: `resolves a payment's open reviews of one reason`,
    open: changing('resolvePaymentReviews', (tables, { paymentId, resolvedAt, note }) => {
      for (const { id, record } of tables.reviews.group('payment', paymentId)) {
        if (record.resolvedAt === undefined)
          tables.reviews.put(id, { ...record, resolvedAt, note });
      }
      return true;
    }),
  },
  {
    fault: 'forgets a refund with the messages of the processor',
    caughtBy: 'remembers a refund or dispute of an account for ever, once',
    open: changing('forget', (tables, change) => {
      for (const { id, record } of [...tables.returned.entries()]) {
        if (record.at < change.processorEventsBefore) tables.returned.remove(id);
      }
      return applyChange(tables, change);
    }),
  },
  {
    fault: 'forgets more than the limit',
    caughtBy: 'deletes at most the limit of each type at a time',
    open: changing('forget', (tables, change) => applyChange(tables, { ...change, limit: 10_000 })),
  },
  {
    fault: 'forgets ids of commits a moment too early',
    caughtBy: 'deletes ids of commits before a time, and no others',
    open: changing('forget', (tables, change) =>
      applyChange(tables, { ...change, commitsBefore: change.commitsBefore + 1 }),
    ),
  },
  {
    fault: 'registers a device twice',
    caughtBy: 'refuses, and names, a device that is already registered',
    open: changing('insertTerminal', (tables, { terminal }) =>
      tables.terminals.insert(terminal.id, terminal),
    ),
  },
  {
    fault: `removes another barber's schedule`,
    caughtBy: `refuses, and names, a removal of a schedule by another barber, an earlier one`,
    open: changing('deleteSchedule', (tables, { id }) => tables.schedules.remove(id)),
  },
];
