import { isOpened } from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import { resultOf, type Steps } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ListRecentRefundsRequest, ProcessorRefunds } from '../../ports/processor-refunds.ts';
import type { StoreConflict, StoreUnavailable } from '../../ports/store.ts';
import { ask, ledgerOf } from '../ask.ts';
import { cannotRead } from '../faults.ts';
import { followRefunds } from '../refunding/follow-refunds.ts';

type Span = Omit<ListRecentRefundsRequest, 'installation'>;
type Sweeping = Steps<void, Fault<'serviceUnavailable'> | StoreConflict | StoreUnavailable>;

/**
 * Records refunds that were made at the processor in a span and whose messages were lost (D44).
 * @returns whether the whole span was recorded. If not, the next sweep begins there again.
 */
export async function sweepRefunds(ports: Ports, span: Span): Promise<boolean> {
  const { refunds } = ports.processor;
  if (refunds === undefined || span.madeFrom >= span.madeBefore) return true;
  return (await resultOf(recordRecent(ports, refunds, span))).isOk();
}

async function* recordRecent(ports: Ports, refunds: ProcessorRefunds, span: Span): Sweeping {
  const { installation } = ports;
  const listed = await ask(ports, 'listRecentRefunds', () =>
    refunds.listRecent({ ...span, installation }),
  );
  const { paymentIds } = yield* listed.mapErr(cannotRead);
  for (const id of paymentIds) {
    const payment = yield* await ports.store.payments.get(id);
    if (payment === undefined || !isOpened(payment)) continue;
    // Marks can be copied, so the payment must be in this ledger.
    if (ledgerOf(ports, payment.account) !== span.ledger) continue;
    yield* followRefunds(ports, refunds, payment, 'reconcile');
  }
}
