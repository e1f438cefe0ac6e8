import { err, hourMs, minuteMs, type Result } from '@chairside/core';
import type { Fact, Work } from '@chairside/core/ports';
import type { BookEntry } from '@chairside/testkit';
import type { Evidence } from '../check/evidence.ts';
import { canBefall, type FaultKind, type PlannedFault, type PortKind } from '../plan/plan.ts';
import { hash } from '../plan/random.ts';
import type { World } from '../world.ts';
import type { Scheduler } from './scheduler.ts';

/** A port call of an action. A plan identifies it by its place. */
export interface MadeCall {
  readonly action: number;
  readonly call: number;
  readonly port: PortKind;
  /** `commit`, and `commit#2` for the second of its action. */
  readonly name: string;
}

export type Faults = ReturnType<typeof createFaults>;

interface Befallen {
  readonly call: number;
  readonly fault: FaultKind | undefined;
}

/** Assigns the faults of a plan to their calls. */
export function createFaults(planned: readonly PlannedFault[]) {
  const byAction = Map.groupBy(planned, ({ action }) => action);
  const counts = new Map<number, number>();
  const ofName = new Map<string, number>();
  const made: MadeCall[] = [];
  let isOver = false;
  let met = 0;

  return {
    /** Every call that a fault could have hit, in order. */
    made,
    /** The number of faults that hit a call. */
    met: () => met,
    stop(): void {
      isOver = true;
    },
    /** Counts a call, and returns its fault. */
    next(action: number, port: PortKind, name: string): Befallen {
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

/** A process that serves requests until it dies. Another one replaces it at once. */
export interface Node {
  lives: number;
  /** Tell the waiting clients that their response is lost. */
  readonly abandoned: Set<() => void>;
}

/** One request or upkeep call, on one node. */
export interface Task {
  readonly action: number;
  readonly node: Node;
  /** When the requests that are under way began, as a moment. */
  readonly since: () => number;
  /** The node's life in which it began. */
  readonly life: number;
}

/** The layer between the core and its ports. */
export interface Gate {
  readonly scheduler: Scheduler;
  readonly world: () => World;
  /** What the store belongs to: written before the run, and the same in it. */
  readonly home: () => Fact | undefined;
  /** Whether the database was restored from a backup in this run. */
  readonly isRestored: () => boolean;
  readonly faults: Faults;
  readonly evidence: Evidence;
  /** Appointments that the host has removed. */
  readonly gone: Set<string>;
  /** The database runs on a server, whose clock is right. */
  readonly hasServerTime: boolean;
  readonly seed: number;
  /** Kills a process, with all its memory. */
  readonly crash: (node: Node) => Promise<void>;
}

/** The first entry of a payment in the processor's books. */
export async function entryOf(
  { world }: Pick<Gate, 'world'>,
  payment: string,
): Promise<BookEntry | undefined> {
  const entries = await world().processor.entries();
  return entries.find(({ paymentId }) => paymentId === payment);
}

interface Worked {
  readonly id: string;
  readonly work?: Work;
}

/** Reports a write that takes work over from a node that still holds its lease. */
export function watchTakeOver(
  { evidence, scheduler }: Gate,
  { id, work }: Worked,
  after: Worked,
): void {
  if (work === undefined || after.work === undefined || after.work.fence <= work.fence) return;
  // Every node goes by the shared clock.
  if (work.leaseUntil <= scheduler.clock.now()) return;
  const what = `${id} was taken over from a holder that still held it`;
  evidence.faults.push({ rule: 'leases', what });
}

export interface PortCall<T, E> {
  readonly port: PortKind;
  readonly name: string;
  readonly act: () => PromiseLike<Result<T, E>>;
  /** The error of a call that was certainly not applied. */
  readonly failure: E;
  /** The effect of the faults that differ between ports. */
  readonly onFault: (fault: FaultKind, drawn: number) => Promise<Result<T, E>>;
}

/** A new promise each time: a shared one would keep all its waiters for ever. */
const never = () => new Promise<never>(() => undefined);

/** Longer than any lease. */
const stallMs = 60_000;
/** Longer than a payment may wait for its opening, than a card's authorization is young, and than any key is kept. */
const stopsMs = [20 * minuteMs, 25 * hourMs, 80 * hourMs] as const;
const maxStoreMs = 4;
const maxProcessorMs = 600;

/** Makes the port calls of one task, each in its turn, with the fault that the plan has for it. */
export function callThrough(gate: Gate, task: Task) {
  const { scheduler, seed } = gate;
  const isDead = () => task.life !== task.node.lives;

  /** Runs an action in its turn. Running calls of a dead process are applied or lost. */
  async function turn<T>(ms: number, drawn: number, act: () => PromiseLike<T>): Promise<T> {
    const done = await scheduler.after(ms, async () => {
      if (!isDead()) return { answer: await act() };
      if (drawn % 2 === 0) await act();
      return undefined;
    });
    return done === undefined || isDead() ? never() : done.answer;
  }

  async function pause(ms: number): Promise<void> {
    await scheduler.after(ms, () => undefined);
    if (isDead()) await never();
  }

  async function die(): Promise<never> {
    await scheduler.after(0, () => (isDead() ? undefined : gate.crash(task.node)));
    return never();
  }

  return async function call<T, E>(called: PortCall<T, E>): Promise<Result<T, E>> {
    const { port, name, act, failure, onFault } = called;
    const { call, fault } = gate.faults.next(task.action, port, name);
    const drawn = hash(seed, task.action, call);
    const isStore = port === 'read' || port === 'commit';
    const wayMs = drawn % (isStore ? maxStoreMs : maxProcessorMs);
    const replyMs = isStore ? 0 : (drawn >>> 8) % maxProcessorMs;
    const longMs = stallMs + ((drawn >>> 16) % stallMs);

    switch (fault) {
      case 'fails':
        await pause(wayMs);
        return err(failure);
      case 'stallsBefore':
        // A process that dies during the pause makes no more calls.
        await pause(longMs);
        return turn(wayMs, drawn, act);
      case 'stallsAfter':
      case 'stopsAfter': {
        const answer = await turn(wayMs, drawn, act);
        const stopMs = stopsMs[(drawn >>> 4) % stopsMs.length] ?? 0;
        await pause(fault === 'stopsAfter' ? stopMs : longMs);
        return answer;
      }
      case 'crashesBefore':
        await pause(wayMs);
        return die();
      case 'crashesAfter':
        // The reply is lost.
        await turn(wayMs, drawn, async () => (await act()).isOk());
        return die();
      default: {
        const acts = fault === undefined ? act : () => onFault(fault, drawn);
        const answer = await turn(wayMs, drawn, acts);
        if (replyMs > 0) await pause(replyMs);
        return answer;
      }
    }
  };
}
