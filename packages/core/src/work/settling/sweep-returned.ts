import { isOpened, reviewAfterMs } from '../../domain/payment.ts';
import { type ResultAsync, resultOf, type Steps } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type {
  ListedPage,
  ListedReturn,
  ListRequest,
  ProcessorError,
} from '../../ports/processor-calls.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { ledgerOf } from '../ask.ts';
import { orphanReview } from '../payment/reviews.ts';
import { followReturned } from '../refunding/follow-returned.ts';
import type { ItemEnd, ListToSweep } from './sweep-list.ts';

/**
 * The refunds or disputes of a ledger: those whose messages were lost are recorded (D44, D45).
 * @param read one of the processor's lists.
 */
export function returnsToSweep(
  ports: Ports,
  ledger: string,
  now: EpochMs,
  call: string,
  read: ListToSweep<ListedReturn>['read'],
): ListToSweep<ListedReturn> {
  // One payment may have many; its records are compared with the processor's once.
  const followed = new Set<string>();
  return {
    call,
    read,
    // Each payment costs two calls.
    pageSize: 20,
    async *settle(item) {
      if (followed.has(item.paymentId)) return 'done';
      followed.add(item.paymentId);
      return yield* recordReturns(ports, ledger, item, now);
    },
  };
}

/** The disputes that are open here, of any ledger, as a list of the processor would show them. */
export function listOpenDisputes(
  { store }: Ports,
  { limit, cursor }: ListRequest,
): ResultAsync<ListedPage<ListedReturn>, ProcessorError> {
  return store.disputes
    .list('open', limit, cursor)
    .map((items) => {
      const last = items.length === limit ? items.at(-1)?.id : undefined;
      return { items, ...(last !== undefined && { cursor: last }) };
    })
    .mapErr(() => ({ kind: 'unavailable', outcome: 'notApplied', answered: false }));
}

async function* recordReturns(
  ports: Ports,
  ledger: string,
  { paymentId, openedAt }: ListedReturn,
  now: EpochMs,
): Steps<ItemEnd, StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(paymentId);
  if (payment === undefined || !isOpened(payment)) return 'done';
  // Marks can be copied, so the payment must be in this ledger.
  if (ledgerOf(ports, payment.account) !== ledger) return 'done';
  const followed = await resultOf(followReturned(ports, payment, 'reconcile'));
  if (followed.isOk()) return 'done';
  if (now - openedAt < reviewAfterMs) return 'later';
  const { account, reference } = payment;
  return orphanReview({ account, paymentId, openedAt, reference }, 'unreadableAtProcessor');
}
