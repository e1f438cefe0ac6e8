import type { Clock, EpochMs, PaymentState } from '@chairside/core';
import type { PaymentHandle } from '@chairside/core/ports';
import { type Entry, furthest } from './entry.ts';
import { aged, dueAt } from './entry-changes.ts';
import type { Outbox } from './outbox.ts';
import type { FakeStorage, KeptAnswer, StorageWrite } from './storage.ts';

export type Books = ReturnType<typeof createBooks>;

/** The processor's books. Every read shows the present time. */
export function createBooks(storage: FakeStorage, outbox: Outbox, clock: Clock) {
  /** Due times. Built on first use from the storage of an earlier fake. */
  let dues: Map<string, EpochMs> | undefined;

  function change(entry: Entry): readonly StorageWrite[] {
    const linesBefore = storage.get('payments', entry.id)?.history.length ?? 0;
    // Every change adds a line to the history, and every line is an event.
    if (linesBefore === entry.history.length) return [];
    if (dues !== undefined) noteDue(dues, entry);
    const group = groupOf(entry);
    return [
      { collection: 'payments', id: entry.id, group, record: entry },
      ...outbox.note(entry, linesBefore),
    ];
  }

  function atPresent(entry: Entry): Entry {
    const now = aged(entry, clock.now());
    if (now !== entry) storage.write(change(now));
    return now;
  }

  function load(reference: string): Entry | undefined {
    const entry = storage.get('payments', reference);
    return entry && atPresent(entry);
  }

  return {
    answered: (id: string) => storage.get('keys', id),
    keep: (id: string, record: KeptAnswer<Entry>): StorageWrite => ({
      collection: 'keys',
      id,
      record,
    }),
    change,
    load,

    /**
     * The payment's entry. If it was opened twice: the one with the most progress, then the newest.
     */
    find(payment: PaymentHandle): Entry | undefined {
      if (payment.reference !== undefined) {
        const entry = load(payment.reference);
        return entry && belongs(entry, payment) ? entry : undefined;
      }
      const entries = storage.list('payments', groupOf(payment));
      const ours = entries.filter((entry) => belongs(entry, payment));
      return furthest(ours.map(atPresent), progress);
    },

    all: (): readonly Entry[] => storage.list('payments').map(atPresent),

    save: (entry: Entry): void => storage.write(change(entry)),

    /** Applies all changes that time has made due, in the order of their due times. */
    applyDue(): void {
      if (dues === undefined) {
        dues = new Map();
        for (const entry of storage.list('payments')) noteDue(dues, entry);
      }
      const now = clock.now();
      const due = [...dues].filter(([, at]) => at <= now);
      due.sort(([a, atA], [b, atB]) => atA - atB || (a < b ? -1 : 1));
      for (const [reference] of due) load(reference);
    },
  };
}

/** Whether the entry is that payment: ours, in that account, opened by this installation. */
export function belongs(entry: Entry, payment: PaymentHandle): boolean {
  return (
    entry.account === payment.account &&
    entry.paymentId === payment.paymentId &&
    entry.installation === payment.installation
  );
}

const progress: Readonly<Record<PaymentState, number>> = {
  canceled: 0,
  created: 1,
  failed: 2,
  processing: 3,
  authorized: 4,
  captured: 5,
};

function groupOf({ account, paymentId }: { account: string; paymentId: string }): string {
  return `${account}\n${paymentId}`;
}

function noteDue(dues: Map<string, EpochMs>, entry: Entry): void {
  const at = dueAt(entry);
  if (at === undefined) dues.delete(entry.id);
  else dues.set(entry.id, at);
}
