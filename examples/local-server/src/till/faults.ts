import { secondMs } from '@chairside/core';
import type { Processor, ProcessorRefunds } from '@chairside/core/ports';
import type { CallName, FakeProcessor, FaultKind } from '@chairside/fake-processor';
import type { EventPlan } from '../config.ts';
import type { Timeline } from './timeline.ts';

/** Points of the next capture or refund at which the server is killed. */
export const killPoints = ['now', 'beforeProcessor', 'afterProcessor', 'beforeAnswer'] as const;
type KillPoint = (typeof killPoints)[number];

/** Faults of the processor, for the next capture. */
export const processorFaults = ['slow', 'losesReply', 'refuses', 'down'] as const;
type ProcessorFault = (typeof processorFaults)[number];

export interface Faults {
  /** Whether a killed server is started again. */
  readonly canKill: boolean;
  /** The answer to the next request of the page is lost. */
  loseAnswer(): void;
  takeLostAnswer(): boolean;
  break(fault: ProcessorFault): void;
  kill(point: KillPoint): void;
  /** To be called when the processor has answered a call, before the server acts on it. */
  called(name: string): void;
  /** To be called when a request that captures or refunds has been answered. */
  answering(): void;
  /** The faults that wait for their request. */
  armed(): readonly string[];
  disarm(): void;
  /** The processor, with the points at which the server is killed. */
  around(processor: Processor): Processor;
  messages: EventPlan;
}

const slowMs = 4 * secondMs;
const downCalls = 3;
const everyCall: readonly CallName[] = ['openPayment', 'readPayment', 'capturePayment'];
const captureFaults = {
  slow: 'slowReply',
  losesReply: 'lostReply',
  refuses: 'rejected',
} as const satisfies Record<Exclude<ProcessorFault, 'down'>, FaultKind>;

export function createFaults(
  fake: FakeProcessor,
  timeline: Timeline,
  messages: EventPlan,
  canKill: boolean,
): Faults {
  let killAt: KillPoint | undefined;
  let losesAnswer = false;

  function die(where: KillPoint): never {
    timeline.add({ kind: 'down', where });
    process.kill(process.pid, 'SIGKILL');
    // The signal arrives within this loop.
    for (;;);
  }

  function dieAt(point: KillPoint): void {
    if (killAt === point) die(point);
  }

  return {
    canKill,
    messages,
    loseAnswer() {
      losesAnswer = true;
    },
    takeLostAnswer() {
      const isLost = losesAnswer;
      losesAnswer = false;
      return isLost;
    },
    break(fault) {
      if (fault === 'down') {
        for (const call of everyCall) fake.failNext(call, 'refused', downCalls);
        return;
      }
      fake.failNext('capturePayment', captureFaults[fault]);
    },
    kill(point) {
      if (!canKill) return;
      killAt = point;
      dieAt('now');
    },
    called(name) {
      if (name === 'capturePayment' || name === 'refund') dieAt('afterProcessor');
    },
    answering: () => dieAt('beforeAnswer'),
    armed: () => [
      ...(losesAnswer ? ['loseAnswer'] : []),
      ...(killAt === undefined ? [] : [`kill ${killAt}`]),
    ],
    disarm() {
      killAt = undefined;
      losesAnswer = false;
    },
    around: (processor) => ({
      ...processor,
      capturePayment(request) {
        // A held reply is released after a while.
        setTimeout(() => fake.release(), slowMs).unref();
        dieAt('beforeProcessor');
        return processor.capturePayment(request);
      },
      refunds: withDeath(processor.refunds),
    }),
  };

  function withDeath(refunds: ProcessorRefunds): ProcessorRefunds {
    return {
      ...refunds,
      refund(request) {
        dieAt('beforeProcessor');
        return refunds.refund(request);
      },
    };
  }
}
