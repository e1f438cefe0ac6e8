import { afterReading } from './conclude.ts';
import type { Entry } from './journal.ts';
import { reopen } from './opening.ts';
import type { Collected } from './reader.ts';
import { canceled, type End, stuck } from './taking.ts';
import type { Next, Till } from './till.ts';
import { bounded, wait } from './time.ts';

/** Tap to Pay takes seconds to reconnect, and the SDK's own reconnecting can hang. */
export const readyTimeoutMs = 60_000;
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
  const ready = await bounded(time, readyTimeoutMs, stop, (signal) => reader.ready(signal));
  const failure = 'value' in ready ? ready.value : { failed: ready.lost };
  if (failure !== undefined) return unready(till, entry, failure.failed);
  const retrieved = await bounded(time, readyTimeoutMs, stop, (signal) =>
    reader.retrieve(clientSecret, signal),
  );
  const intent = 'value' in retrieved ? retrieved.value : { failed: retrieved.lost };
  if ('failed' in intent) return unready(till, entry, intent.failed);
  memory.intent = intent;
  return { entry: { ...entry, state: 'presenting', reference: intent.reference } };
}

async function reopened(till: Till, entry: Entry): Promise<Next> {
  const next = await reopen(till, entry);
  // The payment is still open, so the entry is unchanged.
  return 'entry' in next && next.entry.state === 'opened' ? prepare(till, next.entry) : next;
}

function unready(till: Till, entry: Entry, readerSaid: string): Next | Promise<Next> {
  if (till.stop.aborted) return { end: canceled('stopped') };
  const end = readInVain(till, readerSaid);
  return end ? { end } : prepare(till, entry);
}

/** Reads a card. After a restart it first asks the server about the previous card. */
export async function collect(till: Till, entry: Entry): Promise<Next> {
  const { memory, stop } = till;
  const { intent } = memory;
  if (intent !== undefined) {
    memory.intent = undefined;
    till.show('presenting', entry);
    memory.said = stop.aborted
      ? 'canceled'
      : await collectInTime(till, entry, (signal) => intent.collect(signal));
    // A card that was approved before the barber stopped is charged, because the customer saw the
    // approval.
    if (stop.aborted && !isRead(memory.said)) return { end: canceled('stopped') };
  }
  return { entry: { ...entry, state: 'capturing' } };
}

/** Whether the reader reports that the processor has the card, or soon will. */
export function isRead(said: Collected | undefined): boolean {
  return said === 'approved' || said === 'processing';
}

/** One collect at a time: a canceled one has to end before the next begins. */
async function collectInTime(
  till: Till,
  entry: Entry,
  work: (signal: AbortSignal) => Promise<Collected>,
): Promise<Collected> {
  const { time, limits, stop } = till;
  const controller = new AbortController();
  const collecting = (async () => work(controller.signal))();
  const ended = await bounded(time, limits.presentMs, stop, (signal) =>
    Promise.race([collecting, overElsewhere(till, entry, signal)]),
  );
  if ('value' in ended && ended.value !== undefined) return ended.value;
  controller.abort();
  const late = await bounded(time, cancelTimeoutMs, undefined, () => collecting);
  if ('value' in late) return late.value;
  if (late.lost === 'timeLimit') till.readerHangs(collecting);
  return 'unknown';
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
export function readInVain({ memory }: Till, readerSaid: string): End | undefined {
  memory.fruitless += 1;
  return memory.fruitless < maxFruitless
    ? undefined
    : { ...stuck('reader'), charged: 'no', readerSaid };
}
