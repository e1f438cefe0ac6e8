import { commit } from '../commit.ts';
import { isOpened, type Payment } from '../domain/payment.ts';
import type { Steps } from '../domain/result.ts';
import { hourMs, minuteMs } from '../domain/time.ts';
import type { Ports } from '../ports/ports.ts';
import type { ListedPayment, ListPaymentsRequest } from '../ports/processor.ts';
import type { StoreConflict, StoreUnavailable, SweptAccount } from '../ports/store.ts';
import { ask } from './ask.ts';

/** What a sweep of the processor's payments found. */
export interface Swept {
  /** Payments at the processor that nobody here knows of, and that were canceled. */
  readonly canceled: number;
  /** References of captured ones: a person should look at them. */
  readonly needReview: readonly string[];
}

const accountsPerRun = 10;
const pageSize = 100;
/** What a run does not reach, the next one goes on with. */
const pagesPerRun = 20;
/** Younger payments may still be on their way into our records (D27). */
const minAgeMs = hourMs;
/** A sweep of less than this is not worth a call. */
const minSpanMs = 10 * minuteMs;

/**
 * Looks for payments at the processor that have no payment here: what a create left that died
 * between the two. Only those with this installation's mark are touched (D27).
 */
export async function* sweep(ports: Ports): Steps<Swept, StoreConflict | StoreUnavailable> {
  const accounts = yield* await ports.store.sweeps.listStale(accountsPerRun);
  let canceled = 0;
  const needReview: string[] = [];
  for (const account of accounts) {
    const swept = yield* sweepAccount(ports, account);
    canceled += swept.canceled;
    needReview.push(...swept.needReview);
  }
  return { canceled, needReview };
}

async function* sweepAccount(
  ports: Ports,
  { account, sweptBefore }: SweptAccount,
): Steps<Swept, StoreConflict | StoreUnavailable> {
  const openedBefore = ports.clock.now() - minAgeMs;
  const needReview: string[] = [];
  let canceled = 0;
  if (openedBefore - sweptBefore < minSpanMs) return { canceled, needReview };
  const span = { account, openedFrom: sweptBefore, openedBefore };
  let reached = sweptBefore;
  let cursor: string | undefined;
  pages: for (let page = 1; page <= pagesPerRun; page += 1) {
    const listed = await listPage(ports, span, cursor);
    if (listed.isErr()) break;
    for (const item of listed.value.items) {
      reached = item.openedAt;
      const payment = yield* await ports.store.payments.get(item.paymentId);
      if (isKnown(payment, item) || item.status === 'canceled') continue;
      const end = item.status === 'captured' ? 'refused' : await cancelOrphan(ports, item);
      // What could not be reached now is where the next run begins.
      if (end === 'notReached') break pages;
      if (end === 'canceled') canceled += 1;
      else needReview.push(item.reference ?? item.paymentId);
    }
    cursor = listed.value.cursor;
    if (cursor === undefined) {
      reached = openedBefore;
      break;
    }
  }
  yield* await commit(ports, [{ kind: 'putSweep', account, sweptBefore: reached }]);
  return { canceled, needReview };
}

function listPage(
  ports: Ports,
  span: Pick<ListPaymentsRequest, 'account' | 'openedFrom' | 'openedBefore'>,
  cursor: string | undefined,
) {
  return ask(ports, 'listPayments', () =>
    ports.processor.listPayments({
      ...span,
      installation: ports.installation,
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    }),
  );
}

/** Known: recorded here under this very reference, or on its way to be. */
function isKnown(payment: Payment | undefined, item: ListedPayment): boolean {
  if (payment === undefined) return false;
  if (!isOpened(payment)) return payment.work !== undefined;
  return payment.reference === undefined || payment.reference === item.reference;
}

async function cancelOrphan(
  ports: Ports,
  item: ListedPayment,
): Promise<'canceled' | 'refused' | 'notReached'> {
  const { account, paymentId, reference, openedAt } = item;
  const canceled = await ask(ports, 'cancelPayment', () =>
    ports.processor.cancelPayment({
      account,
      paymentId,
      installation: ports.installation,
      begunAt: openedAt,
      ...(reference !== undefined && { reference }),
      idempotencyKey: `${reference ?? paymentId}:orphan`,
    }),
  );
  if (canceled.isOk()) return 'canceled';
  return canceled.error.kind === 'rejected' ? 'refused' : 'notReached';
}
