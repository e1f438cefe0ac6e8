import { createTipClient } from '@chairside/client/tips';
import { namedFetch, newRun } from './named-fetch.ts';
import { type AppointmentBooks, baseUrl } from './server.ts';
import { minor, selectedOf, type Till } from './state.ts';

/**
 * Refunds all that is left of the chosen appointment's payments, or the tips alone, as the owner of the shop.
 */
export async function giveBack(
  { state, refresh }: Till,
  what: 'all' | 'tips',
  redraw: () => void,
): Promise<void> {
  const books = selectedOf(state);
  if (books === undefined || state.refund?.isRunning === true) return;
  const show = (isRunning: boolean, words: string) => {
    state.refund = { appointmentId: books.id, isRunning, words };
    redraw();
  };
  show(true, 'Giving the money back…');
  const { fetch } = namedFetch(1, newRun());
  const client = createTipClient({ baseUrl, fetch, accessToken: () => 'demo-business' });
  let words = '';
  for (const { id, processor, tip, refunded, refundedTip } of books.payments) {
    if (minor(processor?.captured ?? '0.00') <= minor(refunded)) continue;
    if (what === 'tips' && minor(tip) <= minor(refundedTip)) continue;
    // One key for each payment and part: after a reload it finds the same refund again.
    const key = what === 'all' ? `refund-${id}` : `refund-tip-${id}`;
    const done = await client.refundPayment({
      contactlessPaymentId: id,
      idempotencyKey: key,
      body: what === 'all' ? undefined : { amount: tip, tip },
    });
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
export function refundable({ charged, refunded }: AppointmentBooks): number {
  return minor(charged) - minor(refunded);
}

/** The tips that were not given back. */
export function tipsLeft({ tips, payments }: AppointmentBooks): number {
  return payments.reduce((left, { refundedTip }) => left - minor(refundedTip), minor(tips));
}
