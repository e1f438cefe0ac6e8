import type { AnyProblem, Client } from '@chairside/client';
import { keyPartOf, type Reading, readingAfter, type VisitMoney } from '@chairside/client/screen';
import type { Tenders, tenderOperations } from '@chairside/client/tenders';

// Cash at a visit: what is known of it, and its screen as one pure function of that (D207).

/** A tender to record, or to give back. The same key is the same act, also after a restart. */
interface Wish {
  readonly what: 'take' | 'back';
  readonly amount: string;
  readonly key: string;
  /** The tender that goes back, or the card payment whose refund failed. */
  readonly of?: string;
  /** When it was first pressed. */
  readonly startedAt?: number;
}

type Doing =
  | { readonly is: 'none' }
  | { readonly is: 'asking' | 'running'; readonly wish: Wish }
  | { readonly is: 'done' | 'unknown'; readonly wish: Wish; readonly endedAt: number }
  | {
      readonly is: 'refused';
      readonly wish: Wish;
      /** undefined: the key was used at earlier shops of the visit. */
      readonly problem: AnyProblem | undefined;
      readonly endedAt: number;
    };

export interface CashFacts {
  /** By the clock that gave `askedAt` and `endedAt`. */
  readonly now: number;
  readonly currency: string;
  readonly books: Reading<Tenders>;
  readonly isSignedOut: boolean;
  readonly doing: Doing;
  readonly typed: string;
  /** What cards paid of the visit, and what went back to them. */
  readonly visit: Reading<VisitMoney>;
}

/**
 * Each act has a place of its own, where no other control of the visit ever is. `take` and `back` only ask, so
 * that a second tap on them moves nothing.
 */
export type CashAct = 'take' | 'check' | 'back' | 'keep' | 'received' | 'giveBack';

export interface CashControl {
  readonly act: CashAct;
  readonly label: string;
  readonly wish?: Wish;
}

export interface CashScreen {
  readonly state: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'wait' | 'unknown';
  readonly sum?: { readonly label: string; readonly amount: string };
  readonly said: string;
  readonly todo: string;
  readonly lines: readonly string[];
  readonly controls: readonly CashControl[];
  readonly hasField: boolean;
  /** Why no control has the typed amount. */
  readonly fieldFault?: string | undefined;
}

const minor = (amount = '0.00') => Math.round(Number(amount) * 100);
const money = (cents: number) => (cents / 100).toFixed(2);

/** A typed amount in cents; undefined for other text. */
function typedMinor(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.');
  return /^\d{1,6}(\.\d{1,2})?$/.test(text) ? minor(text) : undefined;
}

/**
 * What a reading says now; undefined if it is not read, or was read before the last act ended. A later moment than
 * now was taken before the phone's clock was set back: such an end says nothing, and such a reading is old.
 */
function known<T>(reading: Reading<T>, { doing, now }: CashFacts): T | undefined {
  if (reading.is !== 'read' || reading.failedAt !== undefined) return undefined;
  const endedAt = 'endedAt' in doing && doing.endedAt <= now ? doing.endedAt : 0;
  return reading.askedAt < endedAt || reading.askedAt > now ? undefined : reading.value;
}

/** The amount that can be taken now: what a card is being charged for cannot. */
const free = ({ remaining, reserved }: Tenders) => Math.max(0, minor(remaining) - minor(reserved));

const kept = ({ amount, returned, voidedAt }: Tenders['items'][number]) =>
  voidedAt === undefined ? minor(amount) - minor(returned) : 0;

function takeWish(appointmentId: string, read: Tenders, typed: string): Wish | undefined {
  const cents = typed === '' ? free(read) : typedMinor(typed);
  if (cents === undefined || cents === 0 || cents > free(read)) return undefined;
  const amount = money(cents);
  // The count lacks the tenders of another business, where the visit was before.
  const key = `cash-${keyPartOf(appointmentId)}-${read.count}-${read.tendered}-${amount}`;
  return { what: 'take', amount, key };
}

