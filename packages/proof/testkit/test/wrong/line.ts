import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Calm, StoreHarness } from '../../src/contracts.ts';

type Fault = 'loseReply' | 'cutOff' | 'delayRequest' | 'stall';

/** A line to a server in this process. It can lose messages. */
export interface Line extends Required<Pick<StoreHarness, Fault | 'kill'>> {
  /** Rejects where the connection ends or the server is silent for long. */
  send<T>(work: () => T): Promise<T>;
}

const silenceMs = 30;

export function createLine(): Line {
  let planned: { readonly fault: Fault; after: number } | undefined;
  let isDown = false;
  let delayed: (() => unknown) | undefined;
  const waiting = new Set<(error: Error) => void>();
  let sent = 0;

  function plan(fault: Fault, after: number): Calm {
    planned = { fault, after };
    return async () => {
      const hasStruck = planned === undefined;
      planned = undefined;
      isDown = false;
      delayed?.();
      delayed = undefined;
      return hasStruck;
    };
  }

  function due(): Fault | undefined {
    if (planned === undefined) return undefined;
    planned.after -= 1;
    if (planned.after >= 0) return undefined;
    const { fault } = planned;
    planned = undefined;
    return fault;
  }

  return {
    send(work) {
      return new Promise((resolve, reject) => {
        if (isDown) {
          reject(new Error('the server is out of reach'));
          return;
        }
        const fault = due();
        isDown = fault === 'cutOff';
        sent += 1;
        const isLate = sent % 2 === 0;
        let isGone = false;
        const end = (error: Error) => {
          isGone = true;
          waiting.delete(end);
          reject(error);
        };
        waiting.add(end);
        if (fault === 'stall') {
          setTimeout(() => end(new Error('the server is silent')), silenceMs);
          return;
        }
        if (fault === 'delayRequest') {
          delayed = work;
          end(new Error('the connection ended'));
          return;
        }
        void nextTurn().then(async () => {
          // A connection that ended before the server had read it.
          if (isGone && isLate) return;
          const result = work();
          if (fault === 'loseReply' || fault === 'cutOff') end(new Error('the connection ended'));
          await nextTurn();
          waiting.delete(end);
          resolve(result);
        });
      });
    },
    loseReply: async (after) => plan('loseReply', after),
    cutOff: async (after) => plan('cutOff', after),
    delayRequest: async (after) => plan('delayRequest', after),
    stall: async (after) => plan('stall', after),
    kill: async () => {
      for (const end of waiting) end(new Error('the connection was ended'));
    },
  };
}
