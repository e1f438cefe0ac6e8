import { booksOf, timeOf } from '../engine/carry.ts';
import { commit } from '../frame/commit.ts';
import type { Ports, Restoration } from '../ports/ports.ts';
import type { CommitError, StoreUnavailable } from '../ports/store.ts';
import { type Fault, unavailable } from '../problems/problem.ts';
import { clockErrorMs, type SweptBooks } from '../upkeep/swept-books.ts';
import { err, type Result, resultOf, type Steps } from '../values/result.ts';
import { type EpochMs, hourMs } from '../values/time.ts';
import type { Dues } from './dues.ts';
import { readDues } from './find.ts';
import type { Payment } from './payment.ts';

// A database that was restored from a backup lacks the captures since, so nothing is opened or taken in an
// account before upkeep has read its payments (D210).

/** The processor's clock may be ahead of ours by so much. */
const aheadMs = hourMs;

/** A payment that was open in the backup may have been captured since, so the reading begins earlier. */
export const openForMs = clockErrorMs;

/** The end of the span that is read: everything that the processor has by now. */
export function restoredUntil(now: EpochMs): EpochMs {
  return now + aheadMs;
}

/** Whether the payments of the books were read to their end after this time. */
function isRestored({ lists }: SweptBooks, since: EpochMs): boolean {
  const { restored } = lists ?? {};
  if (restored === undefined || restored.pass !== undefined) return false;
  return restored.sweptBefore >= restoredUntil(since);
}

async function* sinceOf(ports: Ports, restoration: Restoration): Steps<EpochMs, StoreUnavailable> {
  restoration.since ??= yield* await timeOf(ports);
  return restoration.since;
}

/** More books than that are read in several rounds. */
const maxBooks = 1000;

/** The books whose payments have to be read first; none without a restoration. */
export async function* booksToRestore(
  ports: Ports,
): Steps<readonly SweptBooks[], StoreUnavailable> {
  const { restoration, store } = ports;
  if (restoration === undefined) return [];
  const since = yield* sinceOf(ports, restoration);
  const all = yield* await store.sweeps.listStale(Number.MAX_SAFE_INTEGER, maxBooks);
  return all.filter((swept) => !isRestored(swept, since));
}

/** Refuses to open or capture a payment in an account whose captures since the backup are not recorded yet. */
export async function* requireRestored(
  ports: Ports,
  account: string,
): Steps<void, Fault<'serviceUnavailable'> | CommitError> {
  const { restoration } = ports;
  if (restoration === undefined) return;
  const since = yield* sinceOf(ports, restoration);
  const books = booksOf(ports, account);
  const swept = yield* await ports.store.sweeps.get(books);
  if (swept !== undefined && isRestored(swept, since)) return;
  const { restored: before } = swept?.lists ?? {};
  // The backup may be older than the account's first payment, or another process has read it earlier.
  const isAsked = swept !== undefined && (before === undefined || before.pass !== undefined);
  if (!isAsked) {
    yield* await commit(ports, [{ kind: 'putSweep', swept: unread(books, swept) }]);
  }
  // The backup may lack the key too, so an earlier request under it may have been applied (D22).
  const detail =
    'The database was restored, and the payments since its backup are not recorded yet.';
  return yield* err(unavailable(detail, 'unknown'));
}

/** What an appointment owes, once the captures since the backup are recorded. */
export async function readDuesRestored(
  ports: Ports,
  payment: Payment,
): Promise<Result<Dues, unknown>> {
  if (ports.restoration !== undefined) {
    const restored = await resultOf(requireRestored(ports, payment.account));
    if (restored.isErr()) return err(restored.error);
  }
  return readDues(ports, payment);
}

/** Marks the books, so that upkeep reads their payments. */
function unread(books: string, swept: SweptBooks | undefined): SweptBooks {
  if (swept === undefined) return { books, sweptBefore: openForMs, triedAt: 0 };
  const { restored: _restored, ...lists } = swept.lists ?? {};
  return { ...swept, lists };
}
