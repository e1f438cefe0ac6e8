import type { Answer } from '../check/request-log.ts';
import type { Does } from '../plan/action.ts';
import { exchange, gaveUp, type Manner } from './exchange.ts';
import { isLeftOut, send } from './http.ts';
import { anotherInstallation, type Run, toAnswer } from './run.ts';
import { appointmentId, barberAuth, firstFacts, nameOf, owner, senderOf } from './shop.ts';

type Keyed = Does<'create'> | Does<'capture'>;

/** The sender of an action, as logged in at this moment, and the notes for the evidence. */
function whatOf(
  run: Run,
  { as = 'self', id, does, appointment }: Keyed | Does<'read'> | Does<'receipt'>,
) {
  const { barber: current } = run.appointments.get(appointment) ?? firstFacts(appointment);
  const barber = senderOf(appointment, as, current);
  const hasRole = as !== 'roleless' && !run.roleless.has(barber);
  const auth = barberAuth(barber, hasRole, run.scheduler.turns());
  const { subject, barberId } = auth;
  const isLetIn = as !== 'expired' && as !== 'anonymous' && as !== 'unsure';
  const about = { appointment: appointmentId(appointment) };
  const sender = {
    action: id,
    as,
    subject,
    ...(isLetIn && barberId !== undefined && { barberId }),
  };
  return { auth, barber, what: { ...sender, ...about, operation: does } };
}

export async function create(
  run: Run,
  action: Does<'create'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { appointment, amount, tip, key, as = 'self' } = action;
  const body = { ...(amount !== undefined && { amount }), ...(tip !== undefined && { tip }) };
  const { auth, barber, what } = whatOf(run, action);
  const asked = `${appointment} ${amount ?? 'all'}${tip === undefined ? '' : ` tip ${tip}`}`;
  const service = run.serve(action.id, isLimited);
  if (isLeftOut(service, action)) return gaveUp;
  const id = appointmentId(appointment);
  const sent = { ...what, key, asked, isLast };
  const path = `/appointments/${id}/contactlessPayments`;
  const request = { method: 'POST', path, person: `barber.${barber}`, body } as const;
  const input = { appointmentId: id, idempotencyKey: key, body };
  return exchange(run, service, sent, async () => {
    const answer = await send(run, service, action, request, () =>
      toAnswer(service.chairside.createContactlessPayment(auth, input), 201),
    );
    if (answer.status === 201 && (as === 'self' || as === 'current')) {
      const opened: { id: string; clientSecret: string } = JSON.parse(answer.text);
      run.opened.set(nameOf(appointment, key), opened);
    }
    return answer;
  });
}

/** Another installation's process is refused before it writes anything (D210). */
export async function intrude(run: Run, { id, appointment }: Does<'intrude'>): Promise<void> {
  const { chairside, answer } = run.serve(id, false, anotherInstallation);
  const auth = barberAuth(firstFacts(appointment).barber, true, 0);
  const input = { appointmentId: appointmentId(appointment), idempotencyKey: `intruder-${id}` };
  const answered = await answer(chairside.createContactlessPayment(auth, input));
  if (!answered?.isOk()) return;
  const what = `another installation opened ${answered.value.id}`;
  run.evidence.faults.push({ rule: 'charged', what });
}

export async function capture(
  run: Run,
  action: Does<'capture'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { appointment, payment, key, reference = payment } = action;
  const opened = run.opened.get(nameOf(appointment, payment));
  const presented = run.references.get(nameOf(appointment, reference));
  if (opened === undefined || presented === undefined) return gaveUp;
  const { auth, barber, what } = whatOf(run, action);
  const asked = `${opened.id} ${presented}`;
  const service = run.serve(action.id, isLimited);
  if (isLeftOut(service, action)) return gaveUp;
  const body = {
    externalPaymentReference: { id: presented, paymentProcessor: 'processor_a' as const },
  };
  const path = `/contactlessPayments/${opened.id}/captured`;
  const request = { method: 'POST', path, person: `barber.${barber}`, body } as const;
  const input = { contactlessPaymentId: opened.id, idempotencyKey: key, body };
  return exchange(run, service, { ...what, key, asked, isLast, payment: opened.id }, () =>
    send(run, service, action, request, () =>
      toAnswer(service.chairside.captureContactlessPayment(auth, input), 200),
    ),
  );
}

export async function present(
  run: Run,
  { appointment, payment, card }: Does<'present'>,
): Promise<void> {
  const name = nameOf(appointment, payment);
  const opened = run.opened.get(name);
  if (opened === undefined) return;
  const presented = await run.world().processor.presentCard(opened.clientSecret, card);
  if (presented.isOk()) run.references.set(name, presented.value.externalPaymentReference.id);
}

export async function cancel(
  run: Run,
  { id, appointment, payment }: Does<'cancel'>,
): Promise<Answer | undefined> {
  const opened = run.opened.get(nameOf(appointment, payment));
  if (opened === undefined) return gaveUp;
  const service = run.serve(id);
  const what = {
    action: id,
    operation: 'cancel',
    as: 'self',
    subject: owner.subject,
    asked: opened.id,
    payment: opened.id,
  } as const;
  const input = { contactlessPaymentId: opened.id };
  return exchange(run, service, what, () =>
    toAnswer(service.chairside.cancelContactlessPayment(owner, input), 200),
  );
}

export async function read(run: Run, action: Does<'read'>): Promise<void> {
  const { id, appointment, payment } = action;
  const opened = run.opened.get(nameOf(appointment, payment));
  const service = run.serve(id);
  if (isLeftOut(service, action)) return;
  const { auth, barber, what } = whatOf(run, action);
  const at = { appointmentId: appointmentId(appointment) };
  const get = (path: string) => ({ method: 'GET', path, person: `barber.${barber}` }) as const;
  const listRequest = get(`/appointments/${at.appointmentId}/contactlessPayments`);
  await exchange(run, service, { ...what, asked: `list ${appointment}` }, () =>
    send(run, service, action, listRequest, () =>
      toAnswer(service.chairside.listContactlessPayments(auth, at), 200),
    ),
  );
  if (opened === undefined) return;
  const one = { contactlessPaymentId: opened.id };
  if (run.plan.isWide === true) {
    const { id: payment } = opened;
    const asked = { ...what, operation: 'get', asked: `get ${payment}`, payment } as const;
    await exchange(run, service, asked, () =>
      send(run, service, action, get(`/contactlessPayments/${payment}`), () =>
        toAnswer(service.chairside.getContactlessPayment(auth, one), 200),
      ),
    );
  }
  const timeline = await service.answer(service.chairside.getPaymentTimeline(auth, one));
  if (timeline?.isOk()) run.evidence.texts.add(JSON.stringify(timeline.value));
}

export async function receipt(run: Run, action: Does<'receipt'>): Promise<Answer | undefined> {
  const opened = run.opened.get(nameOf(action.appointment, action.payment));
  if (opened === undefined) return gaveUp;
  const { auth, what } = whatOf(run, action);
  const service = run.serve(action.id);
  const input = { contactlessPaymentId: opened.id };
  const asked = `receipt ${opened.id}`;
  return exchange(run, service, { ...what, asked, payment: opened.id }, () =>
    toAnswer(service.chairside.getReceipt(auth, input), 200),
  );
}
