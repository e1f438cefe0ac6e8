import { afterCapture, unknown } from './conclude.ts';
import type { Entry } from './journal.ts';
import { isRead, readInVain } from './presenting.ts';
import { type AnyProblem, reasonOf } from './problem.ts';
import { captured, stuck } from './taking.ts';
import { type Next, read, type Till } from './till.ts';
import { wait } from './time.ts';

/** The time after which a wait is shown, so that the barber may leave it. */
const slowMs = 5000;
/** A card that the processor still works on is approved or declined within seconds. */
const processingPauseMs = 2000;
const maxProcessingChecks = 15;
/** The maximum of checks for a card that only the reader has reported. */
const maxReadChecks = 3;

/**
 * Captures, which is both the question and the act: reading a payment cannot tell whether a card
 * was just approved.
 */
export async function capture(till: Till, entry: Entry): Promise<Next> {
  const { memory, limits, client, leave, time } = till;
  const wasRead = isRead(memory.said);
  till.show(wasRead ? 'capturing' : 'checking', entry);
  const cancelSlow = time.after(slowMs, () => till.show('checking', entry));
  // Without a card read by this start, an earlier start may have sent a capture.
  let wasLost = memory.said === undefined;
  for (let checks = 1; ; checks += 1) {
    const done = await client.captureContactlessPayment(
      {
        contactlessPaymentId: entry.paymentId ?? '',
        idempotencyKey: entry.captureKey,
        body: {
          externalPaymentReference: {
            id: entry.reference ?? '',
            paymentProcessor: 'processor_a',
          },
        },
      },
      {
        signal: leave,
        onAttempt(attempt) {
          cancelSlow();
          wasLost ||= attempt.problem.type === 'unanswered';
          till.show('checking', entry, attempt);
        },
        timeLimitMs: limits.checkMs,
        maxAttempts: Number.POSITIVE_INFINITY,
        giveBack: isNotProcessed,
      },
    );
    cancelSlow();
    if (done.isOk()) return { end: captured };
    const end = afterCapture(done.error, wasLost);
    if (end !== undefined) return { end };
    // Either no card was presented, or one is still being processed and needs no second card.
    const seen = await read(till, 'checking', entry, leave);
    if (seen.isErr()) return { end: unknown(seen.error) };
    const isProcessing = seen.value.state === 'processing';
    if (isProcessing) {
      if (checks > maxProcessingChecks) return { end: stuck('noAnswer', done.error) };
    } else if (!wasRead || checks > maxReadChecks) break;
    await wait(time, processingPauseMs, leave);
  }
  const inVain = memory.said && readInVain(till, memory.said);
  return inVain ? { end: inVain } : { entry: { ...entry, state: 'opened' } };
}

/** Waiting alone presents no card, so the flow retries the capture after this problem. */
function isNotProcessed(problem: AnyProblem): boolean {
  return problem.recovery.outcome === 'notApplied' && reasonOf(problem) === 'notProcessed';
}