/**
 * The latest tender that has something left, as a person would give it back; else the latest card payment. Cash for
 * that is refused, unless its refund has failed.
 */
function backWish({ items, returns }: Tenders, facts: CashFacts): Wish | undefined {
  const last = items.findLast((one) => kept(one) > 0);
  const paid = known(facts.visit, facts)?.payments.at(-1);
  const id = last?.id ?? paid?.id;
  const earlier = returns.filter((one) => (one.tenderId ?? one.contactlessPaymentId) === id);
  // A person who may not read refunds knows only of the cash.
  const left = earlier.reduce((sum, { amount }) => sum - minor(amount), minor(paid?.amount));
  const whole = last === undefined ? minor(paid?.back?.refundable ?? money(left)) : kept(last);
  const cents = facts.typed === '' ? whole : typedMinor(facts.typed);
  if (id === undefined || cents === undefined || cents === 0 || cents > whole) return undefined;
  const amount = money(cents);
  const key = `return-${id}-${earlier.length}-${money(whole)}-${amount}`;
  return { what: 'back', amount, key, of: id };
}

const refundCard = 'Refund the card: press Back to the card, then Refund.';

/** Why the shop refused, and what to do: by the reason or the type of the problem. */
function refusalOf(
  problem: AnyProblem | undefined,
  amountOf: (name: string) => string,
): readonly [string, string] {
  const attributes: Readonly<Record<string, unknown>> =
    (problem && 'attributes' in problem && problem.attributes) || {};
  const left = (name: string) => amountOf(String(attributes[name] ?? ''));
  switch (attributes['reason'] ?? problem?.type) {
    case undefined:
      return ['Earlier shops of the visit recorded the same.', 'Take it in two parts.'];
    case 'exceedsRemaining':
      return [`The visit owes only ${left('remaining')} more.`, 'Take that, and give change.'];
    case 'reservedElsewhere':
      return [
        `A card is being charged. Only ${left('remaining')} can be taken in cash now.`,
        'Wait a moment, then look again.',
      ];
    case 'appointmentAlreadyPaid':
      return ['Nothing is left to pay.', 'Give the customer this cash.'];
    case 'exceedsReturnable':
      return [`Only ${left('returnable')} can still go back.`, 'Give back no more than that.'];
    case 'paidByCard':
      return ['A card paid this.', refundCard];
    case 'tenderVoided':
      return ['It was recorded by mistake, and is void.', 'Look at what is left.'];
    case 'forbidden':
    case 'notFound':
      return ['You may not do this for this visit.', 'Ask its barber, or the shop.'];
    default:
      return ['The shop refused it.', 'Look at what is left, then try again.'];
  }
}

