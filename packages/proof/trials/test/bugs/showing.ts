import {
  allFaultKinds,
  crowded,
  generatePlan,
  opening,
  type Plan,
  type PlannedFault,
  preparingAgain,
  scenarios,
} from '@chairside/trials';

// A run that shows a bug, as a text: `seed 12`, or the name of a scenario and the faults that it met, as in
// `visit, 2.commit#3 vanishes` (what befalls the third commit of action 2).

const named: Readonly<Record<string, Plan>> = { ...scenarios, crowded, opening, preparingAgain };

export function textOf(scenario: string, faults: readonly PlannedFault[] = []): string {
  const met = faults.map(({ action, call, kind }) => `${action}.${call} ${kind}`);
  return [scenario, ...met].join(', ');
}

export function planOf(text: string): Plan {
  const seed = /^seed (\d+)$/.exec(text)?.[1];
  if (seed !== undefined) return generatePlan(Number(seed));
  const [scenario = '', ...met] = text.split(', ');
  const plan = named[scenario];
  if (plan === undefined) throw new Error(`there is no scenario '${scenario}'`);
  return { ...plan, faults: [...plan.faults, ...met.map(faultOf)] };
}

function faultOf(text: string): PlannedFault {
  const [, action, call = '', name] = /^(\d+)\.(.+) (\w+)$/.exec(text) ?? [];
  const kind = allFaultKinds.find((one) => one === name);
  if (kind === undefined) throw new Error(`'${text}' is no fault`);
  return { action: Number(action), call, kind };
}
