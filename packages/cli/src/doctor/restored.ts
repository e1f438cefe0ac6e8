import type { Context } from '../command.ts';
import { type Finding, unread } from './finding.ts';

const most = 1000;

/** The accounts that keep shops closed, because their payments were not read since the database was restored. */
export async function checkRestored({ chairside }: Context): Promise<readonly Finding[]> {
  const { store, restoration } = chairside.ports;
  const drawn = await store.facts.get('restoration');
  const listed = await store.sweeps.listStale(Number.MAX_SAFE_INTEGER, most);
  if (drawn.isErr()) return unread('Restore', drawn.error);
  if (listed.isErr()) return unread('Restore', listed.error);
  if (drawn.value === undefined) return [];
  const { number }: { readonly number: number } = JSON.parse(drawn.value.text);
  const marks = listed.value.map(({ books, lists }) => ({ books, ...lists?.restored }));
  const isBegun = marks.some(({ restoration: mark = 0 }) => mark >= number);
  return marks.flatMap(({ books, restoration: mark, end }): readonly Finding[] => {
    // An account that took its first payment since then has no mark.
    const isNew = mark === undefined && isBegun && restoration === undefined;
    const isRead = mark !== undefined && mark >= number && end === 'read';
    // Without `restored`, an account that is gone closes nothing.
    const isLeft = end === 'refused' && restoration === undefined;
    if (isNew || isRead || isLeft) return [];
    // Each command of a configuration with `restored` is such a process too.
    const wasRead = end === 'read' && restoration !== undefined;
    const why = wasRead
      ? 'A process with `restored` has begun since its payments were read, and waits until they are read again.'
      : end === 'refused'
        ? 'The processor refuses to list its payments, so its shops stay closed.'
        : 'Its payments were not all read since the database was restored, so every shop is closed.';
    const action =
      restoration === undefined
        ? 'Set `restored: true` in this configuration, as in every process, then: chairside upkeep'
        : end === 'refused'
          ? 'Connect it again, or give its business another one.'
          : 'Upkeep reads them once the processor answers: chairside upkeep';
    return [
      { level: wasRead ? 'warning' : 'error', about: `Restore ${books}`, found: why, action },
    ];
  });
}
