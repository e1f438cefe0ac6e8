import { canBefall, type FaultKind, type PortKind } from '../plan/fault-kinds.ts';
import type { PlannedFault } from '../plan/plan.ts';

/** A port call of an action. A plan identifies it by its place. */
export interface MadeCall {
  readonly action: number;
  readonly call: number;
  readonly port: PortKind;
  /** `commit`, and `commit#2` for the second of its action. */
  readonly name: string;
}

/** Assigns the faults of a plan to their calls. */
export interface Faults {
  /** Counts a call, and returns its fault. */
  next(action: number, port: PortKind, name: string): Befallen;
  /** Ends all faults. */
  stop(): void;
  /** Every call that a fault could have hit, in order. */
  readonly made: readonly MadeCall[];
  /** The number of faults that hit a call. */
  readonly met: () => number;
}

interface Befallen {
  readonly call: number;
  readonly fault: FaultKind | undefined;
}

export function createFaults(planned: readonly PlannedFault[]): Faults {
  const byAction = new Map<number, PlannedFault[]>();
  for (const fault of planned) {
    const others = byAction.get(fault.action) ?? [];
    byAction.set(fault.action, [...others, fault]);
  }
  const counts = new Map<number, number>();
  const ofName = new Map<string, number>();
  const made: MadeCall[] = [];
  let isOver = false;
  let met = 0;

  return {
    made,
    met: () => met,
    stop() {
      isOver = true;
    },
    next(action, port, name) {
      const call = counts.get(action) ?? 0;
      counts.set(action, call + 1);
      if (isOver) return { call, fault: undefined };
      const own = `${action} ${name}`;
      const nth = (ofName.get(own) ?? 0) + 1;
      ofName.set(own, nth);
      const named = nth === 1 ? name : `${name}#${nth}`;
      made.push({ action, call, port, name: named });
      const fault = byAction.get(action)?.find(({ call: at }) => at === call || at === named)?.kind;
      if (fault === undefined || !canBefall(fault, port)) return { call, fault: undefined };
      met += 1;
      return { call, fault };
    },
  };
}
