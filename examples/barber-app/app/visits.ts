import type { Client, Register } from '@chairside/client';
import type { RefundClient } from '@chairside/client/refunds';
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

import type { Cash } from './cash.ts';

/** The owner's calls. */
export type Refunds = Pick<RefundClient, 'refundPayment' | 'listRefunds'>;

interface Parts {
  readonly client: Pick<Client, 'listContactlessPayments'>;
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

const limits = { maxAttempts: 1, timeLimitMs: 6000 };

interface Visit {
  books: Reading<VisitMoney>;
  changedAt: number;
  back: GivingBack;
  typed: string;
  tipping: { readonly price: string } | undefined;
  /** Whether the service is being asked about the note of its payment. */
  isAsked: boolean;
}

export function createVisits(parts: Parts, now: () => number = Date.now) {
  const { client, register, refunds, cash, takesTips, currency, priceOf } = parts;
  const visits = new Map<string, Visit>();
  const listeners = new Set<() => void>();
  let notes: Facts['notes'] = 'unread';
  let left: readonly string[] = [];
  let version = 0;

  function visitOf(id: string): Visit {
    const visit = visits.get(id) ?? {
      books: { is: 'unread' },
      changedAt: 0,
      back: { is: 'none' },
      typed: '',
      tipping: undefined,
      isAsked: false,
    };
    visits.set(id, visit);
    return visit;
  }

  function changed(): void {
    version += 1;
    for (const listener of listeners) listener();
  }

  register.subscribe(() => {
    const { appointmentId } = register.getSnapshot();
    if (appointmentId !== undefined) visitOf(appointmentId).changedAt = now();
    changed();
  });

  /** Reads what was paid and what went back. An answer that is missing makes the whole reading fail. */
  async function readMoney(id: string): Promise<VisitMoney | undefined> {
    const listed = await client.listContactlessPayments({ appointmentId: id }, limits);
    if (listed.isErr()) return undefined;
    const payments: PaidPart[] = [];
    for (const { id: paymentId, amount, tip, capturedAt, card, state } of listed.value.items) {
      if (state !== 'captured') continue;
      const part = {
        id: paymentId,
        amount,
        tip,
        capturedAt,
        card: card?.maskedPersonalAccountNumber,
      };
      if (refunds === undefined) {
        payments.push(part);
        continue;
      }
      const read = await refunds.listRefunds({ contactlessPaymentId: paymentId }, limits);
      if (read.isErr()) return undefined;
      const { items, refundable, refundableTip = '0.00' } = read.value;
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
        },
      });
    }
    // A price that is not known here is what was paid, so that nothing more is offered.
    const paid = payments.reduce(
      (total, part) => total + Number(part.amount) - Number(part.tip ?? 0),
      0,
    );
    const price = priceOf(id);
    if (price === '' || cash === undefined) return { due: price || paid.toFixed(2), payments };
    const tenders = await cash.read(id);
    // A card owes what is left after the cash.
    return tenders && { due: (Number(price) - Number(tenders.tendered)).toFixed(2), payments };
  }

  async function read(id: string): Promise<void> {
    const askedAt = now();
    const value = await readMoney(id);
    const visit = visitOf(id);
    visit.books = readingAfter(visit.books, askedAt, value && { value });
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

  async function check(id: string): Promise<void> {
    await readNotes();
    if (register.getSnapshot(id).step === 'stuck') await register.resume(id);
    await read(id);
  }

  async function take(id: string, amount?: string, tip?: string): Promise<void> {
    Object.assign(visitOf(id), { tipping: undefined, back: { is: 'none' } });
    const taking = register.take({ appointmentId: id, amount, tip });
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

  /** Gives back what the person has confirmed, each refund under its own key. */
  async function giveBack(id: string, plan: readonly Refunding[]): Promise<void> {
    const { back, books } = visitOf(id);
    if (back.is !== 'asking' || refunds === undefined) return;
    const amount = totalOf(plan);
    const payments = books.is === 'read' ? books.value.payments : [];
    const before = payments.reduce((total, part) => total + Number(part.back?.amount ?? 0), 0);
    setBack(id, { is: 'running', amount });
    const done: Refunding[] = [];
    let isUnderWay = false;
    for (const refunding of plan) {
      const { paymentId: contactlessPaymentId, amount: part, tip, key: idempotencyKey } = refunding;
      const body = { amount: part, ...(tip !== undefined && { tip }) };
      const made = await refunds.refundPayment({ contactlessPaymentId, idempotencyKey, body });
      if (made.isErr()) {
        const { error: problem } = made;
        const end = { amount, endedAt: now() };
        const isUnknown = problem.recovery.outcome === 'unknown';
        setBack(
          id,
          isUnknown
            ? { is: 'unknown', before: before.toFixed(2), plan, ...end }
            : { is: 'refused', wentBack: totalOf(done), problem, ...end },
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
  function press(id: string, { act, amount, asksTip, plan }: Control, onLeave: () => void): void {
    const visit = visitOf(id);
    switch (act) {
      case 'take':
        if (asksTip === true) visit.tipping = { price: amount ?? '' };
        else void take(id, amount);
        break;
      case 'stop':
        register.stop();
        break;
      case 'check':
        void check(id);
        break;
      case 'drop':
        void register.forget(id).then(() => check(id));
        break;
      case 'leave':
        // A question and a typed amount are over; a refund that may have moved money is not.
        if (visit.back.is !== 'unknown' && visit.back.is !== 'running') visit.back = { is: 'none' };
        visit.typed = '';
        onLeave();
        break;
      case 'refund':
      case 'refundTip':
        visit.back = {
          is: 'asking',
          what: act === 'refund' ? 'all' : 'tip',
          typed: '',
          plan: visit.back.is === 'unknown' ? visit.back.plan : undefined,
        };
        break;
      case 'keep':
        visit.back = { is: 'none' };
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
      const { books, changedAt, back, typed, tipping, isAsked } = visitOf(id);
      return {
        now: now(),
        currency,
        taking: register.getSnapshot(id),
        takingAt: changedAt,
        notes: isAsked && notes !== 'unreadable' ? 'unread' : notes,
        books,
        back,
        typed,
        tipping,
        takesTips,
        mayRefund: refunds !== undefined,
        leaves: 'back',
      };
    },
    /** The payments that were begun and have not ended. */
    left: () => left,
    open,
    read,
    readNotes,
    press,
    chooseTip: (id: string, total: string, tip: string) => void take(id, total, tip),
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
