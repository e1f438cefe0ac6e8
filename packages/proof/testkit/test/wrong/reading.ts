import { type Business, okAsync } from '@chairside/core';
import type { Payment, Read } from '@chairside/core/ports';
import { type WrongStore, wrapping } from './wrong-store.ts';

const byTie = (a: Payment, b: Payment) => (a.id < b.id ? -1 : 1);

export const storesThatReadWrongly: readonly WrongStore[] = [
  {
    fault: 'reads payments from a cache of the process',
    caughtBy: [
      'another node reads what this one has written, also what it had read before',
      'one comes first: a payment that is not there',
    ],
    open: wrapping((store) => {
      const cache = new Map<string, Read<Payment | undefined>>();
      const forget = (id: string) => cache.delete(id);
      return {
        payments: {
          ...store.payments,
          get: (id) => {
            const kept = cache.get(id) ?? store.payments.get(id);
            cache.set(id, kept);
            return kept;
          },
        },
        commit: (commit) =>
          store.commit(commit).andTee(() => {
            for (const change of commit.changes) {
              if (change.kind === 'insertPayment' || change.kind === 'updatePayment') {
                forget(change.payment.id);
              }
              if (change.kind === 'deletePayment') forget(change.id);
            }
          }),
      };
    }),
  },
  {
    fault: 'finds the appointment of a payment under the id of the payment',
    caughtBy: ['finds the appointment of a payment, as it is now'],
    open: wrapping(({ appointments }) => ({
      appointments: { ...appointments, getByPayment: appointments.get },
    })),
  },
  {
    fault: 'keeps the business of an appointment that has moved',
    caughtBy: ['finds the business of an appointment, as it is now'],
    open: wrapping(({ businesses }) => {
      const first = new Map<string, Read<Business | undefined>>();
      return {
        businesses: {
          ...businesses,
          getByAppointment: (id) => {
            const kept = first.get(id) ?? businesses.getByAppointment?.(id) ?? okAsync(undefined);
            first.set(id, kept);
            return kept;
          },
        },
      };
    }),
  },
  {
    fault: 'finds payments by ids of another case',
    caughtBy: ['script or length only: payments'],
    open: wrapping((store) => ({
      payments: { ...store.payments, get: (id) => store.payments.get(id.toLowerCase()) },
    })),
  },
  {
    fault: 'lists the oldest payments of an appointment, not the newest',
    caughtBy: [
      `lists 130 records, in order: an appointment's payments`,
      `lists 130 records, in order: an appointment's payments at one business`,
    ],
    open: wrapping((store) => ({
      payments: {
        ...store.payments,
        listByAppointment: (id, limit, business) =>
          store.payments
            .listByAppointment(id, 10_000, business)
            .map((all) => all.slice(0, Math.max(0, limit))),
      },
    })),
  },
  {
    fault: 'lists due payments by when they were made',
    caughtBy: [
      'lists 130 records, in order: due payments',
      'lists what is due, and then what a wrong clock has written',
    ],
    open: wrapping((store) => ({
      payments: {
        ...store.payments,
        listDue: (now, limit) =>
          store.payments
            .listDue(now, 10_000)
            .map((all) => all.toSorted(byTie).toReversed().slice(0, Math.max(0, limit))),
      },
    })),
  },
  {
    fault: 'lists a payment that was captured at the end of a span',
    caughtBy: [`lists 130 records, in order: a business's captured payments`],
    open: wrapping((store) => ({
      payments: {
        ...store.payments,
        listCaptured: (business, { from, until }, limit) =>
          store.payments.listCaptured(business, { from, until: until + 1 }, limit),
      },
    })),
  },
  {
    fault: 'lists the terminals of every barber',
    caughtBy: [
      `lists 130 records, in order: a barber's terminals`,
      `script or length only: a barber's terminals`,
    ],
    open: wrapping((store) => ({
      terminals: {
        ...store.terminals,
        listByBarber: (_barber, limit) => store.terminals.listAll(limit),
      },
    })),
  },
  {
    fault: 'begins a page of dead letters with the last one of the page before',
    caughtBy: [
      'that is dead is listed by subject and version, page by page',
      'lists 130 records, in order: dead letters',
    ],
    open: wrapping((store) => ({
      events: {
        ...store.events,
        listDead: (limit, after) =>
          store.events.listDead(
            limit,
            after === undefined ? undefined : { ...after, version: after.version - 1 },
          ),
      },
    })),
  },
  {
    fault: 'takes a negative limit for none at all',
    caughtBy: ['lists 130 records, in order: open reviews'],
    open: wrapping((store) => ({
      reviews: {
        ...store.reviews,
        list: (state, limit, after) =>
          store.reviews.list(state, limit < 0 ? 1_000_000 : limit, after),
      },
    })),
  },
  {
    fault: 'counts minus zero payments on a ledger that is not there',
    caughtBy: [
      'returns undefined, zero or an empty list for unknown records',
      'one comes first: a ledger',
      'one comes first: a ledger that is not there',
      'a ledger has the currency of its sums, and none while they are zero (D39)',
      'a ledger gives its one slot to one charge, until that frees it (D49)',
    ],
    open: wrapping((store) => ({
      ledgers: {
        get: (id) =>
          store.ledgers.get(id).map(({ currency: _none, ...ledger }) => ({
            ...ledger,
            openPayments: ledger.openPayments || -0,
          })),
      },
    })),
  },
];
