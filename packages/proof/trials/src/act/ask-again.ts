import { hourMs } from '@chairside/core';
import { keyRetentionMs } from '@chairside/core/ports';
import type { Action, Plan } from '../plan/plan.ts';
import { type Asking, isAsking, requestOf } from './requests.ts';
import type { Run } from './run.ts';
import { begin, type Sent, send } from './send.ts';

/** An action whose request has a key, so that it may be repeated. */
type Keyed = Asking & Sent & { readonly key: string };

function isKeyed(action: Action): action is Keyed {
  return isAsking(action) && 'key' in action && action.key !== undefined;
}

/** Each request once: repetitions of it are identical. */
function requestsOf({ actions }: Plan): readonly Keyed[] {
  const requests = new Map<string, Keyed>();
  for (const action of actions) {
    if (!isKeyed(action)) continue;
    const { id: _id, at: _at, taps: _taps, ...request } = action;
    const text = JSON.stringify(request);
    if (!requests.has(text)) requests.set(text, action);
  }
  return [...requests.values()];
}

/** The waits of a patient client, together longer than a lease. */
const waitsMs = [1, 2, 4, 8, 16, 32, 64].map((seconds) => seconds * 1000);

/** Clients repeat their requests until a response forbids it. */
export async function askAgain(run: Run): Promise<void> {
  await Promise.all(
    requestsOf(run.plan).map((action) =>
      begin(run, `${action.does} again`, async () => {
        for (const waitMs of waitsMs) {
          const answer = await send(run, action, { isLimited: false });
          if (answer !== undefined && answer.retry !== 'retrySameRequestAfterDelay') return;
          await run.scheduler.after(waitMs, () => undefined);
        }
      }),
    ),
  );
}

/** A little less than the retention of keys after the final response (D21). */
const keptMs = keyRetentionMs - 2 * hourMs;

/** A payment, a refund, a tender, or a setup. */
interface Told {
  readonly id?: string;
  readonly paymentMethodSetupId?: string;
}

/** Refunds and disputes do not lengthen the time of the keys that made the payment. */
function isOfPayment({ what }: { readonly what: string }): boolean {
  return !/^(refund|dispute)/.test(what);
}

/** Repeated requests get the same response for as long as keys are kept. */
export async function askOnceMore(run: Run): Promise<void> {
  const { evidence, scheduler, world } = run;
  const since = scheduler.clock.now() - keptMs;
  const entries = await world().processor.entries();
  const changedAt = new Map(
    entries.map(({ paymentId, history }) => [paymentId, history.findLast(isOfPayment)?.at ?? 0]),
  );
  const kept = new Map<string, boolean>();
  for (const { answer, subject, key, at } of evidence.exchanges) {
    if (answer === undefined || answer.status >= 300 || kept.has(`${subject} ${key}`)) continue;
    const told: Told = JSON.parse(answer.text || '{}');
    const setup = evidence.setups.get(told.paymentMethodSetupId ?? '');
    const acceptedAt = evidence.refunds.get(told.id ?? '')?.acceptedAt;
    const tenderedAt = evidence.tenders.get(told.id ?? '')?.act.at;
    const lastAt =
      changedAt.get(told.id ?? '') ?? setup?.stored.createdAt ?? acceptedAt ?? tenderedAt ?? at;
    kept.set(`${subject} ${key}`, lastAt > since);
  }
  for (const action of requestsOf(run.plan)) {
    const isSound = action.as === undefined && action.broken === undefined;
    const subject = requestOf(run, action)?.auth.subject;
    if (isSound && kept.get(`${subject} ${action.key}`) === true) {
      await send(run, action, { isLimited: false, isLast: true });
    }
  }
}
