import type {
  AlsoPays,
  AnyProblem,
  Client,
  ContactlessPayment,
  Register,
  Taking,
  Unfinished,
} from '@chairside/client';
import type { refundOperations } from '@chairside/client/refunds';
import {
  type Control,
  type Facts,
  type GivingBack,
  isBusy,
  type PaidPart,
  type Reading,
  type Refunding,
  readingAfter,
  totalOf,
  type VisitMoney,
} from '@chairside/client/screen';

import { createSharing, type ShareFacts } from '@chairside/client/share-screen';
import type { shareOperations, VisitShares } from '@chairside/client/shares';

import type { Cash } from './cash.ts';

/** The owner's calls. */
export type Refunds = Pick<Client<typeof refundOperations>, 'refundPayment' | 'listRefunds'>;

/** A shop that pays several visits with one card, and shares and moves payments. */
interface Shares {
  /** The owner's calls. */
  readonly client: Pick<Client<typeof shareOperations>, 'listShares' | 'sharePayment'>;
  readonly visits: readonly { readonly id: string; readonly name: string }[];
  readonly barbers: ShareFacts['barbers'];
}

interface Parts {
  readonly client: Pick<Client, 'listContactlessPayments' | 'getContactlessPayment' | 'newKey'>;
  readonly shares?: Shares | undefined;
  readonly register: Register;
  readonly refunds?: Refunds | undefined;
  /** What was paid without a card, in a shop that takes cash. */
  readonly cash?: Pick<Cash, 'read'> | undefined;
  readonly takesTips: boolean;
  readonly currency: string;
  /** The price of the visit; empty if this app does not know it. */
  readonly priceOf: (appointmentId: string) => string;
}

/** The app's knowledge of its visits, for `screenOf`. It changes by `press`, and by what the service answers. */
export type Visits = ReturnType<typeof createVisits>;

type VisitPart = VisitShares['items'][number];

const minor = (amount = '0.00') => Math.round(Number(amount) * 100);
const cents = (minorUnits: number) => (minorUnits / 100).toFixed(2);

const lost = ({ type }: AnyProblem) => (type === 'unauthorized' ? 'signedOut' : undefined);

const limits = { maxAttempts: 1, timeLimitMs: 6000 };

/** The service forgets keys after 72 hours: a refund that is asked for again later would be a second one. */
const keyLifeMs = 71 * 60 * 60_000;

/** A refund whose outcome is not known, since it was asked for first. */
interface OpenRefund {
  readonly unknown: GivingBack;
  readonly plan: readonly Refunding[];
  /** The amount that had gone back before, in the smallest unit. */
  readonly beforeMinor: number;
  readonly begunAt: number;
}

interface Visit {
  books: Reading<VisitMoney>;
  isSignedOut: boolean;
  changedAt: number;
  back: GivingBack;
  openRefund: OpenRefund | undefined;
  typed: string;
  tipping: { readonly price: string; readonly alsoPays?: AlsoPays | undefined } | undefined;
  /** The other visits that the card pays too; `undefined` while the barber is not asked for them. */
  alsoPays: readonly string[] | undefined;
  /** Whether the service is being asked about the note of its payment. */
  isAsked: boolean;
}

