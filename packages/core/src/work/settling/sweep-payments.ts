import type { Steps } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ListedPayment } from '../../ports/processor-calls.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { orphanReview } from '../payment/reviews.ts';
import { isBeingOpened, isKnown, settleOrphan } from './settle-orphan.ts';
import type { ItemEnd, ListToSweep } from './sweep-list.ts';

/** The payments of a ledger: each one without a record here is settled (D27). */
export function paymentsToSweep(ports: Ports, now: EpochMs): ListToSweep<ListedPayment> {
  return {
    call: 'listPayments',
    pageSize: 100,
    read: (request) => ports.processor.listPayments(request),
    settle: (item) => settleUnlessKnown(ports, item, now),
  };
}

async function* settleUnlessKnown(
  ports: Ports,
  item: ListedPayment,
  now: EpochMs,
): Steps<ItemEnd, StoreUnavailable> {
  const payment = yield* await ports.store.payments.get(item.paymentId);
  if (isKnown(payment, item) || item.status === 'canceled') return 'done';
  const end = isBeingOpened(payment) ? 'later' : await settleOrphan(ports, item, now, payment);
  return end === 'canceled' || end === 'later' ? end : orphanReview(item, end);
}
