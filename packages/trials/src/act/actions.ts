import type { Answer } from '../check/evidence.ts';
import type { Action, Does } from '../plan/plan.ts';
import { exchange, gaveUp, insist, type Manner, taps } from './exchange.ts';
import { type Run, toAnswer } from './run.ts';
import { enter, prepare, readSetup } from './setup-actions.ts';
import { appointmentId, putAppointment, senderOf } from './shop.ts';
import { listTerminals, register, release, useTerminal } from './terminal-actions.ts';
import { deliver, note, notify, reconcile } from './upkeep.ts';

/** Names a payment as its barber does: both barbers use the same keys. */
export function nameOf(appointment: number, key: string): string {
  return `${appointment % 2} ${key}`;
}

/** Does what an action says, to the end. */
export async function act(run: Run, action: Action): Promise<void> {
  switch (action.does) {
    case 'create':
      return taps(action, () => insist(run, action, () => create(run, action)));
    case 'capture':
      return taps(action, () => insist(run, action, () => capture(run, action)));
    case 'present':
      return present(run, action);
    case 'cancel':
      return insist(run, action, () => cancel(run, action));
    case 'read':
      return read(run, action);
    case 'raise':
      return raise(run, action);
    case 'notify':
      return notify(run, action.id, action.disorder);
    case 'deliver':
      await deliver(run, action.id, action.refuses);
      return;
    case 'reconcile':
      await reconcile(run, action.id);
      return;
    case 'meddle':
      return meddle(run, action);
    case 'prepare':
      return taps(action, () => insist(run, action, () => prepare(run, action)));
    case 'enter':
      return enter(run, action);
    case 'readSetup':
      return insist(run, action, () => readSetup(run, action));
    case 'register':
      return insist(run, action, () => register(run, action));
    case 'listTerminals':
      return insist(run, action, () => listTerminals(run, action));
    case 'useTerminal':
      return insist(run, action, () => useTerminal(run, action));
    case 'release':
      return insist(run, action, () => release(run, action));
  }
}

type Keyed = Does<'create'> | Does<'capture'>;

function whatOf(run: Run, action: Keyed, asked: string, { isLast = false }: Manner) {
  const { as = 'self', id, key, does, appointment } = action;
  const auth = senderOf(appointment, as, run.scheduler.turns());
  const what = { action: id, operation: does, as, subject: auth.subject, key, asked, isLast };
  return { auth, what };
}

export async function create(
  run: Run,
  action: Does<'create'>,
  manner: Manner = {},
): Promise<Answer | undefined> {
  const { appointment, amount, key, as = 'self' } = action;
  const body = amount === undefined ? {} : { amount };
  const { auth, what } = whatOf(run, action, `${appointment} ${amount ?? 'all'}`, manner);
  const service = run.serve(action.id, manner.isLimited);
  const input = { appointmentId: appointmentId(appointment), idempotencyKey: key, body };
  const answer = await exchange(run, service, what, () =>
    toAnswer(
      service.chairside.createContactlessPayment(auth, input).map((payment) => {
        if (as === 'self') run.opened.set(nameOf(appointment, key), payment);
        return payment;
      }),
      201,
    ),
  );
  return answer;
}

export async function capture(
  run: Run,
  action: Does<'capture'>,
  manner: Manner = {},
): Promise<Answer | undefined> {
  const { appointment, payment, key, reference = payment } = action;
  const opened = run.opened.get(nameOf(appointment, payment));
  const presented = run.references.get(nameOf(appointment, reference));
  if (opened === undefined || presented === undefined) return gaveUp;
  const { auth, what } = whatOf(run, action, `${opened.id} ${presented}`, manner);
  const service = run.serve(action.id, manner.isLimited);
  const input = {
    contactlessPaymentId: opened.id,
    idempotencyKey: key,
    body: { externalPaymentReference: { id: presented, paymentProcessor: 'processor_a' as const } },
  };
  return exchange(run, service, { ...what, payment: opened.id }, () =>
    toAnswer(service.chairside.captureContactlessPayment(auth, input), 200),
  );
}

