import type { Action } from './action.ts';
import type { PlannedFault } from './plan.ts';
import { visit } from './scenarios.ts';

const [create, present, capture] = visit.actions;

export { create };
export const opened: readonly Action[] = [create, present].flatMap((action) => action ?? []);
export const paid: readonly Action[] = [...opened, capture].flatMap((action) => action ?? []);
export const payment = { appointment: 0, payment: 'create' } as const;
/** Numbers of actions whose sender does not ask again where no response comes. */
export const askedOnce = 19;
export const askedOnceTooLate = 20;
export const again = { does: 'capture', ...payment, key: 'capture' } as const;

/** The reply to a call is lost, and the processor cannot be read. */
export function unheard(call: number): readonly PlannedFault[] {
  return [
    { action: askedOnce, call, kind: 'losesReply' },
    { action: askedOnce, call: call + 1, kind: 'fails' },
  ];
}
