import { err, ResultAsync } from '@chairside/core';
import type { Commit } from '@chairside/core/ports';
import { applyChange } from '../../src/store/map/changes.ts';
import { keyOf } from '../../src/store/map/table.ts';
import { changing, type WrongStore, wrapping } from './wrong-store.ts';

const first = <T>(list: readonly T[]) => list.slice(0, 100);

/** Faults with much or long data, and with counts that were higher once. */
export const storesThatCut: readonly WrongStore[] = [
  {
    fault: 'lists at most 100 stale sweeps',
    caughtBy: ['lists 130 records, in order: stale sweeps'],
    open: wrapping((store) => ({
      sweeps: {
        ...store.sweeps,
        listStale: (before, limit) => store.sweeps.listStale(before, limit).map(first),
      },
    })),
  },
  {
    fault: 'cuts notes of reviews at 2,000 characters',
    caughtBy: [
      'keeps every field of a review, inserted and updated',
      'keeps whole a schedule of twenty shifts, and a note of 2,000 characters',
    ],
    open: changing('insertReview', (tables, change) => {
      const { note, ...review } = change.review;
      const cut = note === undefined ? {} : { note: note.slice(0, 2000) };
      return applyChange(tables, { ...change, review: { ...review, ...cut } });
    }),
  },
  {
    fault: 'forgets the tip of a payment that changes',
    caughtBy: ['keeps every field of a payment, inserted and updated'],
    open: changing('updatePayment', (tables, change) => {
      const { tipMinor: _tip, ...payment } = change.payment;
      return applyChange(tables, { ...change, payment });
    }),
  },
  {
    fault: 'forgets the tip of a refund',
    caughtBy: ['keeps every field of a refund, inserted and updated'],
    open: changing('insertRefund', (tables, change) => {
      const { tipMinor: _tip, ...refund } = change.refund;
      return applyChange(tables, { ...change, refund });
    }),
  },
  {
    fault: 'drops U+0000 from texts',
    caughtBy: ['keeps a text with U+0000, or refuses its commit and keeps the others'],
    open: changing('insertPayment', (tables, change) => {
      const { clientSecret, ...payment } = change.payment;
      const kept =
        clientSecret === undefined ? {} : { clientSecret: clientSecret.replaceAll('\0', '') };
      return applyChange(tables, { ...change, payment: { ...payment, ...kept } });
    }),
  },
  {
    fault: 'applies the first 256 changes of a commit',
    caughtBy: ['a commit applies several hundred changes'],
    open: wrapping((store) => ({
      commit: (commit) => store.commit({ ...commit, changes: commit.changes.slice(0, 256) }),
    })),
  },
  {
    fault: 'fails the commits of a turn with one that it cannot encode',
    caughtBy: [
      'that cannot be encoded does not stop the others',
      'does not call a commit not written that is under way and is then written',
    ],
    open: wrapping((store) => {
      let turn: Commit[] = [];
      const commit = async (given: Commit) => {
        turn.push(given);
        await Promise.resolve();
        try {
          JSON.stringify(turn.flatMap(({ changes }) => changes.map(keyOfEvent)));
        } catch {
          return err({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
        } finally {
          queueMicrotask(() => {
            turn = [];
          });
        }
        return store.commit(given);
      };
      const keyOfEvent = (change: Commit['changes'][number]) =>
        change.kind === 'appendEvent' ? change.event : change.kind;
      return { commit: (given) => new ResultAsync(commit(given)) };
    }),
  },
  {
    fault: 'postpones an event that had fewer attempts',
    caughtBy: ['refuses, and names, a postponement of a revived event by its former lease'],
    open: changing('postponeEvent', (tables, change) => {
      const { attempts: stored = 0 } = tables.events.get(keyOf(change)) ?? {};
      const { attempts = stored, ...others } = change;
      return applyChange(tables, attempts >= stored ? others : change);
    }),
  },
  {
    fault: 'removes an event that had fewer attempts',
    caughtBy: ['refuses, and names, a removal of a revived event by its former lease'],
    open: changing('removeEvent', (tables, change) => {
      const { attempts: stored = 0 } = tables.events.get(keyOf(change)) ?? {};
      const { attempts = stored, ...others } = change;
      return applyChange(tables, attempts >= stored ? others : change);
    }),
  },
  {
    fault: 'updates a setup that has an older version',
    caughtBy: ['refuses, and names, an update of a setup from a newer version'],
    open: changing('updateSetup', (tables, change) => {
      const { version = 0 } = tables.setups.get(change.setup.id) ?? {};
      const expectedVersion = Math.min(change.expectedVersion, version);
      return applyChange(tables, { ...change, expectedVersion });
    }),
  },
  {
    fault: 'deletes events whose lease is over',
    caughtBy: ['an event that was taken is not deleted, even if its lease is over'],
    open: changing('forget', (tables, change) => {
      for (const { id, record } of [...tables.events.entries()]) {
        const { deliverAt = Number.POSITIVE_INFINITY } = record;
        if (record.attempts > 0 && deliverAt < change.eventsBefore) tables.events.remove(id);
      }
      return applyChange(tables, change);
    }),
  },
];
