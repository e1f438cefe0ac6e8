import { amountOf, minor } from './amounts.ts';
import type { AlsoPays } from './answers.ts';
import { capture } from './capturing.ts';
import { createNotes, type Entry, type Journal, type Listed } from './journal.ts';
import { open, withCard } from './opening.ts';
import type { ContactlessPayment } from './operations.ts';
import { collect, prepare, readyTimeoutMs } from './presenting.ts';
import type { Reader, Report } from './reader.ts';
import { tell } from './send.ts';
import { withDefaults } from './settings.ts';
import { canceled, type End, type Reason, type Step, stuck, type Taking } from './taking.ts';
import { type Limits, type Next, type RegisterClient, showing, type Till } from './till.ts';
import { bounded } from './time.ts';
import { words as english } from './words.ts';

export interface RegisterOptions {
  readonly client: RegisterClient;
  readonly reader: Reader;
  readonly journal: Journal;
  /**
   * The id of the signed-in person. Each person has separate entries, as they have separate keys.
   */
  readonly subject: string;
  /** The shop's currency, for the screen. The service's interface has none. */
  readonly currency?: string | undefined;
  /** Replaces the English words. */
  readonly words?: ((step: Step, reason?: Reason) => string) | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

export interface TakeInput {
  readonly appointmentId: string;
  /** Default: the full remainder. */
  readonly amount?: string | undefined;
  /**
   * The part of `amount` that is tip, of a shop that takes tips; `0.00` if the customer gives none. Without it
   * an unfinished payment is resumed as it is, and a new one has no tip.
   */
  readonly tip?: string | undefined;
  /**
   * Other visits that the same card pays, where the service shares payments (D208); none if empty. `amount`, if it
   * is stated, includes them. Without it an unfinished payment is resumed as it is, and a new one pays no other visit.
   */
  readonly alsoPays?: AlsoPays | undefined;
}

/** A payment that was begun and has not ended. */
export interface Unfinished {
  readonly appointmentId: string;
  /** Whether a card may have been read. */
  readonly mayBeCharged: boolean;
  readonly amount?: string | undefined;
  readonly tip?: string | undefined;
  readonly alsoPays?: AlsoPays | undefined;
}

/** A till. Its promises never reject. */
export interface Register {
  /**
   * Takes a payment. An unfinished payment of the appointment is resumed; a second one is begun only for
   * another amount, tip or other visits, once the first cannot be charged. Its note holds them, so a restart sends the
   * same request.
   */
  take(input: TakeInput): Promise<Taking>;
  /**
   * Asks the server about an unfinished payment, without asking for a card. Without a note it captures a card that
   * another phone of this barber has read, if the service lists it.
   */
  resume(appointmentId: string): Promise<Taking>;
  /** Gives up before a card is read, or stops waiting for a response. `take` then resolves. */
  stop(): void;
  /** The payments to resume after a restart; `undefined` if the storage cannot be read. */
  unfinished(): Promise<readonly Unfinished[] | undefined>;
  /** Removes the note of a payment that a person has ended another way. False if that failed. */
  forget(appointmentId: string): Promise<boolean>;
  /** Makes the reader ready. Call it when the app comes to the front. */
  wake(): Promise<boolean>;
  /**
   * The last change, or the state of one appointment: `idle` unless this register takes it or took it last.
   */
  readonly getSnapshot: (appointmentId?: string) => Taking;
  /** Calls `listener` after each change. The returned function unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
}

const defaultLimits: Limits = {
  presentMs: 180_000,
  checkMs: 300_000,
  keyLifeMs: 71 * 60 * 60_000,
};

/** What an app makes itself, and a call that only the right client has. */
const methods = [
  ['client', 'captureContactlessPayment'],
  ['reader', 'ready'],
  ['reader', 'retrieve'],
  ['journal', 'keys'],
  ['journal', 'get'],
  ['journal', 'set'],
  ['journal', 'remove'],
] as const;

/** Throws a TypeError for invalid options. */
export function createRegister(options: RegisterOptions): Register {
  withDefaults<object>(
    { client: {}, reader: {}, journal: {}, subject: '', currency: '', words: english, limits: {} },
    options,
    'client',
    'reader',
    'journal',
    'subject',
  );
  const { client, reader, journal, subject } = options;
  for (const [part, name] of methods) {
    if (typeof Reflect.get(options[part], name) !== 'function') {
      throw new TypeError(`${part}.${name}: missing or of a wrong type`);
    }
  }
  const { time } = client;
  const limits = withDefaults(defaultLimits, options.limits);
  const notes = createNotes(journal, subject, time);
  let running: { readonly appointmentId: string; readonly ended: Promise<Taking> } | undefined;
  const screen = createScreen(options, (appointmentId) => running?.appointmentId === appointmentId);
  const { showEnd } = screen;
  let stop = new AbortController();
  let leave = new AbortController();
  /** The collect that has not ended. */
  let sheet: TakeInput | undefined;

  /** One payment at a time. A second call for the same payment waits for its end. */
  function start(input: TakeInput, presents: boolean, report?: Report): Promise<Taking> {
    const { appointmentId } = input;
    if (running !== undefined) {
      return running.appointmentId === appointmentId
        ? running.ended
        : Promise.resolve(showEnd(undefined, appointmentId, stuck('inUse')));
    }
    stop = new AbortController();
    leave = new AbortController();
    const ended = run(input, presents, report).finally(() => {
      running = undefined;
    });
    running = { appointmentId, ended };
    return ended;
  }

  async function run(input: TakeInput, presents: boolean, report?: Report): Promise<Taking> {
    let entry: Entry | undefined;
    try {
      const note = await notes.read(input.appointmentId);
      if (note === 'unreadable') return finish(undefined, input, stuck('unreadable'));
      const first = note === 'none' ? begin(client, input) : note;
      const isChanged = isOtherAmount(first, input);
      const till: Till = {
        client,
        reader,
        notes,
        time,
        limits,
        stop: stop.signal,
        leave: leave.signal,
        presents: presents && !isChanged,
        memory: { fruitless: 0, report },
        show: screen.show,
        watch,
        isCollecting: ({ appointmentId }) => sheet?.appointmentId === appointmentId,
      };
      entry = first;
      if (note === 'none' && !presents) {
        const listed = await listPayments(till, first);
        entry = ofLostPhone(listed, first);
        if (entry === undefined) return finish(undefined, input, withPaid(listed, first, ended));
      }
      if (note === 'none' && !(await notes.write(entry))) {
        return finish(undefined, input, elsewhere);
      }
      for (;;) {
        const next = await act(till, entry, sheet !== undefined);
        if ('end' in next) {
          const { step, reason, keep } = next.end;
          if (isChanged && reason === 'waiting') {
            // The unpaid payment is left, so that the run for the new amount begins.
            if (!(await notes.end(entry))) return finish(undefined, input, elsewhere);
            return await run(input, presents);
          }
          const isOver = step === 'idle' || !(keep || step === 'captured' || reason === 'stopped');
          const end = isOver
            ? withPaid(await listPayments(till, entry), entry, next.end)
            : next.end;
          return await finish(entry, input, end);
        }
        if (!(await notes.write(next.entry, entry))) {
          if (entry.state !== 'presenting') return finish(undefined, input, elsewhere);
          // A card may have been read, whatever the other window does with the note or has done.
          await notes.write(next.entry);
        }
        entry = next.entry;
      }
    } catch {
      // Only the storage throws. The last written state tells what may have been done.
      return finish(undefined, input, stuck('storage'));
    }
  }

  /** Removes the entry only once its end is certain, and shows the end only afterwards. */
  async function finish(entry: Entry | undefined, input: TakeInput, end: End): Promise<Taking> {
    const { appointmentId } = input;
    if (entry !== undefined) {
      const isOpen = end.charged === 'no' && entry.state !== 'opening';
      const state = isOpen ? 'opened' : entry.state;
      const left = {
        ...entry,
        state,
        // The server has refused the card, so that it need not be asked about it again.
        ...(end.step === 'declined' && { reference: undefined, wasDeclined: true }),
        // A card that the phone sends later stays in the note until the server knows its end.
        stuck:
          end.step === 'stuck'
            ? entry.stuck === 'storedOffline'
              ? entry.stuck
              : end.reason
            : undefined,
      };
      try {
        const isOurs = await (end.keep ? notes.write(left, entry) : notes.end(entry));
        // The other window may be charging the card.
        if (!isOurs && end.charged === 'no') return finish(undefined, input, elsewhere);
      } catch {
        // The remaining entry is asked about again at the next start, which may capture.
        if (isOpen) return showEnd(entry, appointmentId, stuck('storage'));
      }
    }
    return showEnd(entry, appointmentId, end);
  }

  function watch({ appointmentId }: Entry, collecting: Promise<Report>): () => void {
    const mine = { appointmentId };
    sheet = mine;
    let isLeft = false;
    const end = async (report?: Report) => {
      sheet = undefined;
      if (!isLeft) return;
      while (running) await running.ended;
      await start(mine, false, report);
    };
    collecting.then(end, () => end());
    return () => {
      isLeft = true;
    };
  }

  return {
    take: (input) => start(input, true),
    resume: (appointmentId) => start({ appointmentId }, false),
    stop() {
      (screen.isAsking() ? leave : stop).abort();
    },
    async unfinished() {
      try {
        return (await notes.list()).map(toUnfinished);
      } catch {
        return undefined;
      }
    },
    async forget(appointmentId) {
      if ([running, sheet].some((other) => other?.appointmentId === appointmentId)) return false;
      try {
        await notes.remove(appointmentId);
        showEnd(undefined, appointmentId, nothing);
        return true;
      } catch {
        return false;
      }
    },
    async wake() {
      // To connect again would close the card screen.
      if (sheet) return true;
      const ready = await bounded(time, readyTimeoutMs, undefined, (signal) =>
        reader.ready(signal),
      );
      return 'value' in ready && ready.value === undefined;
    },
    getSnapshot: screen.getSnapshot,
    subscribe: screen.subscribe,
  };
}

/** What a register shows, and who is told of it. */
function createScreen(
  options: Pick<RegisterOptions, 'currency' | 'words'>,
  isRunning: (appointmentId: string | undefined) => boolean,
) {
  const { currency } = options;
  const listeners = new Set<() => void>();
  const idle: Taking = { step: 'idle', words: words('idle'), charged: 'unknown', currency };
  let snapshot = idle;
  /** The state of the payment that runs, or ran last. */
  let current = idle;

  /** A translation that fails, or lacks a newer reason, must not stop a payment. */
  function words(step: Step, reason?: Reason): string {
    try {
      return options.words?.(step, reason) ?? english(step, reason);
    } catch {
      return english(step, reason);
    }
  }

  function publish(taking: Taking): Taking {
    const next = { ...taking, currency };
    snapshot = next;
    if (isRunning(next.appointmentId)) current = next;
    for (const listener of listeners) tell(listener, undefined);
    return next;
  }

  const show: Till['show'] = (step, entry, attempt) => {
    publish({
      step,
      words: words(step),
      charged: 'unknown',
      ...about(entry),
      nextAttemptAt: attempt?.nextAttemptAt,
      problem: attempt?.problem,
    });
  };

  function showEnd(entry: Entry | undefined, appointmentId: string, end: End): Taking {
    const { keep: _keep, ...shown } = end;
    return publish({
      ...shown,
      words: words(end.step, end.reason),
      appointmentId,
      ...(entry && about(entry)),
    });
  }

  return {
    /** Whether the server is asked, so that no card can be read any more. */
    isAsking: () => current.step === 'capturing' || current.step === 'checking',
    show,
    showEnd,
    getSnapshot: (appointmentId = snapshot.appointmentId): Taking =>
      [snapshot, current].find((taking) => taking.appointmentId === appointmentId) ?? idle,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function begin(client: RegisterClient, { appointmentId, amount, tip, alsoPays }: TakeInput): Entry {
  return {
    appointmentId,
    amount,
    tip,
    alsoPays,
    createKey: client.newKey(),
    captureKey: client.newKey(),
    begunAt: client.time.now(),
    state: 'opening',
  };
}

/** The next step of a payment, by the state of its note. */
function act(till: Till, entry: Entry, isReaderBusy: boolean): Promise<Next> | Next {
  const { time, limits } = till;
  const ageMs = time.now() - entry.begunAt;
  // The phone's clock was ahead when the note was written.
  if (ageMs < 0) return { entry: { ...entry, begunAt: time.now() } };
  // The service forgets keys after 72 hours. A capture needs none: it cannot charge a payment twice.
  const isOld = ageMs > limits.keyLifeMs;
  switch (entry.state) {
    case 'opening':
      if (isOld) return expired;
      return till.presents ? open(till, entry) : waiting;
    case 'opened':
      if (entry.reference && !till.memory.hasAsked) {
        return { entry: { ...entry, state: 'capturing' } };
      }
      if (isOld) return expired;
      if (!till.presents) return waiting;
      return isReaderBusy
        ? { end: { ...stuck('readerBusy'), charged: 'no' } }
        : prepare(till, entry);
    case 'presenting':
      return collect(till, entry);
    case 'capturing':
      return capture(till, entry);
  }
}

function about({ appointmentId, paymentId, amount, tip, alsoPays }: Entry) {
  return { appointmentId, paymentId, amount, tip, alsoPays };
}

const elsewhere = stuck('otherWindow');
const nothing: End = { step: 'idle', charged: 'unknown', keep: false };
/** No note is left, so this phone cannot say whether the payment was charged. */
const ended: End = { ...nothing, reason: 'ended' };
const expired: Next = { end: canceled('expired') };
const waiting: Next = { end: { step: 'idle', reason: 'waiting', charged: 'no', keep: true } };

/** Whether the barber asks for another amount, or other visits, than the unfinished payment has. */
function isOtherAmount(
  { amount, tip = '0.00', alsoPays = [] }: Entry,
  { amount: askedAmount = amount, tip: askedTip = tip, alsoPays: asked = alsoPays }: TakeInput,
): boolean {
  return JSON.stringify([askedAmount, askedTip, asked]) !== JSON.stringify([amount, tip, alsoPays]);
}

function toUnfinished({ appointmentId, note }: Listed): Unfinished & TakeInput {
  if (typeof note === 'string') return { appointmentId, mayBeCharged: true };
  const { reference, amount, tip, alsoPays } = note;
  return { appointmentId, mayBeCharged: reference !== undefined, amount, tip, alsoPays };
}

const paidLimitMs = 15_000;
/** Their words deny a charge of the appointment. */
const denials: readonly End['reason'][] = ['expired', 'partlyApproved', 'refused'];

type Payments = Awaited<ReturnType<typeof listPayments>>;

function listPayments(till: Till, entry: Entry) {
  return till.client.listContactlessPayments(entry, {
    ...showing(till, 'checking', entry, till.leave),
    timeLimitMs: paidLimitMs,
  });
}

/** The last payment for which a phone has read a card. Its note may be lost with the phone, so any may capture it. */
function ofLostPhone(listed: Payments, entry: Entry): Entry | undefined {
  const { items } = listed.unwrapOr({ items: [] });
  return items.flatMap((payment) => withCard(entry, payment) ?? []).pop();
}

/**
 * Adds the last captured payment of the appointment: an earlier payment of this phone, whose note is gone,
 * or of another phone. If the server does not list the payments, the charge is unknown.
 */
function withPaid(listed: Payments, entry: Entry, end: End): End {
  if (listed.isErr()) return { ...end, charged: 'unknown' };
  const captured = listed.value.items.filter(({ state }) => state === 'captured');
  const last = captured.flatMap((payment) => partOf(payment, entry.appointmentId)).pop();
  if (last === undefined) return end;
  const { id, amount, capturedAt, card } = last;
  const paid: End = { ...end, charged: 'yes', paidBy: { id, amount, capturedAt, card } };
  const isDenial = denials.includes(end.reason);
  return isDenial ? { ...paid, step: 'canceled', reason: 'paidElsewhere' } : paid;
}

/** The payment with the amount that is the appointment's; nothing if all of it was moved to others (D208). */
function partOf(payment: ContactlessPayment, appointmentId: string): readonly ContactlessPayment[] {
  if (payment.shares === undefined) return [payment];
  const own = payment.shares.filter((share) => share.appointmentId === appointmentId);
  const sum = own.reduce((total, { amount }) => total + minor(amount), 0);
  return own.length === 0 ? [] : [{ ...payment, amount: amountOf(sum) }];
}
