import { type AlsoPays, createClient, type Taking } from '@chairside/client';
import {
  type Facts,
  type GivingBack,
  isBusy,
  type PaidPart,
  type Reading,
  readingAfter,
  type VisitMoney,
} from '@chairside/client/screen';
import { createSharing, type ShareQuestion } from '@chairside/client/share-screen';
import { shareOperations } from '@chairside/client/shares';
import { namedFetch, newRun } from './named-fetch.ts';
import { openPhone, type Phone } from './phone.ts';
import {
  type AppointmentBooks,
  type Books,
  baseUrl,
  follow,
  type Line,
  type Order,
  readBooks,
  send,
} from './server.ts';
import { signalEnds } from './signal.ts';
import { storage } from './storage.ts';

/** The state that the page draws. */
export interface State {
  books: Reading<Books>;
  readonly lines: Line[];
  isUp: boolean;
  selected: string | undefined;
  /** The rows of the list. They stay until the next customer, so that none moves under a finger. */
  listed: readonly string[];
  /** Whether the notes of the phone were read, and the payments whose note is being asked about. */
  notes: Facts['notes'];
  asked: ReadonlySet<string>;
  /** What the barber has typed as the amount; all that is owed if empty. */
  amount: string;
  /** The tip screen before a payment: the price, and the typed own amount. */
  tipping:
    | { readonly price: string; typed: string; readonly alsoPays?: AlsoPays | undefined }
    | undefined;
  /** The other visits that the card pays too; `undefined` while the barber is not asked for them. */
  alsoPays: readonly string[] | undefined;
  now: number;
  /** The app dies as soon as a card was read. */
  diesAfterTap: boolean;
  /** The second phone, while it races. */
  second: Phone | undefined;
  /** Whether faults and a card are chosen at random for this run. */
  shuffled: string | undefined;
  /** The refund of the chosen appointment. */
  back: GivingBack;
  /** The chosen plan of messages, which the server may not have yet. */
  plan: string | undefined;
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
const rows = 4;

export function createTill(redraw: () => void) {
  const kept = readRun();
  const state: State = {
    books: { is: 'unread' },
    lines: [],
    isUp: false,
    selected: kept?.appointmentId,
    listed: [],
    notes: 'unread',
    asked: new Set(),
    amount: '',
    tipping: undefined,
    alsoPays: undefined,
    now: Date.now(),
    diesAfterTap: false,
    second: undefined,
    shuffled: undefined,
    back: { is: 'none' },
    plan: undefined,
    notice: '',
  };
  let run = kept?.run ?? newRun();
  let isReading = false;
  let hasNews = false;
  const changedAt = new Map<string, number>();

  const afterTap = () => {
    if (state.diesAfterTap) location.reload();
  };
  const phone = openPhone({ number: 1, run, afterTap });
  const sharing = createSharing({
    client: phone.client,
    // Each act is a run of the timeline. The owner may say whose a payment is.
    shares: createClient(
      {
        baseUrl,
        fetch: (url, init) => sharingFetch.fetch(url, init),
        accessToken: () => 'demo-business',
      },
      shareOperations,
    ),
    changed: () => redraw(),
    refresh: () => refresh(),
  });
  const sharingFetch = namedFetch(1, run);
  signalEnds(phone.register);
  phone.register.subscribe(() => {
    const { appointmentId } = phone.register.getSnapshot();
    if (appointmentId !== undefined) changedAt.set(appointmentId, Date.now());
    redraw();
  });

  function select(id: string | undefined): void {
    if (state.selected === id) return;
    state.selected = id;
    state.tipping = undefined;
    state.alsoPays = undefined;
    state.amount = '';
    sharing.leave();
    if (state.back.is !== 'running') state.back = { is: 'none' };
    if (id !== undefined) void askAbout(id);
  }

  /** The register shows its last payment alone: a note of another one is asked about when it is chosen. */
  async function askAbout(id: string): Promise<void> {
    if (state.notes !== 'read' || isBusy(phone.register.getSnapshot())) return;
    if (phone.register.getSnapshot(id).step !== 'idle') return;
    await resumeAll([id]);
  }

  async function resumeAll(only?: readonly string[]): Promise<void> {
    state.asked = new Set(only);
    const left = await phone.register.unfinished();
    state.notes = left === undefined ? 'unreadable' : 'read';
    const ids = (left ?? []).flatMap(({ appointmentId: id }) =>
      only === undefined || only.includes(id) ? [id] : [],
    );
    state.asked = new Set(ids);
    redraw();
    for (const id of ids) {
      if (only === undefined) select(id);
      await phone.register.resume(id);
      state.asked = new Set([...state.asked].filter((other) => other !== id));
    }
    if (ids.length > 0) await refresh();
    redraw();
  }

  function setBack(appointmentId: string, back: GivingBack): void {
    // The customer may have changed meanwhile.
    state.back = state.selected === appointmentId ? back : { is: 'none' };
    redraw();
  }

  function factsOf(id: string): Facts {
    const isAsked = state.asked.has(id);
    return {
      now: state.now,
      currency: 'EUR',
      taking: phone.register.getSnapshot(id),
      takingAt: changedAt.get(id) ?? 0,
      notes: isAsked ? 'unread' : state.notes,
      books: moneyOf(state.books, id),
      back: id === state.selected ? state.back : { is: 'none' },
      typed: id === state.selected ? state.amount : '',
      alsoPays: id === state.selected ? alsoPaid() : undefined,
      tipping: id === state.selected ? state.tipping : undefined,
      takesTips: booksIn(state)?.takesTips === true,
      mayRefund: true,
      leaves: 'next',
    };
  }

  /** The chosen visits that still owe something. */
  function alsoPaid(): AlsoPays | undefined {
    return state.alsoPays?.flatMap((id) => {
      const amount = others().find((one) => one.id === id)?.left;
      return amount === undefined ? [] : [{ appointmentId: id, amount }];
    });
  }

  /** The other visits that owe something. */
  function others() {
    return (booksIn(state)?.appointments ?? []).flatMap(({ id, customer, due, captured }) => {
      const left = difference(due, captured);
      return id === state.selected || minor(left) <= 0 ? [] : [{ id, name: customer, left }];
    });
  }

  /** Asks whose the latest payment of the visit is. */
  function askWhose(what: ShareQuestion['what'], paymentId: string): void {
    state.back = { is: 'none' };
    sharingFetch.beginRun(newRun());
    void sharing.ask(what, paymentId);
  }

  function beginRun(appointmentId: string): void {
    run = newRun();
    state.notice = '';
    phone.beginRun(run);
    const kept: KeptRun = { run, appointmentId, startedAt: Date.now() };
    try {
      storage().setItem(runKey, JSON.stringify(kept));
    } catch {
      // Only the timeline loses its run. The register says what a full storage means for the payment.
    }
  }

  async function refresh(): Promise<void> {
    const askedAt = Date.now();
    const value = await readBooks();
    state.now = Date.now();
    state.books = readingAfter(state.books, askedAt, value && { value }, state.now);
    if (value !== undefined) {
      const { appointments } = value;
      const isThere = appointments.some(({ id }) => id === state.selected);
      if (!isThere) select(firstOpen(value)?.id);
      if (state.listed.length === 0) state.listed = rowsOf(value, state.selected);
    }
    redraw();
  }

  /** Reads the books after a line of the timeline, once for all lines that come meanwhile: a new page gets many. */
  async function refreshAfterLine(): Promise<void> {
    hasNews = true;
    if (isReading) return;
    isReading = true;
    while (hasNews) {
      hasNews = false;
      await refresh();
    }
    isReading = false;
  }

  async function order(given: Order): Promise<void> {
    // An answer to an earlier choice must not undo this one.
    if (given.do === 'messages') state.plan = given.plan;
    const isDone = await send(given);
    state.notice = isDone ? '' : 'That was not possible now.';
    await refresh();
  }

  /** Takes what the button says. */
  async function take(
    amount?: string,
    tip?: string,
    alsoPays?: AlsoPays,
  ): Promise<Taking | undefined> {
    const { selected: appointmentId } = state;
    state.tipping = undefined;
    state.alsoPays = undefined;
    sharing.leave();
    if (appointmentId === undefined) return undefined;
    beginRun(appointmentId);
    state.back = { is: 'none' };
    const taking = phone.register.take({ appointmentId, amount, tip, alsoPays });
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
    const books = booksIn(state);
    if (books === undefined) return;
    const listed = books.appointments.filter(({ id }) => state.listed.includes(id));
    const open = (appointments: readonly AppointmentBooks[]) =>
      firstOpen({ ...books, appointments })?.id;
    select(open(listed) ?? open(books.appointments));
    state.listed = rowsOf(books, state.selected);
    state.second = undefined;
    redraw();
  }

  /** Drops the unfinished payment of the chosen customer. The server cancels it later. */
  async function drop(): Promise<void> {
    if (state.selected !== undefined) await phone.register.forget(state.selected);
    redraw();
  }

  /** Asks again whatever is not known of the chosen customer. */
  async function check(): Promise<void> {
    const { selected } = state;
    if (state.notes === 'unreadable') await resumeAll();
    if (selected !== undefined && phone.register.getSnapshot(selected).step === 'stuck') {
      await phone.register.resume(selected);
    }
    return refresh();
  }

  const follower = () =>
    follow(
      (line) => {
        if (state.lines.some(({ seq }) => seq === line.seq)) return;
        state.lines.push(line);
        redraw();
        if (line.kind === 'response' || line.kind === 'message' || line.kind === 'tap') {
          void refreshAfterLine();
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
  // After a reload: the server is asked what became of each payment that was begun.
  void resumeAll();

  return {
    state,
    phone,
    run: () => run,
    take,
    race,
    order,
    payHalfInCash,
    refresh,
    check,
    drop,
    next,
    select,
    setBack,
    sharing,
    others,
    askWhose,
    factsOf,
    refunded: () => selectedOf(state)?.refunded ?? '0.00',
  };
}

export type Till = ReturnType<typeof createTill>;

export const minor = (amount: string) => Number(amount.replace('.', ''));

/** The last books that were read, however old. */
export function booksIn({ books }: Pick<State, 'books'>): Books | undefined {
  return books.is === 'read' ? books.value : undefined;
}

export function selectedOf(state: State): AppointmentBooks | undefined {
  return booksIn(state)?.appointments.find(({ id }) => id === state.selected);
}

export function firstOpen({ appointments }: Books): AppointmentBooks | undefined {
  return appointments.find(({ due, captured }) => due !== captured);
}

/** The chosen appointment, with open ones around it. */
function rowsOf({ appointments }: Books, selected: string | undefined): readonly string[] {
  const ids = appointments.map(({ id }) => id);
  const at = Math.max(0, ids.indexOf(selected ?? ''));
  return ids.slice(Math.max(0, Math.min(at, ids.length - rows)), at + rows).slice(0, rows);
}

function moneyOf(books: Reading<Books>, id: string): Reading<VisitMoney> {
  if (books.is !== 'read') return books;
  const appointment = books.value.appointments.find((one) => one.id === id);
  if (appointment === undefined) return { is: 'unread' };
  const payments = appointment.payments.filter(({ state }) => state === 'captured');
  return {
    ...books,
    value: {
      due: appointment.due,
      moved: payments.filter(isMoved).map((payment) => payment.id),
      payments: payments
        .filter((payment) => !isMoved(payment))
        .map((payment) => paidPart(payment, id, booksIn({ books })?.barbers ?? [])),
    },
  };
}

const isMoved = ({ share }: AppointmentBooks['payments'][number]) => share?.amount === '0.00';

/** A payment, or the visit's part of it. */
function paidPart(
  payment: AppointmentBooks['payments'][number],
  appointmentId: string,
  barbers: NonNullable<Books['barbers']>,
): PaidPart {
  const { share, id, capturedAt, card } = payment;
  const about = { id, capturedAt, card };
  if (share === undefined) {
    return {
      ...about,
      amount: payment.amount,
      tip: payment.tip,
      back: {
        amount: payment.refunded,
        underWay: payment.refundUnderWay,
        refundable: difference(payment.amount, payment.refunded),
        refundableTip: difference(payment.tip, payment.refundedTip),
        count: payment.refundCount,
      },
    };
  }
  const { amount, tip, left, leftTip } = share;
  const back = difference(amount, left);
  const isUnderWay = minor(payment.refundUnderWay) > 0;
  return {
    ...about,
    amount,
    tip,
    charged: minor(share.others) === 0 ? undefined : payment.amount,
    appointmentId,
    barbers:
      share.barbers.length < 2
        ? undefined
        : share.barbers.map(({ id: barberId, amount: part }) => ({
            name: barbers.find((barber) => barber.id === barberId)?.name ?? barberId,
            amount: part,
          })),
    back: {
      amount: back,
      underWay: isUnderWay ? back : '0.00',
      refundable: left,
      refundableTip: leftTip,
      count: payment.refundCount,
    },
  };
}

const difference = (from: string, less: string) => ((minor(from) - minor(less)) / 100).toFixed(2);

function readRun(): KeptRun | undefined {
  try {
    return JSON.parse(storage().getItem(runKey) ?? '') as KeptRun; // cast: written by this page
  } catch {
    return undefined;
  }
}
