import { randomUUID } from 'node:crypto';
import {
  type Chairside,
  formatMoney,
  formatTimestamp,
  systemClock,
  type VisitSharesView,
} from '@chairside/core';
import type { Payment, Store } from '@chairside/core/ports';
import type { FakeProcessor } from '@chairside/fake-processor';
import type { Config } from '../config.ts';
import { appointmentOfAda } from '../demo-data.ts';
import type { Line, Timeline } from './timeline.ts';

/** A payment as the shop has it, and as the processor has it. */
interface PaymentBooks {
  readonly id: string;
  readonly state: string;
  readonly amount: string;
  /** The part of the amount that is tip. */
  readonly tip: string;
  readonly reference: string | undefined;
  readonly processor:
    | {
        readonly status: string;
        readonly amount: string;
        readonly captured: string;
        readonly refunds: readonly string[];
      }
    | undefined;
  /** The refunded amount of the shop's books, and the tip in it. */
  readonly refunded: string;
  readonly refundedTip: string;
  /** The part of it that is not certain yet. */
  readonly refundUnderWay: string;
  /** The number of its refunds in any state. */
  readonly refundCount: number;
  readonly capturedAt: string | undefined;
  readonly card: string | undefined;
  /** What the visit has of a payment that is shared; absent where all of it is the visit's. */
  readonly share?: VisitShare;
}

interface VisitShare {
  readonly amount: string;
  readonly tip: string;
  /** The part of it that was not given back. */
  readonly left: string;
  readonly leftTip: string;
  /** What other visits have of the payment. */
  readonly others: string;
  readonly barbers: readonly { readonly id: string; readonly amount: string }[];
}

export interface AppointmentBooks {
  readonly id: string;
  readonly customer: string;
  readonly due: string;
  /** The captured sum that counts towards the due, and the tips beside it. */
  readonly captured: string;
  readonly tips: string;
  /**
   * All that its cards were charged, for other visits too, by the shop's books and by the processor's books. `own` is
   * the visit's part of it.
   */
  readonly own: string;
  readonly charged: string;
  readonly chargedThere: string;
  /** The refunded sums, by both. */
  readonly refunded: string;
  readonly refundedThere: string;
  readonly payments: readonly PaymentBooks[];
}

const customers = [
  ['Kim', 'Cut', '45.00'],
  ['Noor', 'Beard trim', '20.00'],
  ['Sam', 'Cut and shave', '65.00'],
  ['Lee', 'Colour', '80.00'],
] as const;
const openAppointments = customers.length;
const shownAppointments = 12;
const maxPayments = 20;
const maxRefunds = 100;

export interface Books {
  /** Today's appointments, the newest last; there are always some to be paid. */
  read(): Promise<readonly AppointmentBooks[]>;
  /**
   * The customer pays a part in cash: it is recorded where the server takes tenders, else less is due. False if
   * that is not possible.
   */
  payCash(appointmentId: string, amountMinor: bigint): Promise<boolean>;
}

