import type { Entry } from './journal.ts';
import { reopen } from './opening.ts';
import type { Collected } from './reader.ts';
import { canceled, type End, stuck } from './taking.ts';
import type { Next, Till } from './till.ts';
import { bounded, wait } from './time.ts';

/** Tap to Pay takes seconds to connect again, and its own reconnecting can hang. */
const readyTimeoutMs = 60_000;
/** An SDK that was told to cancel gets this long to end. */
const cancelTimeoutMs = 15_000;
const maxFruitless = 5;
const pauseMs = 1000;

/** Makes the reader ready for the payment; no card is asked for yet. */
export async function prepare(till: Till, entry: Entry): Promise<Next> {
  const { memory, stop, reader, time } = till;
  if (stop.aborted) return { end: canceled('stopped') };
  // Between failures of the reader, people need time to see that it failed.
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
  // It is open still, so there is nothing new to write down.
  return 'entry' in next && next.entry.state === 'opened' ? prepare(till, next.entry) : next;
}

function unready(till: Till, entry: Entry, readerSaid: string): Next | Promise<Next> {
  const { memory, stop } = till;
  if (stop.aborted) return { end: canceled('stopped') };
  memory.fruitless += 1;
  if (memory.fruitless < maxFruitless) return prepare(till, entry);
  return { end: readerFails(readerSaid) };
}

function readerFails(readerSaid: string): End {
  return { ...stuck('reader', 'no'), readerSaid };
}

/** Reads a card; after a restart it asks the server instead what became of the one before. */
export async function collect(till: Till, entry: Entry): Promise<Next> {
  const { memory, stop } = till;
  const { intent } = memory;
  if (intent !== undefined) {
    memory.intent = undefined;
    till.show('presenting', entry);
    memory.said = await collectInTime(till, (signal) => intent.collect(signal));
    // A card that was approved before the barber stopped is charged: the customer saw it approved.
    if (stop.aborted && !isRead(memory.said)) return { end: canceled('stopped') };
  }
  return { entry: { ...entry, state: 'capturing' } };
}

/** Whether the reader says that the processor has the card, or will have it soon. */
export function isRead(said: Collected | undefined): boolean {
  return said === 'approved' || said === 'processing';
}

/** One collect at a time: what was canceled has to end before another may begin. */
async function collectInTime(
  till: Till,
  work: (signal: AbortSignal) => Promise<Collected>,
): Promise<Collected> {
  const { time, limits, stop } = till;
  const controller = new AbortController();
  const collecting = (async () => work(controller.signal))();
  const ended = await bounded(time, limits.presentMs, stop, () => collecting);
  if ('value' in ended) return ended.value;
  controller.abort();
  const late = await bounded(time, cancelTimeoutMs, undefined, () => collecting);
  if ('value' in late) return late.value;
  if (late.lost === 'timeLimit') till.readerHangs(collecting);
  return 'unknown';
}

/** Whether cards are read in vain: a person has to look at the reader. */
export function readInVain({ memory }: Till): End | undefined {
  memory.fruitless += 1;
  return memory.fruitless < maxFruitless ? undefined : readerFails(memory.said ?? 'unknown');
}
