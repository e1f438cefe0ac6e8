import { afterCapture, afterReading, unknown } from './conclude.ts';
import type { Entry } from './journal.ts';
import { isRead, readInVain, withReport } from './presenting.ts';
import { reasonOf } from './problem.ts';
import { canceled, captured, type End, stuck } from './taking.ts';
import { type Next, read, type Till } from './till.ts';
import { wait } from './time.ts';

/** The time after which a wait is shown, so that the barber may leave it. */
const slowMs = 5000;
/** A card that the processor still works on is approved or declined within seconds. */
const processingPauseMs = 2000;
const maxProcessingChecks = 15;
/** The maximum of further checks while an approval may still arrive at the processor. */
const maxReadChecks = 3;
const readPauseMs = 1000;

/**
 * Captures, which is both the question and the act: reading a payment cannot tell whether a card
 * was just approved.
 */
export async function capture(till: Till, entry: Entry): Promise<Next> {
  const { memory, limits, client, leave, stop, time } = till;
  const { report } = memory;
  const noted = withReport(till, entry);
  // The report came after the note was written.
  if (noted.stuck !== entry.stuck) return { entry: noted };
  const wasRead = isRead(report);
  const step = wasRead ? 'capturing' : report && stop.aborted ? 'stopping' : 'checking';
  till.show(step, entry);
  const cancelSlow = time.after(slowMs, () => till.show('checking', entry));
  // Without a card read by this start, an earlier start may have sent a capture.
  let wasLost = report === undefined || entry.stuck !== undefined;
  let wasRefreshed = false;
  const maxChecks = report?.hadNoCard ? 0 : maxReadChecks;
  let declined: End | undefined;
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
          const { outcome, sessionAction } = attempt.problem.recovery;
          wasRefreshed ||= sessionAction === 'refresh';
          wasLost ||= outcome === 'unknown' && sessionAction !== 'refresh';
          till.show('checking', entry, attempt);
        },
        timeLimitMs: limits.checkMs,
        maxAttempts: Number.POSITIVE_INFINITY,
        // Waiting alone presents no card, so the flow retries the capture after this problem.
        giveBack: (problem) =>
          problem.recovery.outcome === 'notApplied' && reasonOf(problem) === 'notProcessed',
      },
    );
    cancelSlow();
    if (done.isOk()) return { end: captured };
    // A new token should be the same person's. If not, this refusal is about the other one.
    const isOfOther = wasRefreshed && /^(forbidden|notFound)$/.test(done.error.type);
    const told = afterCapture(done.error, wasLost || isOfOther);
    // The processor shows the decline of an earlier card until another one is approved.
    const mayBeOld = entry.wasDeclined || till.isCollecting(entry);
    const isOld = mayBeOld && told?.step === 'declined' && told.keep;
    if (told !== undefined && !isOld) return { end: told };
    declined = told;
    // Either no card was presented, or one is still being processed and needs no second card.
    const seen = await read(till, wasRead ? 'checking' : step, entry, leave);
    if (seen.isErr()) return { end: unknown(seen.error) };
    const over = afterReading(seen.value);
    if (over) return { end: over };
    const isProcessing = seen.value.state === 'processing';
    if (isProcessing) {
      if (checks > maxProcessingChecks) return { end: stuck('noAnswer', done.error) };
    } else if (checks > maxChecks) break;
    await wait(time, isProcessing || wasRead ? processingPauseMs : readPauseMs, leave);
  }
  const end = (report?.said === 'declined' && declined) || uncharged(till, entry);
  memory.hasAsked = true;
  return end ? { end } : { entry: { ...entry, state: 'opened', stuck: undefined } };
}

/** Ends a payment for which the processor has no card. `undefined`: ask for a card instead. */
function uncharged(till: Till, entry: Entry): End | undefined {
  const { memory, stop } = till;
  const { report } = memory;
  if (till.isCollecting(entry)) return stuck('readerBusy');
  if (entry.stuck === 'storedOffline') return stuck(entry.stuck);
  if (report === undefined) return undefined;
  if (stop.aborted) return canceled('stopped');
  return report.said === 'canceled' && !report.needsPerson
    ? canceled('sheetClosed')
    : readInVain(till, report);
}