export function createBooks(
  chairside: Chairside,
  store: Store,
  fake: FakeProcessor,
  timeline: Timeline,
  { takesTenders, sharesPayments }: Pick<Config, 'takesTenders' | 'sharesPayments'>,
): Books {
  async function add(number: number): Promise<void> {
    const [name = '', what = '', amountDue = '0.00'] = customers[number % customers.length] ?? [];
    const id = `appointment_till_${Date.now().toString(36)}_${number}`;
    const occursOn = formatTimestamp(systemClock.now());
    const record = appointmentOfAda({ id, amountDueMinor: minor(amountDue), occursOn });
    const put = await chairside.records.putAppointment(record);
    if (put.isOk()) {
      timeline.add({ kind: 'appointment', id, customer: `${name}, ${what}`, amountDue });
    }
  }

  async function readOne(line: Extract<Line, { kind: 'appointment' }>) {
    const [appointment, ledger, payments] = await Promise.all([
      store.appointments.get(line.id),
      store.ledgers.get(line.id),
      store.payments.listByAppointment(line.id, maxPayments),
    ]);
    if (appointment.isErr() || ledger.isErr() || payments.isErr()) return undefined;
    if (appointment.value === undefined) return undefined;
    const shares = await readShares(line.id);
    if (shares === undefined) return undefined;
    const ids = new Set(payments.value.map(({ id }) => id));
    const paidElsewhere = shares.filter(({ contactlessPaymentId: id }) => !ids.has(id));
    const others = await Promise.all(
      [...new Set(paidElsewhere.map((share) => share.contactlessPaymentId))].map((id) =>
        store.payments.get(id),
      ),
    );
    const all = [...payments.value, ...others.flatMap((read) => read.unwrapOr(undefined) ?? [])];
    const rows = await Promise.all(
      all.map(async (payment) => {
        const row = await readPayment(payment);
        return payment.shares === undefined || payment.state !== 'captured'
          ? row
          : { ...row, share: shareOf(payment, shares) };
      }),
    );
    const here = rows.filter((row) => !isMoved(row));
    const captured = formatMoney(ledger.value.capturedMinor);
    const tips = sum(
      here.map(({ state, tip, share }) => (state === 'captured' ? (share?.tip ?? tip) : undefined)),
    );
    const own = sum([captured, tips]);
    return {
      id: line.id,
      customer: line.customer,
      // What was paid in cash is due no more.
      due: formatMoney(appointment.value.amountDueMinor - (ledger.value.tenderedMinor ?? 0n)),
      captured,
      tips,
      own,
      charged: sum([own, ...here.map(({ share }) => share?.others)]),
      chargedThere: sum(here.map(({ processor }) => processor?.captured)),
      refunded: sum(here.map(({ refunded }) => refunded)),
      refundedThere: sum(here.flatMap(({ processor }) => processor?.refunds)),
      payments: rows,
    };
  }

  /** What the visit has of its payments, and of those of others. */
  async function readShares(appointmentId: string): Promise<VisitSharesView['items'] | undefined> {
    if (!sharesPayments) return [];
    const listed = await chairside.listShares(desk, { appointmentId });
    return listed.isOk() ? listed.value.items : undefined;
  }

  async function readPayment(payment: Payment): Promise<PaymentBooks> {
    const { id, state, amountMinor, tipMinor = 0n, reference, capturedAt, card } = payment;
    const refunds = (await store.refunds.listByPayment(id, maxRefunds)).unwrapOr([]);
    const entry = reference === undefined ? undefined : fake.bookEntry(reference);
    const processor = entry && {
      status: entry.status,
      amount: entry.amount,
      captured: entry.amountCaptured,
      refunds: (entry.refunds ?? []).filter(isUnderWay).map(({ amount }) => amount),
    };
    const counted = refunds.filter(isUnderWay);
    const refunded = counted.reduce((total, refund) => total + refund.amountMinor, 0n);
    const pending = counted.filter(({ state }) => state === 'pending');
    const underWay = pending.reduce((total, refund) => total + refund.amountMinor, 0n);
    const refundedTip = counted.reduce((total, refund) => total + (refund.tipMinor ?? 0n), 0n);
    return {
      id,
      state,
      amount: formatMoney(amountMinor),
      tip: formatMoney(tipMinor),
      reference,
      processor,
      refunded: formatMoney(refunded),
      refundedTip: formatMoney(refundedTip),
      refundUnderWay: formatMoney(underWay),
      refundCount: refunds.length,
      capturedAt: capturedAt === undefined ? undefined : formatTimestamp(capturedAt),
      card: card?.maskedPersonalAccountNumber,
    };
  }

  async function read(): Promise<readonly AppointmentBooks[]> {
    const lines = timeline.since(0).filter((line) => line.kind === 'appointment');
    const books = await Promise.all(lines.slice(-shownAppointments).map(readOne));
    const found = books.filter((one) => one !== undefined);
    const open = found.filter(({ due, captured }) => due !== captured).length;
    if (open >= openAppointments) return found;
    for (let number = open; number < openAppointments; number += 1) {
      await add(lines.length + number - open);
    }
    return read();
  }

  return {
    read,
    async payCash(id, amountMinor) {
      if (takesTenders) {
        const body = { kind: 'cash', amount: formatMoney(amountMinor) } as const;
        const idempotencyKey = randomUUID();
        const asked = { appointmentId: id, idempotencyKey, body };
        return (await chairside.recordTender(desk, asked)).isOk();
      }
      const appointment = (await store.appointments.get(id)).unwrapOr(undefined);
      if (appointment === undefined || appointment.amountDueMinor < amountMinor) return false;
      const amountDueMinor = appointment.amountDueMinor - amountMinor;
      const { occursOn } = appointment;
      const record = appointmentOfAda({ id, amountDueMinor, occursOn });
      return (await chairside.records.putAppointment(record)).isOk();
    },
  };
}

function shareOf(payment: Payment, shares: VisitSharesView['items']): VisitShare {
  const own = shares.filter(({ contactlessPaymentId }) => contactlessPaymentId === payment.id);
  const ownSum = sum(own.map(({ amount }) => amount));
  const whole = (payment.shares ?? []).reduce((total, one) => total + one.amountMinor, 0n);
  return {
    amount: ownSum,
    tip: sum(own.map(({ tip }) => tip)),
    left: sum(own.map(({ left }) => left)),
    leftTip: sum(own.map(({ leftTip }) => leftTip)),
    others: formatMoney(whole - minor(ownSum)),
    barbers: own.map(({ barberId: id, amount }) => ({ id, amount })),
  };
}

/** Whether a payment was opened for the visit, and belongs to others now. */
const isMoved = ({ share }: PaymentBooks) => share?.amount === '0.00';

/** The page has no token, so it acts as the shop's desk. */
export const desk = { subject: 'till', systemAdministrator: true };

const isUnderWay = ({ state }: { readonly state: string }) =>
  state === 'pending' || state === 'succeeded';

function sum(amounts: readonly (string | undefined)[]): string {
  return formatMoney(amounts.reduce((total, amount) => total + minor(amount), 0n));
}

function minor(amount = '0.00'): bigint {
  return BigInt(amount.replace('.', ''));
}