export function cashScreenOf(facts: CashFacts, appointmentId: string): CashScreen {
  const { currency, books, isSignedOut, doing, typed } = facts;
  const amountOf = (amount: string) => `${currency} ${amount}`;
  const read = known(books, facts);
  const lines = linesOf(facts, amountOf);
  const base = { lines, controls: [], hasField: false };
  if (doing.is === 'running' || doing.is === 'asking') {
    const { wish } = doing;
    const amount = amountOf(wish.amount);
    const sum = { label: wish.what === 'take' ? 'Cash' : 'Cash back', amount: wish.amount };
    if (doing.is === 'running') {
      const said = `${wish.what === 'take' ? 'Recording' : 'Giving back'} ${amount} in cash.`;
      return { ...base, state: 'running', tone: 'wait', sum, said, todo: 'Wait.' };
    }
    return {
      ...base,
      state: 'asking',
      tone: 'plain',
      sum,
      said: wish.what === 'take' ? `Take ${amount} in cash?` : `Give back ${amount} in cash?`,
      todo:
        wish.what === 'take'
          ? 'Count it first. It counts as paid once you press Received.'
          : 'Hand it out once it is recorded. The visit does not owe it again.',
      controls: [
        { act: 'keep', label: 'Do not' },
        wish.what === 'take'
          ? { act: 'received', label: `Received ${wish.amount}`, wish }
          : { act: 'giveBack', label: `Give back ${wish.amount}`, wish },
      ],
    };
  }
  if (doing.is === 'unknown') {
    const { wish } = doing;
    const did = wish.what === 'take' ? 'was recorded' : 'went back';
    return {
      ...base,
      state: 'unknown',
      tone: 'unknown',
      said: `It is not known whether ${amountOf(wish.amount)} in cash ${did}.`,
      todo: 'Press Check again: it asks for the same once more, and is never done twice.',
      controls: [{ act: 'check', label: 'Check again', wish }],
    };
  }
  if (read === undefined) {
    const hasFailed =
      books.is === 'failed' || (books.is === 'read' && books.failedAt !== undefined);
    if (!hasFailed) {
      const said = 'Reading what was paid in cash.';
      return { ...base, state: 'looking', tone: 'wait', said, todo: 'Wait a moment.' };
    }
    const why = isSignedOut ? 'You are signed out' : 'The shop does not answer';
    const first = isSignedOut ? 'Sign in' : 'Check the connection';
    return {
      ...base,
      state: isSignedOut ? 'signedOut' : 'unreadable',
      tone: 'unknown',
      said: `${why}, so it is not known what was paid.`,
      todo: `Take no cash now. ${first}, then press Check again.`,
      controls: [{ act: 'check', label: 'Check again' }],
    };
  }
  const take = takeWish(appointmentId, read, typed);
  const back = backWish(read, facts);
  const controls: CashControl[] = [
    ...(take && free(read) > 0
      ? [{ act: 'take', label: `Cash ${take.amount}`, wish: take } as const]
      : []),
    ...(back ? [{ act: 'back', label: `Cash back ${back.amount}`, wish: back } as const] : []),
  ];
  const left = amountOf(money(minor(read.remaining)));
  const isPaid = minor(read.remaining) === 0;
  const now = isPaid ? 'Nothing is left to pay.' : `${left} is still to be paid.`;
  const next = isPaid
    ? 'Cash that was taken can go back in cash. What a card paid goes back to the card.'
    : 'Count the cash, then press Cash. Or go back, and take a card.';
  const isWrong = typed !== '' && take === undefined;
  const fieldFault =
    isWrong && free(read) > 0 ? `At most ${amountOf(money(free(read)))} can be taken.` : undefined;
  const hasField = free(read) > 0 || back !== undefined || typed !== '';
  const all = { ...base, controls, hasField, fieldFault };
  const sum = isPaid
    ? undefined
    : { sum: { label: 'Still to pay', amount: money(minor(read.remaining)) } };
  if (doing.is === 'refused') {
    const [why, todo] = refusalOf(doing.problem, amountOf);
    const did = doing.wish.what === 'take' ? 'was not recorded' : 'did not go back';
    const said = `${amountOf(doing.wish.amount)} in cash ${did}. ${why}`;
    return { ...all, ...sum, state: 'refused', tone: 'bad', said, todo };
  }
  if (doing.is === 'done') {
    const did = doing.wish.what === 'take' ? 'is recorded' : 'went back';
    const said = `${amountOf(doing.wish.amount)} in cash ${did}. ${now}`;
    return { ...all, ...sum, state: 'done', tone: 'good', said, todo: next };
  }
  return { ...all, ...sum, state: 'ready', tone: 'plain', said: now, todo: next };
}

/** Each tender, newest first. */
function linesOf({ books }: CashFacts, amountOf: (amount: string) => string): readonly string[] {
  if (books.is !== 'read') return [];
  return books.value.items.toReversed().map(({ kind, amount, returned, createdAt, voidedAt }) => {
    const at = new Date(createdAt).toTimeString().slice(0, 5);
    const back = minor(returned) > 0 ? `, ${amountOf(returned)} went back` : '';
    const isVoid = voidedAt === undefined ? '' : ', void';
    return `${amountOf(amount)} ${kind === 'bankTransfer' ? 'bank transfer' : kind} at ${at}${back}${isVoid}`;
  });
}

