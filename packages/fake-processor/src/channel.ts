import { err, type Result, ResultAsync } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import { refused, unanswered } from './errors.ts';
import type { FaultKind, ProcessorCall } from './faults.ts';

/** The effect of a call that arrived. The channel handles all faults except those passed to it. */
export type Apply<T> = (fault: FaultKind | undefined) => Result<T, ProcessorError>;

export interface ChannelOptions {
  /** Chooses the fault of a call; asked once for each call, when it is sent. */
  readonly faultFor: (call: ProcessorCall) => FaultKind | undefined;
  /** Delays the call. Without it, the call is applied at once. */
  readonly delay?: ((call: ProcessorCall, way: 'request' | 'reply') => Promise<void>) | undefined;
}

/** The connection between the caller and the processor, where most faults happen. */
export function createChannel({ faultFor, delay }: ChannelOptions) {
  const inFlight = new Set<string>();
  let held: (() => void)[] = [];
  let abandoned: (() => unknown)[] = [];

  const hold = () => new Promise<void>((resume) => held.push(resume));

  async function arrive<T>(call: ProcessorCall, apply: Apply<T>, fault?: FaultKind) {
    const key = `${call.account}\n${call.idempotencyKey}`;
    // Only a slow call can be in flight: all others are applied within one turn.
    if (call.idempotencyKey !== undefined && inFlight.has(key)) {
      // The account is checked before the key, so this refusal proves nothing of the other request.
      return err(fault === 'notSetUp' ? { kind: fault } : unanswered);
    }
    if (fault !== 'slow') return apply(fault);
    inFlight.add(key);
    await hold();
    inFlight.delete(key);
    return apply(fault);
  }

  async function travel<T>(
    call: ProcessorCall,
    apply: Apply<T>,
  ): Promise<Result<T, ProcessorError>> {
    const fault = faultFor(call);
    if (delay !== undefined) await delay(call, 'request');
    switch (fault) {
      case 'refused':
        return err(refused);
      case 'rateLimited':
        return err({ kind: fault });
      case 'timeoutBeforeApplying':
        return err(unanswered);
      case 'landsLater':
        // The caller has timed out, so this response and its errors are ignored.
        abandoned.push(() => arrive(call, apply).catch(() => undefined));
        return err(unanswered);
      default: {
        const answer = await arrive(call, apply, fault);
        if (fault === 'slowReply') await hold();
        if (delay !== undefined) await delay(call, 'reply');
        const isLost = fault === 'timeoutAfterApplying' || fault === 'lostReply';
        return isLost ? err(unanswered) : answer;
      }
    }
  }

  return {
    // If the storage throws or a delay fails, the caller receives no response.
    send: <T>(call: ProcessorCall, apply: Apply<T>): ResultAsync<T, ProcessorError> =>
      new ResultAsync(travel(call, apply).catch(() => err(unanswered))),
    /** Resumes every held call and returns their number. */
    release(): number {
      const resumed = held;
      held = [];
      for (const resume of resumed) resume();
      return resumed.length;
    },
    /** Delivers every call that timed out but is still in transit, and returns their number. */
    landAbandoned(): number {
      const landing = abandoned;
      abandoned = [];
      for (const land of landing) land();
      return landing.length;
    },
  };
}
