import type { Taking, Unfinished } from '@chairside/client';
import type { TipChoice } from '@chairside/client/tips';
import { newRun } from './named-fetch.ts';
import { openPhone, type Phone } from './phone.ts';
import {
  type AppointmentBooks,
  type Books,
  follow,
  type Line,
  type Order,
  readBooks,
  send,
} from './server.ts';

/** The state that the page draws. */
export interface State {
  books: Books | undefined;
  readonly lines: Line[];
  isUp: boolean;
  selected: string | undefined;
  /** What the barber has typed as the amount; all that is owed if empty. */
  amount: string;
  /** The tip screen before a payment: the price, and the typed own amount. */
  tipping: { readonly price: string; typed: string } | undefined;
  now: number;
  /** The app dies as soon as a card was read. */
  diesAfterTap: boolean;
  /** The second phone, while it races. */
  second: Phone | undefined;
  /** Whether faults and a card are chosen at random for this run. */
  shuffled: string | undefined;
  /** The last refund of this page; no words once the books show it. */
  refund: { appointmentId: string; isRunning: boolean; words: string } | undefined;
  /** A message about the last button, such as a refusal. */
  notice: string;
}

interface KeptRun {
  readonly run: string;
  readonly appointmentId: string;
  readonly startedAt: number;
}

const runKey = 'till/run';
const booksEveryMs = 2000;

export function createTill(redraw: () => void) {
  const kept = readRun();
  const state: State = {
    books: undefined,
    lines: [],
    isUp: false,
    selected: kept?.appointmentId,
    amount: '',
    tipping: undefined,
    now: Date.now(),
    diesAfterTap: false,
    second: undefined,
    shuffled: undefined,
    refund: undefined,
    notice: '',
  };
  let run = kept?.run ?? newRun();
  let isReading = false;

  const afterTap = () => {
    if (state.diesAfterTap) location.reload();
  };
  const phone = openPhone({ number: 1, run, afterTap });
  phone.register.subscribe(redraw);

  function beginRun(appointmentId: string): void {
    run = newRun();
    state.notice = '';
    phone.beginRun(run);
    localStorage.setItem(runKey, JSON.stringify({ run, appointmentId, startedAt: Date.now() }));
  }

  async function refresh(): Promise<void> {
    if (isReading) return;
    isReading = true;
    const books = await readBooks();
    isReading = false;
    if (books === undefined) return;
    state.books = books;
    if (
      state.selected === undefined ||
      !books.appointments.some(({ id }) => id === state.selected)
    ) {
      state.selected = firstOpen(books)?.id;
    }
    redraw();
  }

  async function order(given: Order): Promise<void> {
    const isDone = await send(given);
    state.notice = isDone ? '' : 'That was not possible now.';
    await refresh();
  }

  async function take(choice?: TipChoice): Promise<Taking | undefined> {
    const { selected: appointmentId } = state;
    const amount = choice?.total ?? typedAmount(state);
    state.tipping = undefined;
    if (appointmentId === undefined || amount === undefined) return undefined;
    beginRun(appointmentId);
    const taking = phone.register.take({
      appointmentId,
      ...(amount !== '' && { amount }),
      tip: choice?.tip,
    });
    redraw();
    const ended = await taking;
    state.amount = '';
    await refresh();
    return ended;
  }

  /** A second phone takes the same payment at the same moment. */
  function race(): void {
    const { selected: appointmentId } = state;
    if (appointmentId === undefined) return;
    if (!isBusy(phone.register.getSnapshot())) void take();
    const second = openPhone({ number: 2, run, afterTap: () => {} });
    state.second = second;
    second.register.subscribe(redraw);
    void second.register.take({ appointmentId }).then(refresh);
    redraw();
  }

  async function payHalfInCash(): Promise<void> {
    const appointment = selectedOf(state);
    if (appointment === undefined) return;
    const left = minor(appointment.due) - minor(appointment.captured);
    const half = (Math.floor(left / 2) / 100).toFixed(2);
    await order({ do: 'cash', appointmentId: appointment.id, amount: half });
  }

  function next(): void {
    state.selected = state.books && firstOpen(state.books)?.id;
    state.second = undefined;
    state.tipping = undefined;
    redraw();
  }

  /** Drops the unfinished payment of the chosen customer. The server cancels it later. */
  async function drop(): Promise<void> {
    if (state.selected !== undefined) await phone.register.forget(state.selected);
    redraw();
  }

  /** After a reload: the server is asked what became of each payment that was begun. */
  async function resume(): Promise<void> {
    const left: readonly Unfinished[] = (await phone.register.unfinished()) ?? [];
    for (const { appointmentId } of left) {
      state.selected = appointmentId;
      await phone.register.resume(appointmentId);
    }
    await refresh();
  }

  const follower = () =>
    follow(
      (line) => {
        if (state.lines.some(({ seq }) => seq === line.seq)) return;
        state.lines.push(line);
        redraw();
        if (line.kind === 'response' || line.kind === 'message' || line.kind === 'tap') {
          void refresh();
        }
      },
      (isUp) => {
        state.isUp = isUp;
        redraw();
        if (isUp) void refresh();
      },
    );

  setInterval(() => {
    state.now = Date.now();
    redraw();
  }, 250);
  setInterval(() => void refresh(), booksEveryMs);
  follower();
  void refresh();
  void resume();

  return {
    state,
    phone,
    run: () => run,
    take,
    race,
    order,
    payHalfInCash,
    refresh,
    resume,
    drop,
    next,
  };
}

export type Till = ReturnType<typeof createTill>;

/** The typed amount with two digits, empty if none was typed; undefined if it cannot be taken. */
export function typedAmount(state: State): string | undefined {
  const typed = state.amount.replace(',', '.');
  if (typed === '') return '';
  const books = selectedOf(state);
  if (books === undefined || !/^\d{1,6}(\.\d{1,2})?$/.test(typed)) return undefined;
  const amount = Math.round(Number(typed) * 100);
  const isOwed = amount > 0 && amount <= minor(books.due) - minor(books.captured);
  return isOwed ? (amount / 100).toFixed(2) : undefined;
}

export const minor = (amount: string) => Number(amount.replace('.', ''));

export function isBusy({ step }: Taking): boolean {
  return step === 'opening' || step === 'presenting' || step === 'capturing' || step === 'checking';
}

export function selectedOf({ books, selected }: State): AppointmentBooks | undefined {
  return books?.appointments.find(({ id }) => id === selected);
}

export function firstOpen(books: Books): AppointmentBooks | undefined {
  return books.appointments.find(({ due, captured }) => due !== captured);
}

function readRun(): KeptRun | undefined {
  try {
    return JSON.parse(localStorage.getItem(runKey) ?? '') as KeptRun; // cast: written by this page
  } catch {
    return undefined;
  }
}
