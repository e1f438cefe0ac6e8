import type { Action, Does } from './action.ts';
import type { Plan, PlannedFault } from './plan.ts';

/** One appointment. */
export function planOf(actions: readonly Action[]): Plan {
  return { seed: 1, appointments: 1, actions, faults: [] };
}

interface Of {
  readonly appointment: number;
  readonly payment: string;
}

export const payment = { appointment: 0, payment: 'create' } as const;

export function create(id: number, at: number, appointment = 0, key = 'create'): Does<'create'> {
  return { id, at, does: 'create', appointment, key };
}

export function present(
  id: number,
  at: number,
  card = 'visa_credit',
  of: Of = payment,
): Does<'present'> {
  return { id, at, does: 'present', ...of, card };
}

export function prepare(id: number, at: number, setup = 'one', customer = 2): Does<'prepare'> {
  return { id, at, does: 'prepare', customer, setup, key: setup, save: true };
}

export const again = { does: 'capture', ...payment, key: 'capture' } as const;

export const opened: readonly Action[] = [create(0, 0), present(1, 15_000)];
export const paid: readonly Action[] = [...opened, { id: 2, at: 16_000, ...again }];

/** Numbers of actions whose sender does not ask again where no response comes. */
export const askedOnce = 19;
export const askedOnceTooLate = 20;

/** The reply to a call is lost, and the processor cannot be read. */
export function unheard(call: string, then: string): readonly PlannedFault[] {
  return [
    { action: askedOnce, call, kind: 'losesReply' },
    { action: askedOnce, call: then, kind: 'fails' },
  ];
}
