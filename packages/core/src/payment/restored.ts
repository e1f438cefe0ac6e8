import { commit } from '../frame/commit.ts';
import { readRestoration } from '../frame/facts.ts';
import type { Ports } from '../ports/ports.ts';
import type { CommitError, StoreUnavailable } from '../ports/store.ts';
import { type Fault, unavailable } from '../problems/problem.ts';
import { clockErrorMs, minSpanMs, type SweptBooks } from '../upkeep/swept-books.ts';
import { err, ok, resultOf, type Steps } from '../values/result.ts';
import { booksOf } from './carry.ts';

// A database that was restored from a backup lacks the captures since, so nothing is opened or taken before upkeep
// has read the payments of every account (D210). What the backup says of an earlier reading counts for nothing.

/** How the last reading of the books for this number, or a later one, has ended. */
function endFor({ lists }: SweptBooks, number: number) {
  const { restored } = lists ?? {};
  return restored !== undefined && restored.restoration >= number ? restored.end : undefined;
}

/** More books than that are read in several rounds. Those that were tried longest ago are listed first. */
const maxBooks = 1000;

function listBooks({ store }: Ports) {
  return store.sweeps.listStale(Number.MAX_SAFE_INTEGER, maxBooks);
}

/** Books to read, for the process that has begun last. */
export interface BooksToRestore extends SweptBooks {
  readonly latest: number;
}

/** The books whose payments have to be read first; none without a restoration. */
export async function* booksToRestore(
  ports: Ports,
): Steps<readonly BooksToRestore[], StoreUnavailable> {
  const { restoration } = ports;
  if (restoration === undefined) return [];
  const { number } = yield* await readRestoration(ports);
  const latest = Math.max(restoration.number, number);
  const now = ports.clock.now();
  const isDue = (swept: SweptBooks) => {
    const end = endFor(swept, latest);
    const isTried = end === 'refused' && Math.abs(now - swept.triedAt) < minSpanMs;
    return end !== 'read' && !isTried;
  };
  const all = yield* await listBooks(ports);
  return all.filter(isDue).map((swept) => ({ ...swept, latest }));
}

/**
 * Refuses to take money while captures since the backup are not recorded yet. They may be in any account, because a
 * visit moves, and a business changes its account. Only this account has to be readable.
 */
export async function* requireRestored(
  ports: Ports,
  account: string,
): Steps<void, Fault<'serviceUnavailable'> | CommitError> {
  const { restoration } = ports;
  const books = booksOf(ports, account);
  if (restoration === undefined || restoration.read.has(books)) return;
  const { number } = restoration;
  const swept = yield* await ports.store.sweeps.get(books);
  if (swept === undefined) {
    // The backup may be older than the account's first payment.
    const unread = { books, sweptBefore: clockErrorMs, triedAt: 0 };
    yield* await commit(ports, [{ kind: 'putSweep', swept: unread }]);
  }
  const isRead = swept !== undefined && endFor(swept, number) === 'read';
  if (isRead && (restoration.read.size > 0 || (yield* areOthersRead(ports, number)))) {
    restoration.read.add(books);
    return;
  }
  // The backup may lack the key too, so an earlier request under it may have been applied (D22).
  const detail =
    'The database was restored, and the payments since its backup are not recorded yet.';
  return yield* err(unavailable(detail, 'unknown'));
}

/** The same outside of steps, at no cost where nothing was restored. */
export function checkRestored(ports: Ports, account: string) {
  // Stryker disable next-line ConditionalExpression: the steps ask the same.
  return ports.restoration === undefined ? ok() : resultOf(requireRestored(ports, account));
}

async function* areOthersRead(ports: Ports, number: number): Steps<boolean, StoreUnavailable> {
  const all = yield* await listBooks(ports);
  return all.every((swept) => endFor(swept, number) !== undefined);
}
