import { createRefundClient } from '@chairside/client/refunds';
import { namedFetch, newRun } from './named-fetch.ts';
import { baseUrl } from './server.ts';
import { minor, selectedOf, type Till } from './state.ts';

/** Refunds all that is left of the chosen appointment's payments, as the owner of the shop. */
export async function refundAll({ state, refresh }: Till, redraw: () => void): Promise<void> {
  const books = selectedOf(state);
  if (books === undefined || state.refund?.isRunning === true) return;
  const show = (isRunning: boolean, words: string) => {
    state.refund = { appointmentId: books.id, isRunning, words };
    redraw();
  };
  show(true, 'Giving the money back…');
  const { fetch } = namedFetch(1, newRun());
  const client = createRefundClient({ baseUrl, fetch, accessToken: () => 'demo-business' });
  let words = '';
  for (const { id, processor, refunded } of books.payments) {
    if (minor(processor?.captured ?? '0.00') <= minor(refunded)) continue;
    // One key for each payment: after a reload it finds the same refund again.
    const asked = { contactlessPaymentId: id, idempotencyKey: `refund-${id}` };
    const done = await client.refundPayment(asked);
    if (done.isOk()) continue;
    const { title, recovery } = done.error;
    words =
      recovery.outcome === 'unknown'
        ? 'It is not known whether the money went back. Refund it again.'
        : `No money went back. ${title}.`;
  }
  await refresh();
  show(false, words);
}

/** What a refund of the chosen appointment gives back, in the smallest unit. */
export function refundable({ captured, refunded }: { captured: string; refunded: string }): number {
  return minor(captured) - minor(refunded);
}