async function present(run: Run, { appointment, payment, card }: Does<'present'>): Promise<void> {
  const name = nameOf(appointment, payment);
  const opened = run.opened.get(name);
  if (opened === undefined) return;
  const presented = run.world().processor.presentCard(opened.clientSecret, card);
  if (presented.isOk()) run.references.set(name, presented.value.externalPaymentReference.id);
}

async function cancel(
  run: Run,
  { id, appointment, payment }: Does<'cancel'>,
): Promise<Answer | undefined> {
  const opened = run.opened.get(nameOf(appointment, payment));
  if (opened === undefined) return gaveUp;
  const service = run.serve(id);
  const auth = { subject: 'user-owner', businessIds: ['shop'] };
  const what = {
    action: id,
    operation: 'cancel',
    as: 'self',
    subject: auth.subject,
    asked: opened.id,
    payment: opened.id,
  } as const;
  const input = { contactlessPaymentId: opened.id };
  return exchange(run, service, what, () =>
    toAnswer(service.chairside.cancelContactlessPayment(auth, input), 200),
  );
}

async function read(run: Run, { id, appointment, payment }: Does<'read'>): Promise<void> {
  const opened = run.opened.get(nameOf(appointment, payment));
  const service = run.serve(id);
  const auth = senderOf(appointment, 'self', id);
  const what = { action: id, operation: 'read', as: 'self', subject: auth.subject } as const;
  const at = { appointmentId: appointmentId(appointment) };
  const asked = `list ${appointment}`;
  await exchange(run, service, { ...what, asked }, () =>
    toAnswer(service.chairside.listContactlessPayments(auth, at), 200),
  );
  if (opened === undefined) return;
  const timeline = await service.answer(
    service.chairside.getPaymentTimeline(auth, { contactlessPaymentId: opened.id }),
  );
  if (timeline?.isOk()) run.evidence.texts.add(JSON.stringify(timeline.value));
}

const raiseMinor = 1500n;

async function raise(run: Run, { id, appointment }: Does<'raise'>): Promise<void> {
  const dues = run.evidence.dues.get(appointmentId(appointment));
  const due = dues?.at(-1);
  if (dues === undefined || due === undefined) return;
  const minor = due.minor + raiseMinor;
  // From when it is sent: whoever reads it first may be before the answer.
  dues.push({ at: run.scheduler.clock.now(), minor });
  const { chairside, answer } = run.serve(id);
  const put = await answer(putAppointment(chairside.records, appointment, minor));
  if (put?.isErr()) note(run, put.error);
}

async function meddle(run: Run, { id, ...action }: Does<'meddle'>): Promise<void> {
  const { appointment, payment, how } = action;
  const opened = run.opened.get(nameOf(appointment, payment));
  const { processor } = run.world();
  const entry = processor.entries().find(({ paymentId }) => paymentId === opened?.id);
  if (entry === undefined) return;
  const amountMinor = BigInt(entry.amount.replace('.', ''));
  const handle = { ...entry, reference: entry.id, begunAt: entry.createdAt };
  const request = { ...handle, amountMinor, currency: 'eur', idempotencyKey: `someone-${id}` };
  switch (how) {
    case 'capture':
    case 'cancel': {
      run.evidence.meddled.add(entry.paymentId);
      const done = await (how === 'capture'
        ? processor.capturePayment(request)
        : processor.cancelPayment(request));
      if (done.isErr()) run.evidence.texts.add(JSON.stringify(done.error));
      return;
    }
    case 'refund':
    case 'dispute': {
      const done = processor[how](entry.id, amountMinor);
      if (done.isErr()) run.evidence.texts.add(JSON.stringify(done.error));
    }
  }
}
