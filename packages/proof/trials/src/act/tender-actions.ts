import type { Answer } from '../check/request-log.ts';
import type { Does } from '../plan/action.ts';
import { exchange, gaveUp, type Manner } from './exchange.ts';
import { senderOf } from './refund-actions.ts';
import { type Run, toAnswer } from './run.ts';
import { appointmentId, nameOf } from './shop.ts';

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
