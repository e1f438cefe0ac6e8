import { afterReading } from './conclude.ts';
import type { Entry } from './journal.ts';
import { reopen } from './opening.ts';
import type { Intent, ReaderFailure, Report } from './reader.ts';
import { canceled, type End, stuck } from './taking.ts';
import type { Next, Till } from './till.ts';
import { bounded, wait } from './time.ts';

/** Tap to Pay takes seconds to reconnect, and the SDK's own reconnecting can hang. */
export const readyTimeoutMs = 60_000;
/** A reader that fails after this time is not tried again by itself. */
const slowReadyMs = 10_000;
/** The time for an SDK to end after a cancelation. */
const cancelTimeoutMs = 15_000;
const maxFruitless = 5;
const pauseMs = 1000;
const firstWatchMs = 4000;
const laterWatchMs = 8000;

/** Makes the reader ready for the payment, without asking for a card. */
export async function prepare(till: Till, entry: Entry): Promise<Next> {
  const { memory, stop, reader, time } = till;
  if (stop.aborted) return { end: canceled('stopped') };
  // Pauses after a reader failure, so that the barber can see the message.
  if (memory.fruitless > 0) await wait(time, pauseMs * memory.fruitless, stop);
  const { clientSecret } = memory;
  if (clientSecret === undefined) return reopened(till, entry);

  till.show('opening', entry);
  const from = time.now();
  const tried = await bounded(
    time,
    readyTimeoutMs,
    stop,
    async (signal) => (await reader.ready(signal)) ?? reader.retrieve(clientSecret, signal),
  );
  const intent = 'value' in tried ? tried.value : { failed: 'The card reader does not answer.' };
  // Apps without types may return any value.
  if (!intent || 'failed' in intent || !intent.reference) {
    const failed = 'The card reader returned no reference of the payment.';
    const isSlow = time.now() - from > slowReadyMs;
    return unready(till, entry, { failed, ...intent, ...(isSlow && { needsPerson: true }) });
  }
  memory.intent = intent;
  return { entry: { ...entry, state: 'presenting', reference: intent.reference } };
}

async function reopened(till: Till, entry: Entry): Promise<Next> {
  const next = await reopen(till, entry);
  // The payment is still open, so the entry is unchanged.
  return 'entry' in next && next.entry.state === 'opened' ? prepare(till, next.entry) : next;
}

function unready(till: Till, entry: Entry, failure: ReaderFailure): Next | Promise<Next> {
  if (till.stop.aborted) return { end: canceled('stopped') };
  const end = readInVain(till, failure);
  return end ? { end } : prepare(till, entry);
}

/** Reads a card. After a restart it first asks the server about the previous card. */
export async function collect(till: Till, entry: Entry): Promise<Next> {
  const { memory, stop } = till;
  const { intent } = memory;
  memory.intent = undefined;
  if (intent !== undefined) {
    if (stop.aborted) return { end: canceled('stopped') };
    till.show('presenting', entry);
    memory.report = await collectInTime(till, entry, intent);
  }
  // Also after Stop: the card may have been approved just before, and the customer saw that.
  return { entry: { ...withReport(till, entry), state: 'capturing' } };
}

/** Keeps in the note that the phone sends the card later: a restart, or a shop out of reach, must not forget it. */
export function withReport({ memory }: Till, entry: Entry): Entry {
  return memory.report?.said === 'offline' ? { ...entry, stuck: 'storedOffline' } : entry;
}

/** Whether the reader reports that the processor has the card, or soon will. */
export function isRead(report: Report | undefined): boolean {
  return report?.said === 'approved' || report?.said === 'processing';
}

/** One collect at a time: a canceled one has to end before the next begins. */
async function collectInTime(till: Till, entry: Entry, intent: Intent): Promise<Report> {
  const { time, limits, stop } = till;
  const controller = new AbortController();
  const collecting = (async () => {
    const collected = await intent.collect(controller.signal);
    return typeof collected === 'string' ? { said: collected } : collected;
  })();
  const leave = till.watch(entry, collecting);
  const ended = await bounded(time, limits.presentMs, stop, (signal) =>
    Promise.race([collecting, overElsewhere(till, entry, signal)]),
  );
  if ('value' in ended && ended.value !== undefined) {
    const { said, failed, hadNoCard } = ended.value;
    // A reader that names no failure may mean a decline, of which the server is asked all the same.
    return said === 'unknown' && !failed && !hadNoCard
      ? { ...ended.value, said: 'declined' }
      : ended.value;
  }
  controller.abort();
  if (stop.aborted) till.show('stopping', entry);
  const late = await bounded(time, cancelTimeoutMs, undefined, () => collecting);
  if ('lost' in late) leave();
  // The register asked for this cancelation: it is not a person who closed the card screen.
  return 'value' in late && late.value.said !== 'canceled' ? late.value : { said: 'unknown' };
}

/**
 * Asks the server from time to time, and resolves once the payment is over: another phone may have been
 * paid. The capture that follows learns its end.
 */
async function overElsewhere(
  { client, time }: Till,
  { paymentId: contactlessPaymentId = '' }: Entry,
  signal: AbortSignal,
): Promise<undefined> {
  for (let ms = firstWatchMs; !signal.aborted; ms = laterWatchMs) {
    await wait(time, ms, signal);
    const seen = await client.getContactlessPayment(
      { contactlessPaymentId },
      { signal, maxAttempts: 1 },
    );
    if (seen.isOk() && afterReading(seen.value) !== undefined) return;
  }
}

/** The end if the reader keeps failing, so that a person has to look at it. */
export function readInVain({ memory }: Till, failure: Partial<ReaderFailure>): End | undefined {
  memory.fruitless += 1;
  const { failed: readerSaid, error: readerError, needsPerson } = failure;
  return needsPerson || memory.fruitless >= maxFruitless
    ? { ...stuck('reader'), charged: 'no', readerSaid, readerError }
    : undefined;
}
