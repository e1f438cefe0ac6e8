import type { BookEntry } from '@chairside/testkit';
import type { Answer, Exchange } from '../check/request-log.ts';
import type { Action } from '../plan/action.ts';
import { hash } from '../plan/random.ts';
import { beginExchange, type Run, type Service } from './run.ts';

/** Sends a request several times, like an impatient thumb. */
export async function taps(
  { taps = 1 }: { taps?: number },
  tap: () => Promise<void>,
): Promise<void> {
  await Promise.all(Array.from({ length: taps }, tap));
}

const firstDelayMs = 1500;

/** Repeats a request while the response asks for a retry or is lost, up to a limit. */
export async function insist(
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

/** Sends one request, and records its outcome. */
export async function exchange(
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
    begun.entry = await chargeable(run, what.payment);
  }
  // Work that continues after the response must end as well.
  await begin(run, `after ${what.asked}`, () => service.answer(service.chairside.settled()));
  return answer;
}

/** The session of a payment that a client can use. A second one, whose secret got lost, charges no card (D42). */
async function chargeable(
  { world, opened }: Run,
  payment: string | undefined,
): Promise<BookEntry | undefined> {
  const known = new Set([...opened.values()].map(({ clientSecret }) => clientSecret));
  const all = await world().processor.entries();
  const entries = all.filter((entry) => entry.paymentId === payment);
  return entries.find(({ clientSecret }) => known.has(clientSecret)) ?? entries[0];
}

/** Begins a task that must come to an end. */
export async function begin(run: Run, name: string, task: () => Promise<unknown>): Promise<void> {
  const label = `${run.scheduler.nextMoment()} ${name}`;
  run.begun.add(label);
  await task();
  run.begun.delete(label);
}

/** How a client sends a request: with faults and limits, or after healing. */
export interface Manner {
  readonly isLimited?: boolean;
  readonly isLast?: boolean;
}

/** A client without the necessary data sends no request. */
export const gaveUp: Answer = { status: 0, text: '' };
