import { createClient } from '@chairside/client';
import { refundOperations } from '@chairside/client/refunds';
import type { Refunding } from '@chairside/client/screen';
import { totalOf } from '@chairside/client/screen';
import { namedFetch, newRun } from './named-fetch.ts';
import { baseUrl } from './server.ts';
import type { Till } from './state.ts';

/** Gives back what the person has confirmed, as the owner of the shop: each refund under its own key. */
export async function giveBack(till: Till, plan: readonly Refunding[]): Promise<void> {
  const { state, refresh, setBack } = till;
  const { selected: id, back } = state;
  if (id === undefined || back.is !== 'asking') return;
  const amount = totalOf(plan);
  const before = till.refunded();
  setBack(id, { is: 'running', amount });
  const { fetch } = namedFetch(1, newRun());
  const options = { baseUrl, fetch, accessToken: () => 'demo-business' };
  const client = createClient(options, refundOperations);
  const done: Refunding[] = [];
  let isUnderWay = false;
  for (const refunding of plan) {
    const {
      paymentId: contactlessPaymentId,
      amount: part,
      tip,
      appointmentId,
      key: idempotencyKey,
    } = refunding;
    const body = {
      amount: part,
      ...(tip !== undefined && { tip }),
      ...(appointmentId !== undefined && { appointmentId }),
    };
    const made = await client.refundPayment({ contactlessPaymentId, idempotencyKey, body });
    if (made.isErr()) {
      const { error: problem } = made;
      const end = { amount, endedAt: Date.now() };
      const isUnknown = problem.recovery.outcome === 'unknown';
      setBack(
        id,
        isUnknown
          ? { is: 'unknown', before, plan, ...end }
          : { is: 'refused', wentBack: totalOf(done), problem, ...end },
      );
      return refresh();
    }
    isUnderWay ||= made.value.state === 'pending';
    done.push(refunding);
  }
  setBack(id, { is: 'done', amount, isUnderWay, endedAt: Date.now() });
  return refresh();
}
