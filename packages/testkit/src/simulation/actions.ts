import { hourMs } from '@chairside/core';
import type { Answer, Exchange } from './evidence.ts';
import type { Action } from './plan.ts';
import { faultOfProblem } from './problems.ts';
import { createRandom, hash } from './random.ts';
import {
  appointmentId,
  beginExchange,
  putAppointment,
  type Run,
  type Service,
  senderOf,
  toAnswer,
} from './run.ts';

type Does<D extends Action['does']> = Extract<Action, { does: D }>;

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
  }
}

/** An impatient thumb. */
async function taps({ taps = 1 }: { taps?: number }, tap: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: taps }, tap));
}

const firstDelayMs = 1500;

/** Sends the same request again as long as the answer says so, or none comes; not for ever. */
async function insist(
  run: Run,
  { id }: Action,
  send: () => Promise<Answer | undefined> | undefined,
): Promise<void> {
  const tries = 1 + (hash(run.plan.seed, id) % 3);
  for (let n = 0; n < tries; n += 1) {
    const answer = await send();
    if (answer !== undefined && answer.retry !== 'retrySameRequestAfterDelay') return;
    await run.scheduler.after(firstDelayMs * 2 ** n, () => undefined);
  }
}

type Keyed = Does<'create'> | Does<'capture'>;

/** Sends one request, and notes what came of it. */
async function exchange(
  run: Run,
  service: Service,
  what: Omit<Exchange, 'from' | 'at'>,
  send: () => Promise<Answer>,
): Promise<Answer | undefined> {
  const begun = beginExchange(run, what);
  const answer = await service.answer(send());
  begun.to = run.scheduler.nextMoment();
  if (answer === undefined) return undefined;
  begun.answer = answer;
  if (answer.type === 'contactlessPaymentCanceled') {
    begun.entry = run
      .world()
      .processor.entries()
      .find((entry) => entry.paymentId === what.payment);
  }
  // What goes on after the answer must come to an end as well.
  await begin(run, `after ${what.asked}`, () => service.answer(service.chairside.settled()));
  return answer;
}

/** Does something that must come to an end. */
export async function begin(run: Run, name: string, task: () => Promise<unknown>): Promise<void> {
  const label = `${run.scheduler.nextMoment()} ${name}`;
  run.begun.add(label);
  await task();
  run.begun.delete(label);
}

/** How a client sends it: with faults and limits, or once all is well again. */
export interface Manner {
  readonly isLimited?: boolean;
  readonly isLast?: boolean;
}

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

/** A client without what it needs does not ask. */
const gaveUp: Answer = { status: 0, text: '' };

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

/** @param disorder 0: everything, once and in order. */
export async function notify(run: Run, action: number, disorder = 0): Promise<void> {
  const { processor } = run.world();
  const random = createRandom(hash(run.plan.seed, action, disorder));
  const taken = processor.takeEvents();
  if (taken.isOk()) run.mail.push(...taken.value.map(({ payload }) => payload));
  const sent = run.mail.splice(0);
  if (disorder > 0) {
    for (let i = sent.length; i > 1; i -= 1) {
      const [one] = sent.splice(random.below(i), 1);
      if (one !== undefined) sent.push(one);
    }
    // Some come later, and some of those sent now come again.
    run.mail.push(...sent.splice(0, random.below(sent.length + 1) >> 1));
    run.mail.push(...sent.filter(() => random.chance(0.25)));
  }
  await Promise.all(
    sent.map(async (payload) => {
      const { chairside, answer } = run.serve(action);
      const received = await answer(chairside.receiveProcessorEvent(processor.signEvent(payload)));
      if (received?.isErr()) note(run, received.error);
      if (received === undefined || received.isErr()) run.mail.push(payload);
    }),
  );
}

/** @param refuses the handler refuses one event in so many. */
export async function deliver(run: Run, action: number, refuses = 0): Promise<boolean> {
  const { chairside, answer } = run.serve(action);
  let taken = 0;
  const delivered = await answer(
    chairside.events.deliver(async (event) => {
      taken += 1;
      const drawn = hash(run.plan.seed, action, taken);
      if (refuses > 0 && drawn % refuses === 0) throw new Error('the host is busy');
      run.evidence.delivered.push(event);
      // Some hosts take longer over an event than anybody waits.
      if (refuses > 0 && drawn % 16 === 0) {
        await run.scheduler.after(hourMs / 30, () => undefined);
      }
    }),
  );
  if (delivered?.isErr()) note(run, delivered.error);
  return delivered?.isOk() === true && delivered.value.more;
}

export async function reconcile(run: Run, action: number): Promise<boolean> {
  const { chairside, answer } = run.serve(action);
  const report = await answer(chairside.reconcile());
  if (report === undefined) return false;
  if (report.isErr()) {
    note(run, report.error);
    return false;
  }
  run.evidence.reports.push(report.value);
  return report.value.more;
}

/** Upkeep that fails has failed validly, and comes again. */
function note({ evidence }: Run, problem: Parameters<typeof faultOfProblem>[0]): void {
  evidence.texts.add(JSON.stringify(problem));
  const fault = faultOfProblem(problem);
  if (fault !== undefined) evidence.faults.push({ rule: 'problems', what: fault });
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
