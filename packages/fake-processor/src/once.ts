import { type Clock, err, type ProcessorError, type Result } from '@chairside/core';
import { rejected, rejections } from './errors.ts';
import type { CallName, FaultKind } from './faults.ts';
import { type Answer, isForgotten, type KeptAnswer, toResult } from './keys.ts';
import type { FakeLedger, LedgerWrite } from './ledger.ts';

/** A call that is applied once for each key. */
interface KeyedCall {
  readonly name: CallName;
  readonly account: string;
  readonly idempotencyKey: string;
  /** All other parameters. The same key with other parameters is rejected. */
  readonly params: readonly (string | undefined)[];
}

/** The ledger's collections for one kind of entry and its responses. */
export interface Shelf<T> {
  answered(id: string): KeptAnswer<T> | undefined;
  keep(id: string, record: KeptAnswer<T>): LedgerWrite;
  /** The writes for the entry's present state; empty if it is unchanged. */
  change(entry: T): readonly LedgerWrite[];
}

export interface Keyed {
  /**
   * Applies a call and stores its result under the key, or returns the stored result. A fault of
   * the processor itself is stored too, whether the call was applied or not.
   */
  once<T>(
    shelf: Shelf<T>,
    call: KeyedCall,
    fault: FaultKind | undefined,
    decide: () => Result<T | undefined, string>,
  ): Result<T | undefined, ProcessorError>;
  /** The number of calls of that name that changed the ledger. Replays do not change it. */
  applied(name: CallName): number;
}

export function createKeyed(ledger: FakeLedger, clock: Clock): Keyed {
  const applied = new Map<CallName, number>();

  return {
    once(shelf, { name, account, idempotencyKey, params }, fault, decide) {
      const id = `${account}\n${idempotencyKey}`;
      const asked = JSON.stringify([name, ...params]);
      const at = clock.now();
      const kept = shelf.answered(id);
      if (kept !== undefined && !isForgotten(kept, at)) {
        return kept.params === asked ? toResult(kept.answer) : err(rejected(rejections.keyReused));
      }
      const { answer, changed } = carryOut(fault, decide);
      const changes = changed === undefined ? [] : shelf.change(changed);
      ledger.write([...changes, shelf.keep(id, { params: asked, at, answer })]);
      if (changes.length > 0) applied.set(name, (applied.get(name) ?? 0) + 1);
      return toResult(answer);
    },
    applied: (name) => applied.get(name) ?? 0,
  };
}

interface Done<T> {
  readonly answer: Answer<T>;
  readonly changed?: T;
}

/** Applies the call, and returns its response and its changes. */
function carryOut<T>(
  fault: FaultKind | undefined,
  decide: () => Result<T | undefined, string>,
): Done<T> {
  if (fault === 'failure') return { answer: { kind: 'failed' } };
  if (fault === 'rejected') return { answer: { kind: 'rejected', reason: rejections.scripted } };
  const done = decide().match<Done<T>>(
    (entry) =>
      entry === undefined
        ? { answer: { kind: 'nothing' } }
        : { answer: { kind: 'entry', entry }, changed: entry },
    (reason) => ({ answer: { kind: 'rejected', reason } }),
  );
  return fault === 'failureAfterApplying' ? { ...done, answer: { kind: 'failed' } } : done;
}
