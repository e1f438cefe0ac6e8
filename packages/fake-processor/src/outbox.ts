import type { Entry } from './entry.ts';
import { eventText } from './events.ts';
import type { FakeStorage, StorageWrite } from './storage.ts';

/**
 * The maximum of waiting events. Beyond it the oldest are lost, as with a processor that gives up.
 */
export const outboxCapacity = 5_000;

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * The pending events, stored with the books: a ring of slots and two counters, so that the storage
 * needs no deletes.
 */
export function createOutbox(storage: FakeStorage) {
  const count = (of: string) => storage.get('counters', of)?.value ?? 0;
  const setCount = (id: string, value: number): StorageWrite => {
    return { collection: 'counters', id, record: { value } };
  };

  function waiting(limit: number) {
    const [noted, taken] = [count('eventsNoted'), count('eventsTaken')];
    const first = Math.max(taken, noted - outboxCapacity);
    const end = Math.min(noted, first + limit);
    const slots = Array.from({ length: end - first }, (_, i) => slotOf(first + i));
    return { end, texts: slots.flatMap((slot) => textIn(slot) ?? []) };
  }

  function textIn(slot: string): string | undefined {
    const event = storage.get('outbox', slot);
    const entry = event && storage.get('payments', event.payment);
    return entry && eventText(entry, event.line);
  }

  return {
    /** The writes that add an event for each line of the entry from `fromLine` on. */
    note(entry: Entry, fromLine: number): readonly StorageWrite[] {
      const noted = count('eventsNoted');
      const lines = entry.history.slice(fromLine).map((_, i): StorageWrite => {
        const record = { payment: entry.id, line: fromLine + i };
        return { collection: 'outbox', id: slotOf(noted + i), record };
      });
      return [...lines, setCount('eventsNoted', noted + lines.length)];
    },

    /** The texts of the oldest events, in order; they stay in the outbox. */
    peek: (limit: number): readonly string[] => waiting(limit).texts,

    /** Like `peek`, but removes them. */
    take(limit: number): readonly string[] {
      const { end, texts } = waiting(limit);
      if (texts.length > 0) storage.write([setCount('eventsTaken', end)]);
      return texts;
    },
  };
}

function slotOf(number: number): string {
  return `${number % outboxCapacity}`;
}
