import { type Clock, err, hourMs, ok, type Result } from '@chairside/core';
import type { PaymentHandle, ProcessorError } from '@chairside/core/ports';
import { failed, type Rejection, rejected } from './errors.ts';
import type { CallName, FaultKind } from './faults.ts';
import type { FakeStorage, KeptAnswer, StorageWrite } from './storage.ts';

/** How long the fake keeps its response under a key, as Stripe does. */
export const keyLifetimeMs = 24 * hourMs;

interface KeyedCall extends Pick<PaymentHandle, 'account'> {
  readonly name: CallName;
  readonly idempotencyKey: string;
  /** All other parameters. The same key with other parameters is rejected. */
  readonly params: readonly (string | undefined)[];
}

/** The storage's collections for one kind of entry and its responses. */
export interface Shelf<T> {
  answered(id: string): KeptAnswer<T> | undefined;
  keep(id: string, record: KeptAnswer<T>): StorageWrite;
  /** The writes for the entry's present state; empty if it is unchanged. */
  change(entry: T): readonly StorageWrite[];
}

export type Keyed = ReturnType<typeof createKeyed>;

export function createKeyed(storage: FakeStorage, clock: Clock) {
  const applied = new Map<CallName, number>();

  return {
    /**
     * Applies a call and stores its result under the key, or returns the stored result. A fault of
     * the processor itself is stored too, whether the call was applied or not.
     */
    once<T>(
      shelf: Shelf<T>,
      { name, account, idempotencyKey, params: others }: KeyedCall,
      fault: FaultKind | undefined,
      decide: () => Result<T | undefined, Rejection>,
    ): Result<T | undefined, ProcessorError> {
      const id = `${account}\n${idempotencyKey}`;
      const params = JSON.stringify([name, ...others]);
      const at = clock.now();
      const before = shelf.answered(id);
      if (before !== undefined && at - before.at < keyLifetimeMs) {
        if (before.params !== params) return err(rejected('keyReused'));
        return 'error' in before.answer ? err(again(before.answer.error)) : ok(before.answer.entry);
      }
      const done = faultOf(fault).andThen(() => decide().mapErr(rejected));
      const changes = done.isOk() && done.value !== undefined ? shelf.change(done.value) : [];
      const reply = fault === 'failureAfterApplying' ? err(failed) : done;
      const answer = reply.match<KeptAnswer<T>['answer']>(
        (entry) => ({ entry }),
        (error) => ({ error }),
      );
      storage.write([...changes, shelf.keep(id, { params, at, answer })]);
      if (changes.length > 0) applied.set(name, (applied.get(name) ?? 0) + 1);
      return reply;
    },

    /** The number of calls of that name that changed the books. Replays do not change them. */
    applied: (name: CallName) => applied.get(name) ?? 0,
  };
}

/** The stored error, as a reply under its key shows it. */
function again(error: ProcessorError): ProcessorError {
  return error.kind === 'notSetUp' ? { ...error, repeated: true } : error;
}

/** The processor's own error before it applies a call. */
export function faultOf(fault: FaultKind | undefined): Result<undefined, ProcessorError> {
  if (fault === 'failure') return err(failed);
  if (fault === 'notSetUp') return err({ kind: fault });
  return fault === 'rejected' ? err(rejected('scripted')) : ok(undefined);
}
