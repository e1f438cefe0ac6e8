import { type Clock, formatMoney, hourMs } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import { sign } from '../../src/events.ts';

/** Amounts are minor units here, and decimal texts on the wire. */
export interface TallyOrder {
  readonly merchant: string;
  readonly number: string;
  readonly source: string;
  readonly totalMinor: bigint;
  readonly currency: string;
  readonly feeMinor?: bigint;
  readonly token: string;
  readonly openedAt: number;
  state: 'open' | 'declined' | 'held' | 'completing' | 'completed' | 'voided';
  revision: number;
  /** Shows a state that Tally does not document. */
  isSpoiled?: boolean;
  sale?: TallySale;
  readonly refunds: TallyRefund[];
  readonly disputes: TallyDispute[];
  /** Every message about it. */
  readonly log: { readonly at: number; readonly type: string }[];
}

interface TallySale {
  readonly id: string;
  card?: { readonly last4: string; readonly scheme: string; readonly funding: string };
  approvedMinor?: bigint;
  heldAt?: number;
  holdUntil?: number;
  completed?: { readonly totalMinor: bigint; readonly note: string; readonly at: number };
  /** The note of a completion that was accepted, or that has failed. */
  note?: string;
  readonly failed: string[];
}

export interface TallyRefund {
  readonly id: string;
  readonly totalMinor: bigint;
  readonly note?: string;
  readonly at: number;
  state: 'succeeded' | 'failed';
  /** Shows a state that Tally does not document. */
  isSpoiled?: boolean;
}

export interface TallyDispute {
  readonly id: string;
  readonly totalMinor: bigint;
  readonly at: number;
  /** Shows a state that Tally does not document. */
  isSpoiled?: boolean;
}

export interface TallyVault {
  readonly id: string;
  readonly number: string;
  readonly source: string;
  readonly customer: string;
  readonly reusable: boolean;
  readonly token: string;
  state: 'open' | 'completed' | 'canceled';
  method?: string;
  completedAt?: number;
}

export type Presented = 'approve' | 'decline' | 'cancel' | 'approvePartly';

export const holdMs = 48 * hourMs;

export type Books = ReturnType<typeof createBooks>;

/** The records of Tally, and what customers and operators do with them. */
export function createBooks(clock: Clock, webhookSecret: string) {
  const merchants = new Map<string, { isClosed: boolean; readonly sites: Set<string> }>();
  const orders: TallyOrder[] = [];
  const vaults: TallyVault[] = [];
  const forgotten = new Set<string>();
  const sent: RawEvent[] = [];
  let serial = 0;
  const newId = (prefix: string) => {
    serial += 1;
    return `${prefix}_${`${serial}`.padStart(8, '0')}`;
  };

  function tell(type: string, order: TallyOrder, more: object = {}): void {
    const { merchant, number, source, sale } = order;
    order.log.push({ at: clock.now(), type });
    const about = { merchant, number, source, sale: sale?.id ?? null };
    const message = { id: newId('msg'), type, order: about, ...more };
    sent.push(sign(JSON.stringify(message), webhookSecret, clock.now()));
  }

  function change(order: TallyOrder, state: TallyOrder['state']): void {
    order.state = state;
    order.revision += 1;
    tell(`order.${state}`, order);
  }

  /** Ends holds whose time is over. */
  function settle(): void {
    for (const order of orders) {
      const { holdUntil = Number.POSITIVE_INFINITY } = order.sale ?? {};
      if (order.state === 'held' && clock.now() >= holdUntil) change(order, 'voided');
    }
  }

  /** Completes a sale in full. */
  function complete(order: TallyOrder, sale: TallySale, note: string): void {
    sale.completed = { totalMinor: sale.approvedMinor ?? 0n, note, at: clock.now() };
    change(order, 'completed');
  }

  const saleOf = (reference: string) => {
    settle();
    return orders.find(({ sale }) => sale?.id === reference);
  };

  function refund(order: TallyOrder, totalMinor: bigint, note?: string): TallyRefund | undefined {
    const taken = order.sale?.completed?.totalMinor ?? 0n;
    const returned = order.refunds
      .filter(({ state }) => state === 'succeeded')
      .reduce((sum, one) => sum + one.totalMinor, 0n);
    if (totalMinor <= 0n || returned + totalMinor > taken) return undefined;
    const made: TallyRefund = {
      id: newId('ref'),
      totalMinor,
      at: clock.now(),
      state: 'succeeded',
      ...(note && { note }),
    };
    order.refunds.push(made);
    tell('refund.made', order, { refund: { id: made.id, total: formatMoney(totalMinor) } });
    return made;
  }

  return {
    merchants,
    orders,
    vaults,
    /** Customers that the platform has deleted. */
    forgotten,
    newId,
    change,
    complete,
    /** Merchants whose completions are only accepted, and end later. */
    slow: new Set<string>(),
    settle,
    saleOf,
    refund,
    now: () => clock.now(),

    /** A customer holds a card to a terminal. Returns the sale's id. */
    present(token: string, what: Presented): string {
      settle();
      const order = orders.find((one) => one.token === token);
      if (order === undefined || !['open', 'declined'].includes(order.state)) {
        throw new Error('the terminal refuses this token');
      }
      const sale: TallySale = order.sale ?? { id: newId('sale'), failed: [] };
      order.sale = sale;
      if (what === 'approve' || what === 'approvePartly') {
        sale.card = { last4: '4242', scheme: 'scheme-1', funding: 'credit' };
        sale.approvedMinor = what === 'approve' ? order.totalMinor : order.totalMinor / 2n;
        sale.heldAt = clock.now();
        sale.holdUntil = clock.now() + holdMs;
        change(order, 'held');
      } else change(order, what === 'decline' ? 'declined' : 'voided');
      return sale.id;
    },

    /** Ends a completion that was accepted; a failed one leaves the sale held. */
    endCompletion(reference: string, end: 'captured' | 'failed'): void {
      const order = saleOf(reference);
      const { sale } = order ?? {};
      if (order?.state !== 'completing' || sale?.note === undefined) return;
      if (end === 'captured') complete(order, sale, sale.note);
      else {
        sale.failed.push(sale.note);
        change(order, 'held');
      }
    },

    endRefund(order: TallyOrder, id: string, state: TallyRefund['state']): void {
      const made = order.refunds.find((one) => one.id === id);
      if (made === undefined) throw new Error('no such refund');
      made.state = state;
      tell('refund.changed', order, { refund: { id, total: formatMoney(made.totalMinor) } });
    },

    enterCard(token: string): void {
      const vault = vaults.find((one) => one.token === token);
      if (vault?.state !== 'open') throw new Error('the page refuses this token');
      vault.state = 'completed';
      vault.method = newId('method');
      vault.completedAt = clock.now();
    },

    dispute(reference: string, totalMinor: bigint): void {
      const order = saleOf(reference);
      if (order === undefined) throw new Error('no such sale');
      const dispute = { id: newId('dispute'), totalMinor, at: clock.now() };
      order.disputes.push(dispute);
      const { id, at } = dispute;
      const total = formatMoney(totalMinor);
      tell('dispute.opened', order, { dispute: { id, total, state: 'open', at } });
    },

    takeMessages: () => {
      settle();
      return sent.splice(0);
    },
  };
}