export type Cash = ReturnType<typeof createCash>;

const limits = { maxAttempts: 1, timeLimitMs: 6000 };

interface Visit {
  books: Reading<Tenders>;
  isSignedOut: boolean;
  doing: Doing;
  typed: string;
}

/** The app's knowledge of the cash of its visits. */
export function createCash(
  parts: {
    readonly tenders: Pick<
      Client<typeof tenderOperations>,
      'listTenders' | 'recordTender' | 'returnTender'
    >;
    readonly currency: string;
  },
  now: () => number = Date.now,
) {
  const { tenders, currency } = parts;
  const visits = new Map<string, Visit>();
  const listeners = new Set<() => void>();
  let version = 0;

  function visitOf(id: string): Visit {
    const visit = visits.get(id) ?? {
      books: { is: 'unread' },
      isSignedOut: false,
      doing: { is: 'none' },
      typed: '',
    };
    visits.set(id, visit);
    return visit;
  }

  function change(id: string, to: Partial<Visit>): void {
    Object.assign(visitOf(id), to);
    version += 1;
    for (const listener of listeners) listener();
  }

  /** Returns what was paid for a visit without a card; undefined if it could not be read. */
  async function read(id: string): Promise<Tenders | undefined> {
    const askedAt = now();
    const listed = await tenders.listTenders({ appointmentId: id }, limits);
    const value = listed.unwrapOr(undefined);
    const books = readingAfter(visitOf(id).books, askedAt, value && { value }, now());
    change(id, { books, isSignedOut: listed.isErr() && listed.error.type === 'unauthorized' });
    return value;
  }

  async function perform(id: string, wish: Wish): Promise<void> {
    change(id, { doing: { is: 'running', wish } });
    const { amount, key: idempotencyKey, of: tenderId } = wish;
    const done =
      tenderId === undefined
        ? await tenders.recordTender(
            { appointmentId: id, idempotencyKey, body: { kind: 'cash', amount } },
            limits,
          )
        : await tenders.returnTender({ tenderId, idempotencyKey, body: { amount } }, limits);
    const end = { wish, endedAt: now() };
    const listed = await read(id);
    const made = done.unwrapOr(undefined);
    const isOld = made && Date.parse(made.createdAt) < (wish.startedAt ?? 0);
    if (isOld && !tenderId && listed && !listed.items.some((one) => one.id === made.id)) {
      // A shop where the visit was before has used the key, for a tender that is void.
      if (idempotencyKey.endsWith('-again'))
        return change(id, { doing: { is: 'refused', problem: undefined, ...end } });
      return perform(id, { ...wish, key: `${idempotencyKey}-again` });
    }
    if (done.isOk()) change(id, { doing: { is: 'done', ...end }, typed: '' });
    else if (done.error.recovery.outcome === 'unknown')
      change(id, { doing: { is: 'unknown', ...end } });
    else change(id, { doing: { is: 'refused', problem: done.error, ...end } });
  }

  return {
    factsOf: (id: string): Omit<CashFacts, 'visit'> => ({ now: now(), currency, ...visitOf(id) }),
    read,
    type: (id: string, typed: string) => change(id, { typed }),
    /** A question is over when its screen is left. An act that may have been done is not. */
    leave(id: string): void {
      const { doing } = visitOf(id);
      const isOpen = doing.is === 'running' || doing.is === 'unknown';
      change(id, { typed: '', doing: isOpen ? doing : { is: 'none' } });
    },
    press(id: string, { act, wish }: CashControl): void {
      if (act === 'keep') change(id, { doing: { is: 'none' } });
      else if ((act === 'take' || act === 'back') && wish)
        change(id, { doing: { is: 'asking', wish } });
      else if (wish && visitOf(id).doing.is !== 'running')
        void perform(id, { startedAt: now(), ...wish });
      else void read(id);
    },
    version: () => version,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
