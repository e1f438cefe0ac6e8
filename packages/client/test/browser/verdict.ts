import * as v from 'valibot';
import type { Played } from './page.ts';

const due = 45;
const paymentsSchema = v.object({
  items: v.array(
    v.object({
      id: v.string(),
      state: v.string(),
      externalPaymentReference: v.optional(v.object({ id: v.string() })),
    }),
  ),
});
const entrySchema = v.object({ status: v.string(), amountCaptured: v.string() });

/** Compares the shop's books, the processor's books and the screens. */
export async function verdictOf(url: string, played: Played): Promise<string[]> {
  const { plan, appointmentId, happenings, last, notes } = played;
  const headers = { authorization: 'Bearer demo-barber' };
  const listed = await fetch(`${url}/appointments/${appointmentId}/contactlessPayments`, {
    headers,
  });
  const { items } = v.parse(paymentsSchema, await listed.json());
  let charged = 0;
  const captured: string[] = [];
  for (const { id, externalPaymentReference: reference } of items) {
    if (reference === undefined) continue;
    const response = await fetch(`${url}/demo/processor/${reference.id}`);
    const { status, amountCaptured } = v.parse(entrySchema, await response.json());
    if (status !== 'captured') continue;
    captured.push(id);
    charged += Number(amountCaptured);
  }
  const books = items.filter(({ state }) => state === 'captured').map(({ id }) => id);
  const faults: string[] = [];
  if (charged > due) faults.push(`double charge: ${charged}`);
  if (charged < due) faults.push(`lost: ${charged}, ended as ${last?.step}`);
  if (books.join() !== captured.join()) faults.push('the books differ from what was captured');
  if (notes.length > 0) faults.push(`a note is left: ${notes.join()}`);
  const lastTap = happenings.findLastIndex((what) => 'tap' in what);
  for (const [at, what] of happenings.entries()) {
    if (!('claim' in what)) continue;
    // "No" is a statement about the appointment, and not about one payment.
    const isUntrue =
      what.claim === 'yes'
        ? !captured.includes(what.paymentId ?? '')
        : captured.length > 0 && at > lastTap;
    if (isUntrue) faults.push(`untrue: the screen said ${what.step}, charged ${what.claim}`);
  }
  return faults.map((fault) => `${JSON.stringify(plan)}: ${fault}`);
}
