import { err, type Result, ResultAsync } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import type { FaultKind, PortKind } from '../plan/plan.ts';
import { callThrough, type Gate, type Task } from './gate.ts';

const refused: ProcessorError = {
  kind: 'unavailable',
  outcome: 'notApplied',
  answered: false,
};
const unanswered: ProcessorError = {
  kind: 'unavailable',
  outcome: 'unknown',
  answered: false,
};
export const failed: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: true };

type Keyed =
  | 'openPayment'
  | 'authorizeMethod'
  | 'capturePayment'
  | 'cancelPayment'
  | 'openSetup'
  | 'cancelSetup'
  | 'refund';

const portOf: Readonly<Partial<Record<Keyed, PortKind>>> = {
  capturePayment: 'capture',
  cancelPayment: 'cancel',
  refund: 'refund',
};

/** The faults that have another effect on one call than on the others. */
type OwnFaults<T> = Readonly<
  Partial<Record<FaultKind, (drawn: number) => PromiseLike<Result<T, ProcessorError>>>>
>;

/** How one question differs from the others. */
interface OwnAnswer<T> {
  readonly port?: PortKind;
  readonly missing?: () => PromiseLike<Result<T, ProcessorError>>;
}

/** After the lease; after the payment's lifetime; after the age at which orphans are swept. */
const lateMs = [70_000, 20 * 60_000, 2 * 60 * 60_000] as const;

/** The delay of a call that its caller has given up. */
export function laterMs(drawn: number): number {
  return lateMs[(drawn >>> 4) % lateMs.length] ?? 0;
}

/** The kinds of calls that one task makes at the processor, with their faults. */
export function processorCalls(gate: Gate, task: Task) {
  const call = callThrough(gate, task);
  const { processor } = gate.world();

  function ask<T>(
    name: string,
    act: () => ResultAsync<T, ProcessorError>,
    { port = 'processor', missing }: OwnAnswer<T> = {},
  ) {
    const onFault = async (fault: FaultKind): Promise<Result<T, ProcessorError>> => {
      if (fault === 'missing' && missing !== undefined) return missing();
      if (fault === 'rateLimited') return err({ kind: 'rateLimited' });
      if (fault === 'notSetUp') return err({ kind: 'notSetUp' });
      return err(fault === 'breaks' ? failed : unanswered);
    };
    return new ResultAsync(call({ port, name, act, failure: refused, onFault }));
  }

  /** A call that the processor applies once for each key. */
  function tell<T>(
    name: Keyed,
    act: () => PromiseLike<Result<T, ProcessorError>>,
    own: OwnFaults<T> = {},
  ) {
    const onFault = async (fault: FaultKind, drawn: number): Promise<Result<T, ProcessorError>> => {
      const owned = own[fault];
      if (owned !== undefined) return owned(drawn);
      switch (fault) {
        case 'missing':
          return act();
        case 'rateLimited':
          return err({ kind: 'rateLimited' });
        case 'notSetUp':
          return err({ kind: 'notSetUp' });
        case 'breaks':
          processor.failNext(name, 'failure');
          return act();
        case 'breaksAfterApplying':
          processor.failNext(name, 'failureAfterApplying');
          return act();
        case 'rejects':
          processor.failNext(name, 'rejected');
          return act();
        case 'repeats': {
          const first = await act();
          if (first.isErr()) return first;
          const again = await act();
          // A rejection of the second call does not prove the outcome of the first.
          return again.isOk() ? again : err(unanswered);
        }
        case 'losesReply': {
          const applied = await act();
          return applied.andThen(() => err(unanswered));
        }
        case 'landsLater':
          void gate.scheduler.after(laterMs(drawn), async () => (await act()).isOk());
          return err(unanswered);
        default:
          return err(unanswered);
      }
    };
    const port = portOf[name] ?? 'keyedProcessor';
    return new ResultAsync(call({ port, name, act, failure: refused, onFault })).orTee((error) => {
      if (error.kind !== 'rejected' || error.reason !== 'keyReused') return;
      const what = `${name} was called again under the same key with other parameters`;
      gate.evidence.faults.push({ rule: 'calls', what });
    });
  }

  return { ask, tell };
}
