import type { Operation } from './operations.ts';

/** One appointment, as the service promises it to be at each moment. Amounts are cents. */
export interface State {
  readonly due: number;
  readonly payments: ReadonlyMap<string, Payment>;
  /** The keys whose refund was made. */
  readonly refunded: ReadonlySet<string>;
  /** The amount that remained at a create without a response, by its key. */
  readonly begun: ReadonlyMap<string, number>;
}

interface Payment {
  readonly amount: number;
  readonly status: 'open' | 'captured' | 'canceled';
  readonly returned: number;
}

export const initial: State = {
  due: 0,
  payments: new Map(),
  refunded: new Set(),
  begun: new Map(),
};

/** A text that is equal for equal states. */
export function digest({ due, payments, refunded, begun }: State): string {
  const listed = [...payments].map(([id, { status, returned }]) => `${id}:${status}:${returned}`);
  const room = [...begun].map(([key, remaining]) => `${key}=${remaining}`);
  return [due, ...listed.sort(), ...[...refunded].sort(), ...room.sort()].join(' ');
}

function remaining({ due, payments }: State): number {
  let left = due;
  for (const { status, amount } of payments.values()) if (status === 'captured') left -= amount;
  return left;
}

function withPayment(state: State, id: string, change: Partial<Payment> & Pick<Payment, 'amount'>) {
  const before = state.payments.get(id) ?? { status: 'open' as const, returned: 0 };
  return { ...state, payments: new Map(state.payments).set(id, { ...before, ...change }) };
}

/**
 * The states after an operation that takes place now. None: it cannot take place now. An `info`
 * operation has its effect here; that it has none is the caller's choice.
 */
export function step(state: State, { end }: Pick<Operation, 'end'>): readonly State[] {
  if (end.type === 'fail') return refuse(state, end);
  switch (end.f) {
    case 'due':
      return [{ ...state, due: end.amount }];
    case 'create':
      return end.type === 'ok' ? open(state, end) : [begin(state, end.key)];
    case 'capture':
      return capture(state, end.payment);
    case 'refund':
      return refund(state, end);
    case 'read':
      return end.type === 'ok' ? observe(state, end.payment, end.state) : [state];
  }
}

/** A repeated create returns the payment that an earlier request under its key opened. */
function open(
  state: State,
  { key, payment: id, amount }: { key: string; payment: string; amount: number },
): readonly State[] {
  const known = state.payments.get(id);
  if (known !== undefined) return known.amount === amount ? [state] : [];
  const room = Math.max(remaining(state), state.begun.get(key) ?? 0);
  return amount > 0 && amount <= room ? [withPayment(state, id, { amount })] : [];
}

/** The response was lost, so the payment's id and amount are not known yet. */
export function begin(state: State, key: string): State {
  const before = state.begun.get(key) ?? 0;
  const room = Math.max(remaining(state), before);
  if (room === before) return state;
  return { ...state, begun: new Map(state.begun).set(key, room) };
}

/** An appointment is never charged beyond what is due, and a canceled payment never. */
function capture(state: State, id: string): readonly State[] {
  const payment = state.payments.get(id);
  if (payment === undefined || payment.status === 'canceled') return [];
  if (payment.status === 'captured') return [state];
  if (payment.amount > remaining(state)) return [];
  return [withPayment(state, id, { amount: payment.amount, status: 'captured' })];
}

/** Refunds exceed no capture. A key makes one refund. */
function refund(
  state: State,
  { key, payment: id, amount }: { key: string; payment: string; amount: number },
): readonly State[] {
  if (state.refunded.has(key)) return [state];
  const payment = state.payments.get(id);
  if (payment?.status !== 'captured' || payment.returned + amount > payment.amount) return [];
  const after = withPayment(state, id, {
    amount: payment.amount,
    returned: payment.returned + amount,
  });
  return [{ ...after, refunded: new Set(state.refunded).add(key) }];
}

/** The service may cancel an open payment by itself, so a read may be the first to show that. */
function observe(state: State, id: string, seen: Payment['status']): readonly State[] {
  const payment = state.payments.get(id);
  if (payment === undefined) return [];
  if (payment.status === seen) return [state];
  const isCancel = seen === 'canceled' && payment.status === 'open';
  return isCancel ? [withPayment(state, id, { amount: payment.amount, status: seen })] : [];
}

/** A refusal has no effect, but it may state a fact. */
function refuse(state: State, end: Operation['end']): readonly State[] {
  if (!('reason' in end)) return [state];
  if (end.reason === 'paid') return remaining(state) <= 0 ? [state] : [];
  if (end.reason === 'canceled' && end.f === 'capture')
    return observe(state, end.payment, 'canceled');
  return [state];
}
