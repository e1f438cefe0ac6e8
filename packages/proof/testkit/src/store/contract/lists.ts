import { hourMs } from '@chairside/core';
import {
  type Change,
  type Payment,
  paymentStates,
  type Read,
  type Span,
  type Store,
} from '@chairside/core/ports';
import { longestWaitMs } from '@chairside/core/storage';
import { describe, expect, it } from 'vitest';
import { anAppointmentReference, aPayment, aSettlement, someTime } from '../../builders.ts';
import { answerOf, aReview, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** More than the page of a driver or a careful limit. */
const many = 130;

/** Lists, in their order and up to their limit. */
export function listsContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  describe(`lists ${many} records, in order:`, () => {
    it.each(lists.map((list) => [list.of, list] as const))('%s', async (_of, list) => {
      const { order, keeps, bound, hasPages } = list;
      // Neither the ids nor the order of writing follow the time.
      const records = Array.from({ length: many }, (_, index) => ({
        owner: 'mine',
        id: `${1000 + ((index * 7) % many)}`,
        at: someTime + index,
      }));
      const changes = records.map(list.write);
      await given(...(list.others ?? []), ...changes.filter((_, index) => index % 2 === 1).flat());
      await given(
        ...changes
          .filter((_, index) => index % 2 === 0)
          .toReversed()
          .flat(),
      );
      const read = async ({ limit = 200, from = 0, until = hourMs, after = '' } = {}) => {
        const span = { from: someTime + from, until: someTime + until };
        const asked = { limit, span, after: after === '' ? undefined : after };
        const listed = answerOf(await list.read(store(), 'mine', asked));
        return order === 'any' ? listed.toSorted() : listed;
      };
      const inOrder = order === 'time' ? records.map(idOf) : records.map(idOf).sort();
      expect(await read()).toStrictEqual(inOrder);
      expect(await read({ limit: many })).toStrictEqual(inOrder);
      for (const limit of [0, -1]) expect(await read({ limit })).toStrictEqual([]);
      for (const limit of [3, many - 1]) {
        const listed = await read({ limit });
        expect(listed).toHaveLength(limit);
        if (keeps === 'first') expect(listed).toStrictEqual(inOrder.slice(0, limit));
        if (keeps === 'newest') expect(listed).toStrictEqual(inOrder.slice(-limit));
      }
      if (bound === 'due') {
        expect(await read({ until: 4 })).toStrictEqual(inOrder.slice(0, 5));
        expect(await read({ until: -1 })).toStrictEqual([]);
      }
      if (bound === 'span') {
        expect(await read({ from: 2, until: 5 })).toStrictEqual(inOrder.slice(2, 5));
        expect(await read({ from: 2, until: 2 })).toStrictEqual([]);
      }
      if (hasPages) {
        const page = inOrder.slice(51, 53);
        expect(await read({ limit: 2, after: inOrder[50] ?? '' })).toStrictEqual(page);
        expect(await read({ after: inOrder.at(-1) ?? '' })).toStrictEqual([]);
      }
    });
  });

  it("lists a payment as due by its last change's time", async () => {
    const later = someTime + 1000;
    await insert(aPayment({ nextCheckAt: someTime }));
    const update = (expectedVersion: number, over: Partial<Payment>): Change => {
      const payment = aPayment({ version: expectedVersion + 1, ...over });
      return { kind: 'updatePayment', expectedVersion, payment };
    };
    await given(update(1, { nextCheckAt: later }));
    expect(answerOf(await store().payments.listDue(someTime, 9))).toStrictEqual([]);
    expect(answerOf(await store().payments.listDue(later, 9))).toHaveLength(1);
    await given(update(2, {}));
    expect(answerOf(await store().payments.listDue(later, 9))).toStrictEqual([]);
  });

  it('lists a payment as captured once it is', async () => {
    await insert(aPayment({ state: 'authorized' }));
    const captured = aPayment({ state: 'captured', version: 2, capturedAt: someTime });
    await given({ kind: 'updatePayment', payment: captured, expectedVersion: 1 });
    const span = { from: someTime, until: someTime + 1 };
    const listed = await store().payments.listCaptured('business-1', span, 9);
    expect(answerOf(listed)).toStrictEqual([captured]);
  });

  it('lists what is due, and then what a wrong clock has written', async () => {
    const times = [
      someTime + longestWaitMs + 2,
      someTime,
      someTime + longestWaitMs + 1,
      someTime + 1,
    ];
    for (const [index, nextCheckAt] of times.entries()) {
      const over = { id: `${index}`, nextCheckAt };
      await given(write.payment(over), write.refund(over), write.setup(over));
    }
    const { payments, refunds, setups } = store();
    for (const [now, limit, ids] of [
      [someTime, 9, ['1', '2', '0']],
      [someTime, 2, ['1', '2']],
      [someTime, 1, ['1']],
      [someTime, 0, []],
      [someTime + 1, 9, ['1', '3', '0']],
      [someTime + 2, 9, ['1', '3']],
    ] as const) {
      expect(answerOf(await payments.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
      expect(answerOf(await refunds.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
      expect(answerOf(await setups.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
    }
  });

  it('lists due setups until they are removed', async () => {
    await given(write.setup({ nextCheckAt: someTime }));
    await given({ kind: 'deleteSetup', id: 'pms_1', expectedVersion: 1 });
    expect(answerOf(await store().setups.listDue(someTime, 9))).toStrictEqual([]);
    expect(answerOf(await store().setups.get('pms_1'))).toBeUndefined();
  });
}

/** A record to list. Its owner is the appointment, the business or whatever else the list is of. */
interface Listed {
  readonly owner: string;
  readonly id: string;
  /** The time by which it is listed, if the list has one. */
  readonly at: number;
}

interface Asked {
  readonly limit: number;
  /** Lists of what is due go to its end. */
  readonly span: Span;
  /** The id of the last record on the page before. */
  readonly after?: string | undefined;
}

/** A list of the port. */
export interface List {
  readonly of: string;
  readonly order: 'time' | 'id' | 'any';
  /** Which records a limit leaves in the list. */
  readonly keeps: 'first' | 'newest' | 'any';
  /** Lists what is due, the given time included, or what is in a span, without its end. */
  readonly bound?: 'due' | 'span';
  /** Goes on after the record that is named. */
  readonly hasPages?: true;
  /** Writes a record of the list. */
  readonly write: (record: Listed) => Change | readonly Change[];
  /** Records that are similar, and are not listed. */
  readonly others?: readonly Change[];
  /** The ids of the listed records. */
  readonly read: (store: Store, owner: string, asked: Asked) => Read<readonly string[]>;
}

const ids = (records: readonly { readonly id: string }[]) => records.map(idOf);
const subjects = (events: readonly { readonly event: { readonly subject: string } }[]) =>
  events.map(({ event }) => event.subject);

/** An entry that names no business. */
export function unownedSettlement(over: Parameters<typeof aSettlement>[0]): Change {
  const { businessId: _none, ...settlement } = aSettlement(over);
  return { kind: 'putSettlement', settlement };
}

const openStates = paymentStates.filter((state) => state !== 'captured' && state !== 'canceled');
const bury = (subject: string): Change => ({ kind: 'postponeEvent', subject, version: 1 });

/** Those of an owner, whom each of their records names. */
export const listsOfOwners: readonly List[] = [
  {
    of: "an appointment's payments",
    order: 'time',
    keeps: 'newest',
    write: ({ owner, id, at }) =>
      write.payment({ id, appointment: anAppointmentReference({ id: owner }), createdAt: at }),
    read: ({ payments }, owner, { limit }) => payments.listByAppointment(owner, limit).map(ids),
  },
  {
    of: "an appointment's payments at one business",
    order: 'time',
    keeps: 'newest',
    write: ({ owner, id, at }) => write.payment({ id, businessId: owner, createdAt: at }),
    read: ({ payments }, owner, { limit }) =>
      payments.listByAppointment('appointment-1', limit, owner).map(ids),
  },
  {
    of: "a business's open payments",
    order: 'time',
    keeps: 'first',
    write: ({ owner, id, at }) =>
      write.payment({
        id,
        businessId: owner,
        state: openStates[at % openStates.length] ?? 'created',
        nextCheckAt: at,
      }),
    others: [
      write.payment({ id: 'never', businessId: 'mine' }),
      ...(['captured', 'canceled'] as const).map((state) =>
        write.payment({ id: state, businessId: 'mine', state, nextCheckAt: someTime }),
      ),
    ],
    read: ({ payments }, owner, { limit }) => payments.listOpen(owner, limit).map(ids),
  },
  {
    of: "a business's captured payments",
    order: 'time',
    keeps: 'first',
    bound: 'span',
    write: ({ owner, id, at }) =>
      write.payment({ id, businessId: owner, state: 'captured', capturedAt: at }),
    others: [write.payment({ id: 'open', businessId: 'mine' })],
    read: ({ payments }, owner, { span, limit }) =>
      payments.listCaptured(owner, span, limit).map(ids),
  },
  ...(['refund', 'dispute', 'review'] as const).map(
    (kind): List => ({
      of: `a payment's ${kind}s`,
      order: 'id',
      keeps: 'first',
      write: ({ owner, id }) => write[kind]({ id, paymentId: owner }),
      read: (store, owner, { limit }) =>
        store[`${kind}s`].listByPayment(owner, limit).map<readonly string[]>(ids),
    }),
  ),
  ...(['tender', 'share'] as const).map(
    (kind): List => ({
      of: `an appointment's ${kind}s`,
      order: 'time',
      keeps: 'newest',
      write: ({ owner, id, at }) => write[kind]({ id, appointmentId: owner, at }),
      read: (store, owner, { limit }) =>
        store[`${kind}s`].listByAppointment(owner, limit).map<readonly string[]>(ids),
    }),
  ),
  ...(['tender', 'share', 'movement', 'settlement'] as const).flatMap((kind): readonly List[] => {
    const group = `${kind}s` as const;
    return [
      {
        of: `a payment's ${group}`,
        order: kind === 'tender' || kind === 'share' ? 'time' : 'any',
        keeps: 'any',
        write: ({ owner, id, at }) => write[kind]({ id, paymentId: owner, at }),
        read: (store, owner, { limit }) =>
          store[group].listByPayment(owner, limit).map<readonly string[]>(ids),
      },
      {
        of: `a business's ${group}`,
        order: 'time',
        keeps: 'first',
        bound: 'span',
        write: ({ owner, id, at }) => write[kind]({ id, businessId: owner, at }),
        read: (store, owner, { span, limit }) =>
          store[group].list(owner, span, limit).map<readonly string[]>(ids),
      },
    ];
  }),
  {
    of: "an account's settlements without a business",
    order: 'time',
    keeps: 'first',
    bound: 'span',
    write: ({ owner, id, at }) => unownedSettlement({ id, account: owner, at }),
    others: [write.settlement({ id: 'known', account: 'mine' })],
    read: ({ settlements }, owner, { span, limit }) =>
      settlements.listUnknown(owner, span, limit).map(ids),
  },
  {
    of: "an account's payouts",
    order: 'time',
    keeps: 'first',
    bound: 'span',
    write: ({ owner, id, at }) => write.payout({ id, account: owner, arrivesAt: at }),
    read: ({ payouts }, owner, { span, limit }) => payouts.list(owner, span, limit).map(ids),
  },
  {
    of: "an account's open reviews",
    order: 'id',
    keeps: 'first',
    write: ({ owner, id }) => write.review({ id, account: owner }),
    others: [
      write.review({ id: 'another reason', account: 'mine', reason: 'orphanCaptured' }),
      write.review({ id: 'resolved', account: 'mine', resolvedAt: someTime }),
    ],
    read: ({ reviews }, owner, { limit }) => reviews.listOpenOf(owner, 'unsettled', limit).map(ids),
  },
  {
    of: "a customer's setups",
    order: 'time',
    keeps: 'newest',
    write: ({ owner, id, at }) => write.setup({ id, customerId: owner, createdAt: at }),
    read: ({ setups }, owner, { limit }) => setups.listByCustomer(owner, limit).map(ids),
  },
  {
    of: "a barber's terminals",
    order: 'time',
    keeps: 'newest',
    write: ({ owner, id, at }) =>
      write.terminal({ id, deviceIdentifier: id, barberId: owner, createdAt: at }),
    read: ({ terminals }, owner, { limit }) => terminals.listByBarber(owner, limit).map(ids),
  },
];

/** Every list of the port. */
export const lists: readonly List[] = [
  ...listsOfOwners.map((list) => ({
    ...list,
    others: [list.write({ owner: 'theirs', id: 'theirs', at: someTime }), list.others ?? []].flat(),
  })),
  ...(['payment', 'refund', 'setup'] as const).map((kind): List => {
    const group = `${kind}s` as const;
    return {
      of: `due ${group}`,
      order: 'time',
      keeps: 'first',
      bound: 'due',
      write: ({ id, at }) => write[kind]({ id, nextCheckAt: at }),
      others: [write[kind]({ id: 'later', nextCheckAt: someTime + 2 * hourMs })],
      read: (store, _, { span, limit }) =>
        store[group].listDue(span.until, limit).map<readonly string[]>(ids),
    };
  }),
  ...(['payment', 'tender', 'terminal'] as const).map((kind): List => {
    const group = `${kind}s` as const;
    return {
      of: `all ${group}`,
      order: 'id',
      keeps: 'first',
      hasPages: true,
      write: ({ id }) =>
        kind === 'terminal' ? write.terminal({ id, deviceIdentifier: id }) : write[kind]({ id }),
      read: (store, _, { limit, after }) =>
        store[group].listAll(limit, after).map<readonly string[]>(ids),
    };
  }),
  {
    of: 'due events',
    order: 'time',
    keeps: 'first',
    bound: 'due',
    write: ({ id, at }) => write.event({ subject: id, occurredAt: at }),
    others: [write.event({ subject: 'dead' }), bury('dead')],
    read: ({ events }, _, { span, limit }) => events.listDue(span.until, limit).map(subjects),
  },
  {
    of: 'dead letters',
    order: 'id',
    keeps: 'first',
    hasPages: true,
    write: ({ id }) => [write.event({ subject: id }), bury(id)],
    others: [write.event({ subject: 'alive' })],
    read: ({ events }, _, { limit, after }) =>
      events
        .listDead(limit, after === undefined ? after : { subject: after, version: 1 })
        .map(subjects),
  },
  {
    of: 'open disputes',
    order: 'id',
    keeps: 'first',
    hasPages: true,
    write: ({ id }) => write.dispute({ id }),
    others: [write.dispute({ id: 'lost', state: 'lost' })],
    read: ({ disputes }, _, { limit, after }) => disputes.list('open', limit, after).map(ids),
  },
  {
    of: 'open reviews',
    order: 'id',
    keeps: 'first',
    hasPages: true,
    write: ({ id }) => write.review({ id }),
    others: [write.review({ id: 'resolved', resolvedAt: someTime })],
    read: ({ reviews }, _, { limit, after }) => reviews.list('open', limit, after).map(ids),
  },
  {
    of: 'resolved reviews',
    order: 'id',
    keeps: 'first',
    hasPages: true,
    write: ({ id }) => [
      write.review({ id }),
      write.review.update(aReview({ id, version: 2, resolvedAt: someTime }), 1),
    ],
    others: [write.review({ id: 'open' })],
    read: ({ reviews }, _, { limit, after }) => reviews.list('resolved', limit, after).map(ids),
  },
  {
    of: 'stale sweeps',
    order: 'time',
    keeps: 'first',
    bound: 'due',
    write: ({ id, at }) => ({
      kind: 'putSweep',
      swept: { books: id, sweptBefore: at, triedAt: at },
    }),
    read: ({ sweeps }, _, { span, limit }) =>
      sweeps.listStale(span.until, limit).map((all) => all.map(({ books }) => books)),
  },
];
