import type { RefundsView, ReviewView } from '@chairside/core';
import type { Payment, Read } from '@chairside/core/ports';
import type { BookEntry } from '@chairside/testkit';
import type { State } from '../check/evidence.ts';
import { feesOf } from '../check/readings.ts';
import { type Run, upkeepAction } from './run.ts';
import { appointmentId, barbers, owner } from './shop.ts';

/** No run comes to as many. */
const maxReviews = 1000;

async function listReviews(run: Run, state: 'open' | 'resolved') {
  const { chairside } = run.serve(upkeepAction);
  let listed: readonly ReviewView[] = [];
  const listing = async () => {
    listed = (await chairside.listReviews({ state, limit: maxReviews })).unwrapOr([]);
  };
  await run.scheduler.runToEnd(listing());
  return listed;
}

/** Refunds as the shop sees them, of each payment that has money given back. */
async function listRefunds(
  run: Run,
  entries: readonly BookEntry[],
): Promise<ReadonlyMap<string, RefundsView>> {
  const { chairside } = run.serve(upkeepAction);
  const listed = new Map<string, RefundsView>();
  const listing = async () => {
    for (const { paymentId, refunds = [], disputes = [] } of entries) {
      if (refunds.length + disputes.length === 0) continue;
      const found = await chairside.listRefunds(owner, { contactlessPaymentId: paymentId });
      if (found.isOk()) listed.set(paymentId, found.value);
    }
  };
  await run.scheduler.runToEnd(listing());
  return listed;
}

async function all<T>(reads: readonly Read<T>[]): Promise<readonly T[]> {
  return (await Promise.all(reads)).map((read) => read._unsafeUnwrap());
}

/** The payments of all appointments. */
export async function paymentsOf(run: Run): Promise<readonly Payment[]> {
  const { store } = run.world();
  const ids = Array.from({ length: run.plan.appointments }, (_, index) => appointmentId(index));
  return (await all(ids.map((id) => store.payments.listByAppointment(id, 1000)))).flat();
}

/** The records here and at the processor, between requests. */
export async function stateOf(run: Run): Promise<State> {
  const { store, processor } = run.world();
  const ids = Array.from({ length: run.plan.appointments }, (_, index) => appointmentId(index));
  const payments = await paymentsOf(run);
  const ledgerIds = ids.flatMap((id) => [id, feesOf(id)]);
  const setups = await all([...run.evidence.setups.keys()].map((id) => store.setups.get(id)));
  const terminals = await all(barbers.map((id) => store.terminals.listByBarber(id, 1000)));
  const captured = payments.filter(({ state }) => state === 'captured');
  const refunds = await all(captured.map(({ id }) => store.refunds.listByPayment(id, 1000)));
  const disputes = await all(captured.map(({ id }) => store.disputes.listByPayment(id, 1000)));
  const tenders = await all(ids.map((id) => store.tenders.listByAppointment(id, 1000)));
  const entries = await processor.entries();
  return {
    at: run.scheduler.clock.now(),
    payments,
    ledgers: await all(ledgerIds.map((id) => store.ledgers.get(id))),
    entries,
    setups: setups.flatMap((setup) => setup ?? []),
    setupEntries: await processor.setups(),
    terminals: terminals.flat(),
    refunds: refunds.flat(),
    disputes: disputes.flat(),
    tenders: tenders.flat(),
    refundLists: await listRefunds(run, entries),
    reviews: { open: await listReviews(run, 'open'), resolved: await listReviews(run, 'resolved') },
  };
}