export function createVisits(parts: Parts, now: () => number = Date.now) {
  const { client, register, refunds, cash, shares, takesTips, currency, priceOf } = parts;
  const visits = new Map<string, Visit>();
  const listeners = new Set<() => void>();
  let notes: Facts['notes'] = 'unread';
  let left: readonly string[] = [];
  let version = 0;
  /** The payments that were resumed, the last one at the end. */
  const resumed = new Set<string>();
  /** The payment that is resumed although nobody asked for it. */
  let resuming: { readonly id: string; readonly ended: Promise<Taking> } | undefined;

  function visitOf(id: string): Visit {
    const visit = visits.get(id) ?? {
      books: { is: 'unread' },
      isSignedOut: false,
      changedAt: 0,
      back: { is: 'none' },
      openRefund: undefined,
      typed: '',
      tipping: undefined,
      alsoPays: undefined,
      isAsked: false,
    };
    visits.set(id, visit);
    return visit;
  }

  function changed(): void {
    version += 1;
    for (const listener of listeners) listener();
  }

  const sharing =
    shares &&
    createSharing({
      client,
      shares: shares.client,
      changed,
      refresh: () => Promise.all(shares.visits.map(({ id }) => read(id))),
    });

  register.subscribe(() => {
    const { appointmentId } = register.getSnapshot();
    if (appointmentId !== undefined) visitOf(appointmentId).changedAt = now();
    changed();
  });

  /** Reads what was paid and what went back. An answer that is missing makes the whole reading fail. */
  async function readMoney(id: string): Promise<VisitMoney | 'signedOut' | undefined> {
    const listed = await client.listContactlessPayments({ appointmentId: id }, limits);
    if (listed.isErr()) return lost(listed.error);
    const payments: PaidPart[] = [];
    const moved: string[] = [];
    const own = shares && (await shares.client.listShares({ appointmentId: id }, limits));
    if (own?.isErr()) return lost(own.error);
    const parts = own?.isOk() ? own.value.items : [];
    const opened = new Set(listed.value.items.map((payment) => payment.id));
    const elsewhere = parts.map((part) => part.contactlessPaymentId);
    for (const paymentId of new Set(elsewhere.filter((other) => !opened.has(other)))) {
      const paid = await client.getContactlessPayment({ contactlessPaymentId: paymentId }, limits);
      if (paid.isErr()) return lost(paid.error);
      const went = await readRefunds(paymentId);
      if (went?.isErr()) return lost(went.error);
      payments.push(sharedPart(id, paid.value, parts, went?.unwrapOr(undefined)?.count));
    }
    for (const payment of listed.value.items) {
      const { id: paymentId, amount, tip, capturedAt, card, state } = payment;
      if (state !== 'captured') continue;
      if (payment.shares !== undefined && !elsewhere.includes(paymentId)) {
        moved.push(paymentId);
        continue;
      }
      const went = await readRefunds(paymentId);
      if (went?.isErr()) return lost(went.error);
      const read = went?.unwrapOr(undefined);
      if (payment.shares !== undefined) {
        payments.push(sharedPart(id, payment, parts, read?.count));
        continue;
      }
      const part = {
        id: paymentId,
        amount,
        tip,
        capturedAt,
        card: card?.maskedPersonalAccountNumber,
      };
      if (read === undefined) {
        payments.push(part);
        continue;
      }
      const { items, count, refundable, refundableTip = '0.00' } = read;
      const sum = (states: readonly string[]) =>
        items
          .filter((refund) => states.includes(refund.state))
          .reduce((total, refund) => total + Number(refund.amount), 0)
          .toFixed(2);
      payments.push({
        ...part,
        back: {
          amount: sum(['pending', 'succeeded']),
          underWay: sum(['pending']),
          refundable,
          refundableTip,
          count,
        },
      });
    }
    const due = priceOf(id) || undefined;
    // The register takes over the last card that was read, on a phone without a note of the visit.
    const last = listed.value.items.findLast(
      ({ state }) => state === 'authorized' || state === 'processing',
    );
    const held = last?.state === 'authorized' && !left.includes(id) ? last.amount : undefined;
    if (due === undefined || cash === undefined) return { due, payments, moved, held };
    const tenders = await cash.read(id);
    // A card owes what is left after the cash.
    return tenders && { due: cents(minor(due) - minor(tenders.tendered)), payments, moved, held };
  }

  /** `undefined` if this person may not read refunds. */
  const readRefunds = async (contactlessPaymentId: string) =>
    refunds?.listRefunds({ contactlessPaymentId }, limits);

  /** What a visit has of a payment that is shared, of which this person may read so many refunds. */
  function sharedPart(
    appointmentId: string,
    { id, amount: charged, capturedAt, card, shares: whole = [] }: ContactlessPayment,
    parts: readonly VisitPart[],
    count: number | undefined,
  ): PaidPart {
    const own = parts.filter((part) => part.contactlessPaymentId === id);
    const sum = (of: (part: VisitPart) => string | undefined) =>
      cents(own.reduce((total, part) => total + minor(of(part)), 0));
    const [amount, left] = [sum((part) => part.amount), sum((part) => part.left)];
    const nameOf = (barberId: string) =>
      shares?.barbers.find((barber) => barber.id === barberId)?.name ?? barberId;
    return {
      id,
      amount,
      tip: sum((part) => part.tip),
      capturedAt,
      card: card?.maskedPersonalAccountNumber,
      appointmentId,
      charged: whole.some((part) => part.appointmentId !== appointmentId) ? charged : undefined,
      barbers:
        own.length < 2
          ? undefined
          : own.map((part) => ({ name: nameOf(part.barberId), amount: part.amount })),
      back:
        count === undefined
          ? undefined
          : {
              amount: cents(minor(amount) - minor(left)),
              underWay: '0.00',
              refundable: left,
              refundableTip: sum((part) => part.leftTip),
              count,
            },
    };
  }

  /** The other visits of today that are known to owe something. */
  function others(id: string): ShareFacts['visits'] {
    return (shares?.visits ?? []).flatMap((other) => {
      const { books } = visitOf(other.id);
      if (other.id === id || books.is !== 'read' || books.failedAt !== undefined) return [];
      const { due, payments } = books.value;
      const paid = payments.reduce((sum, part) => sum + minor(part.amount) - minor(part.tip), 0);
      const left = minor(due) - paid;
      return left > 0 ? [{ ...other, left: cents(left) }] : [];
    });
  }

  function alsoPaid(id: string): AlsoPays | undefined {
    return visitOf(id).alsoPays?.flatMap((other) => {
      const amount = others(id).find((one) => one.id === other)?.left;
      return amount === undefined ? [] : [{ appointmentId: other, amount }];
    });
  }

  async function read(id: string): Promise<void> {
    const askedAt = now();
    const read = await readMoney(id);
    const visit = visitOf(id);
    visit.isSignedOut = read === 'signedOut';
    const answer = typeof read === 'object' ? { value: read } : undefined;
    visit.books = readingAfter(visit.books, askedAt, answer, now());
    finishDueRefund(visit);
    changed();
  }

  async function readNotes(): Promise<void> {
    const unfinished = await register.unfinished();
    notes = unfinished === undefined ? 'unreadable' : 'read';
    left = (unfinished ?? []).map(({ appointmentId }) => appointmentId);
    changed();
  }

  /** Opens a visit. After a restart, the service is asked first about a payment that was begun. */
  async function open(id: string): Promise<void> {
    const visit = visitOf(id);
    visit.isAsked = true;
    changed();
    void read(id);
    await readNotes();
    const isOther = register.getSnapshot(id).step === 'idle';
    if (left.includes(id) && isOther && !isBusy(register.getSnapshot())) {
      await register.resume(id);
    }
    visit.isAsked = false;
    await read(id);
  }

  /**
   * Asks for the end of each payment whose card may have been read: an approved card waits for its capture after the
   * system has ended the app. Call it at the start, and when the app comes to the front.
   */
  async function resume(): Promise<void> {
    const unfinished = (await register.unfinished()) ?? [];
    const waiting = unfinished.filter(({ mayBeCharged }) => mayBeCharged);
    // A payment that stays unknown for minutes must not keep the others from their turn, however short the app is open.
    const order = [...resumed];
    const turnOf = (one: Unfinished) => order.indexOf(one.appointmentId);
    for (const { appointmentId } of waiting.sort((one, other) => turnOf(one) - turnOf(other))) {
      // The register takes one payment at a time.
      if (isBusy(register.getSnapshot())) break;
      resumed.delete(appointmentId);
      resumed.add(appointmentId);
      resuming = { id: appointmentId, ended: register.resume(appointmentId) };
      const { problem } = await resuming.ended;
      resuming = undefined;
      if (problem?.type === 'unanswered') break;
    }
    await readNotes();
  }

  async function check(id: string, isHeld = false): Promise<void> {
    await readNotes();
    if (isHeld || register.getSnapshot(id).step === 'stuck') await register.resume(id);
    await read(id);
  }

  async function take(
    id: string,
    amount?: string,
    tip?: string,
    alsoPays?: AlsoPays,
  ): Promise<void> {
    Object.assign(visitOf(id), { tipping: undefined, alsoPays: undefined, back: { is: 'none' } });
    // A customer who is there comes before the payment of another, which is resumed later.
    while (resuming !== undefined && resuming.id !== id) {
      register.stop();
      await resuming.ended;
    }
    const taking = register.take({ appointmentId: id, amount, tip, alsoPays });
    changed();
    await taking;
    visitOf(id).typed = '';
    await read(id);
    await readNotes();
  }

  function setBack(id: string, back: GivingBack): void {
    visitOf(id).back = back;
    changed();
  }

  /** The amount that went back by the last books. */
  const refundedMinor = ({ books }: Visit) =>
    (books.is === 'read' ? books.value.payments : []).reduce(
      (total, part) => total + minor(part.back?.amount),
      0,
    );

  /** Forgets a refund with an unknown outcome once the books show it, and before its keys are forgotten. */
  function finishDueRefund(visit: Visit): void {
    const { back, books, openRefund } = visit;
    if (back.is !== 'unknown' || openRefund === undefined) return;
    const { plan, beforeMinor, begunAt } = openRefund;
    // Books from before it was asked for do not tell. A later end than now is of a clock that was set back since.
    const endedAt = back.endedAt <= now() ? back.endedAt : 0;
    const isSince = books.is === 'read' && books.askedAt >= endedAt;
    const isShown = isSince && refundedMinor(visit) >= beforeMinor + minor(totalOf(plan));
    if (isShown || now() - begunAt > keyLifeMs) {
      Object.assign(visit, { back: { is: 'none' }, openRefund: undefined });
    }
  }

  /** The question may have been about a refund whose outcome is still not known. */
  function closeQuestion(visit: Visit): void {
    visit.back = visit.openRefund?.unknown ?? { is: 'none' };
  }

  /** Gives back what the person has confirmed, each refund under its own key. */
  async function giveBack(id: string, plan: readonly Refunding[]): Promise<void> {
    const visit = visitOf(id);
    const { back, openRefund } = visit;
    if (back.is !== 'asking' || refunds === undefined) return;
    const amount = totalOf(plan);
    const begun =
      openRefund?.plan === plan
        ? openRefund
        : { beforeMinor: refundedMinor(visit), begunAt: now() };
    visit.openRefund = undefined;
    if (now() - begun.begunAt > keyLifeMs) {
      setBack(id, { is: 'none' });
      return read(id);
    }
    setBack(id, { is: 'running', amount });
    const done: Refunding[] = [];
    let isUnderWay = false;
    for (const refunding of plan) {
      const { paymentId: contactlessPaymentId, amount: part, tip, appointmentId, key } = refunding;
      const idempotencyKey = key;
      const body = {
        amount: part,
        ...(tip !== undefined && { tip }),
        ...(appointmentId !== undefined && { appointmentId }),
      };
      const made = await refunds.refundPayment({ contactlessPaymentId, idempotencyKey, body });
      if (made.isErr()) {
        const { error: problem } = made;
        const end = { amount, endedAt: now() };
        const isUnknown = problem.recovery.outcome === 'unknown';
        const unknown = { is: 'unknown', before: cents(begun.beforeMinor), plan, ...end } as const;
        if (isUnknown) visit.openRefund = { ...begun, plan, unknown };
        setBack(
          id,
          isUnknown ? unknown : { is: 'refused', wentBack: totalOf(done), problem, ...end },
        );
        return read(id);
      }
      isUnderWay ||= made.value.state === 'pending';
      done.push(refunding);
    }
    setBack(id, { is: 'done', amount, isUnderWay, endedAt: now() });
    return read(id);
  }

  /** Does what a control says. */
  function press(
    id: string,
    { act, amount, asksTip, plan, alsoPays }: Control,
    onLeave: () => void,
  ): void {
    const visit = visitOf(id);
    switch (act) {
      case 'take':
        if (asksTip === true) visit.tipping = { price: amount ?? '', alsoPays };
        else void take(id, amount, undefined, alsoPays);
        break;
      case 'stop':
        register.stop();
        break;
      case 'check':
        void check(id, visit.books.is === 'read' && visit.books.value.held !== undefined);
        break;
      case 'drop':
        void register.forget(id).then(() => check(id));
        break;
      case 'leave':
        // A question and a typed amount are over; a refund that may have moved money is not.
        if (visit.back.is !== 'unknown' && visit.back.is !== 'running') closeQuestion(visit);
        visit.typed = '';
        visit.alsoPays = undefined;
        onLeave();
        break;
      case 'refund':
      case 'refundTip':
        finishDueRefund(visit);
        visit.back = {
          is: 'asking',
          what: act === 'refund' ? 'all' : 'tip',
          typed: '',
          plan: visit.back.is === 'unknown' ? visit.back.plan : undefined,
        };
        break;
      case 'keep':
        closeQuestion(visit);
        break;
      case 'giveBack':
        if (plan !== undefined) void giveBack(id, plan);
        break;
      case 'signIn':
        // A real app opens its sign-in here.
        break;
    }
    changed();
  }

  return {
    factsOf(id: string): Facts {
      const { books, isSignedOut, changedAt, back, typed, tipping, isAsked } = visitOf(id);
      return {
        now: now(),
        currency,
        taking: register.getSnapshot(id),
        takingAt: changedAt,
        notes: isAsked && notes !== 'unreadable' ? 'unread' : notes,
        books,
        isSignedOut,
        back,
        typed,
        alsoPays: alsoPaid(id),
        tipping,
        takesTips,
        mayRefund: refunds !== undefined,
        leaves: 'back',
      };
    },
    /** The payments that were begun and have not ended. */
    left: () => left,
    open,
    resume,
    read,
    readNotes,
    press,
    chooseTip: (id: string, total: string, tip: string) =>
      void take(id, total, tip, visitOf(id).tipping?.alsoPays),
    sharing,
    others,
    /** What a shop asks of a payment for several visits or barbers. */
    shareFacts: (id: string): ShareFacts => ({
      currency,
      appointmentId: id,
      visits: others(id),
      barbers: shares?.barbers ?? [],
      sharing: sharing?.getSnapshot() ?? { is: 'none' },
    }),
    /** Opens or closes the choice of other visits that the card pays too. */
    payForMore(id: string): void {
      const visit = visitOf(id);
      Object.assign(visit, { typed: '', alsoPays: visit.alsoPays === undefined ? [] : undefined });
      changed();
    },
    /** Chooses another visit, or takes it off. */
    payAlso(id: string, other: string): void {
      const visit = visitOf(id);
      const { alsoPays = [] } = visit;
      visit.alsoPays = alsoPays.includes(other)
        ? alsoPays.filter((one) => one !== other)
        : [...alsoPays, other];
      changed();
    },
    type(id: string, text: string) {
      const visit = visitOf(id);
      if (visit.back.is === 'asking') visit.back = { ...visit.back, typed: text };
      else visit.typed = text;
      changed();
    },
    version: () => version,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
