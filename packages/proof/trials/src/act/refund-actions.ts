import type { AuthContext } from '@chairside/core';
import type { Answer } from '../check/request-log.ts';
import type { Does, Sender } from '../plan/action.ts';
import { exchange, gaveUp, type Manner } from './exchange.ts';
import { isLeftOut, send } from './http.ts';
import { type Run, toAnswer } from './run.ts';
import { appointmentId, nameOf, officeOf, owner } from './shop.ts';

/** The sender of a refund, with the notes for the evidence. */
function senderOf({ as = 'self', id }: { readonly as?: Sender; readonly id: number }) {
  const auth: AuthContext =
    as === 'other' ? officeOf('elsewhere') : as === 'roleless' ? { subject: owner.subject } : owner;
  const what = { action: id, as, subject: auth.subject };
  return { auth, what, person: as === 'other' ? 'elsewhere' : 'owner' };
}

export async function refund(
  run: Run,
  action: Does<'refund'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { appointment, payment, key, amount, tip, id } = action;
  const opened = run.opened.get(nameOf(appointment, payment));
  if (opened === undefined) return gaveUp;
  const { auth, what, person } = senderOf(action);
  const service = run.serve(id, isLimited);
  if (isLeftOut(service, action)) return gaveUp;
  const body = { ...(amount !== undefined && { amount }), ...(tip !== undefined && { tip }) };
  // The amount is last.
  const ofTip = tip === undefined ? '' : `tip ${tip} `;
  const asked = `refund ${opened.id} ${ofTip}${amount ?? 'rest'}`;
  const sent = { ...what, operation: 'refund', key, asked, isLast, payment: opened.id } as const;
  const path = `/contactlessPayments/${opened.id}/refunds`;
  const request = { method: 'POST', path, person, body } as const;
  const input = { contactlessPaymentId: opened.id, idempotencyKey: key, body };
  return exchange(run, service, sent, () =>
    send(run, service, action, request, () =>
      toAnswer(service.chairside.refundPayment(auth, input), 201),
    ),
  );
}

/** Gives back what the visit's payments took beyond the amount due (D49). */
export async function excess(
  run: Run,
  action: Does<'excess'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { appointment, key, id } = action;
  const { auth, what } = senderOf(action);
  const service = run.serve(id, isLimited);
  const visit = appointmentId(appointment);
  const about = { ...what, key, appointment: visit, isLast } as const;
  const sent = { ...about, operation: 'excess', asked: `excess of ${visit}` } as const;
  const input = { appointmentId: visit, idempotencyKey: key };
  return exchange(run, service, sent, () =>
    toAnswer(service.chairside.refundExcess(auth, input), 201),
  );
}

/** Reads the list, and then each refund that it shows. */
export async function readRefunds(run: Run, action: Does<'readRefunds'>): Promise<void> {
  const { appointment, payment, id } = action;
  const opened = run.opened.get(nameOf(appointment, payment));
  const service = run.serve(id);
  if (opened === undefined || isLeftOut(service, action)) return;
  const { auth, what, person } = senderOf(action);
  const about = { ...what, payment: opened.id };
  const path = `/contactlessPayments/${opened.id}/refunds`;
  const one = { contactlessPaymentId: opened.id };
  const list = { ...about, operation: 'listRefunds', asked: `refunds of ${opened.id}` } as const;
  const listed = await exchange(run, service, list, () =>
    send(run, service, action, { method: 'GET', path, person }, () =>
      toAnswer(service.chairside.listRefunds(auth, one), 200),
    ),
  );
  if (listed?.status !== 200) return;
  const { items }: { items: readonly { id: string }[] } = JSON.parse(listed.text);
  for (const { id: refundId } of items) {
    const get = { ...about, operation: 'getRefund', asked: refundId } as const;
    const request = { method: 'GET', path: `${path}/${refundId}`, person } as const;
    await exchange(run, service, get, () =>
      send(run, service, action, request, () =>
        toAnswer(service.chairside.getRefund(auth, { ...one, refundId }), 200),
      ),
    );
  }
}

/** The shop records what was paid without a card (D202). It is returned and voided by the name of its key. */
export async function tender(
  run: Run,
  action: Does<'tender'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { id, appointment, key, amount } = action;
  const { auth, what } = senderOf(action);
  const service = run.serve(id, isLimited);
  const visit = appointmentId(appointment);
  const asked = `tender of ${visit} ${amount}`;
  const sent = {
    ...what,
    operation: 'recordTender',
    appointment: visit,
    key,
    asked,
    isLast,
  } as const;
  const body = { kind: 'cash', amount, note: key } as const;
  const input = { appointmentId: visit, idempotencyKey: key, body };
  return exchange(run, service, sent, () =>
    toAnswer(
      service.chairside.recordTender(auth, input).map((made) => {
        run.opened.set(nameOf(appointment, key), { id: made.id, clientSecret: '' });
        return made;
      }),
      201,
    ),
  );
}

/** Gives back a tender, or cash for a card payment. */
export async function giveBack(
  run: Run,
  action: Does<'giveBack'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { id, appointment, payment, key, amount } = action;
  const taken = run.opened.get(nameOf(appointment, payment));
  if (taken === undefined) return gaveUp;
  const { auth, what } = senderOf(action);
  const service = run.serve(id, isLimited);
  const asked = `return ${taken.id} ${amount ?? 'rest'}`;
  const sent = {
    ...what,
    operation: 'returnTender',
    key,
    asked,
    isLast,
    payment: taken.id,
  } as const;
  const body = amount === undefined ? {} : { amount };
  const input = { tenderId: taken.id, idempotencyKey: key, body };
  return exchange(run, service, sent, () =>
    toAnswer(service.chairside.returnTender(auth, input), 201),
  );
}

export async function voidTender(
  run: Run,
  action: Does<'voidTender'>,
): Promise<Answer | undefined> {
  const { id, appointment, payment } = action;
  const taken = run.opened.get(nameOf(appointment, payment));
  if (taken === undefined) return gaveUp;
  const { auth, what } = senderOf(action);
  const service = run.serve(id);
  const about = { payment: taken.id, asked: `void ${taken.id}` };
  return exchange(run, service, { ...what, ...about, operation: 'voidTender' }, () =>
    toAnswer(service.chairside.voidTender(auth, { tenderId: taken.id }), 200),
  );
}
