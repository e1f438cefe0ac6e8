import type { Action } from './action.ts';
import type { Plan } from './plan.ts';
import { createRandom, hash, type Random } from './random.ts';

const tipsMark = 0x71b5;

/** Zero, usual ones, and one above the bound of most amounts. */
const drawnTips = ['0.00', '1.00', '2.50', '5.00', '60.00'] as const;

/**
 * In some worlds customers give tips, and refunds name a part of them. Drawn separately, so that the rest
 * of a seed stays the same.
 */
export function withTips(plan: Plan): Plan {
  const random = createRandom(hash(plan.seed, tipsMark));
  const share = random.pick([0, 0, 0.3, 1]);
  if (share === 0) return plan;
  const chosen = new Map<string, string | undefined>();
  return { ...plan, actions: plan.actions.map((action) => tipped(random, share, chosen, action)) };
}

/** The same request has the same tip each time, except by mistake. */
function tipped(
  random: Random,
  share: number,
  chosen: Map<string, string | undefined>,
  action: Action,
): Action {
  if (action.does !== 'create' && (action.does !== 'refund' || action.amount === undefined)) {
    return action;
  }
  const request = action.does === 'create' ? 'create' : `refund ${action.payment}`;
  const name = `${request} ${action.appointment} ${action.key}`;
  const drawn = random.chance(action.does === 'create' ? share : share / 2)
    ? random.pick(drawnTips)
    : undefined;
  const isMistaken = random.chance(0.02);
  const tip = chosen.has(name) && !isMistaken ? chosen.get(name) : drawn;
  if (!chosen.has(name)) chosen.set(name, drawn);
  return tip === undefined ? action : { ...action, tip };
}
