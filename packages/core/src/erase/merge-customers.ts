import * as v from 'valibot';
import { commit } from '../frame/commit.ts';
import { mergedChange, readMerged } from '../frame/facts.ts';
import { hostTask, parseInput } from '../frame/operation.ts';
import { conflict } from '../problems/problem.ts';
import { err } from '../values/result.ts';
import { formatTimestamp } from '../values/time.ts';
import { anyTextSchema } from '../values/wire.ts';

interface MergeCustomersInput {
  /** The id that ends. */
  readonly from: string;
  /** The id that stays. */
  readonly into: string;
}

/** Customers that are one by now. */
export interface MergedCustomers {
  readonly customerId: string;
  /** All that were merged into it, at any time. */
  readonly from: readonly string[];
  readonly mergedAt: string;
}

const inputSchema = v.strictObject({ from: anyTextSchema, into: anyTextSchema });

/** At most this many customers can be merged into one. */
const maxMerged = 1000;

export const customerMerging = {
  /**
   * Says that two customers are one, once and for good: `eraseCustomer` and `exportCustomer` of `into` cover
   * `from`, and `into` may withdraw its saved cards. A saved card is charged for `into` only with an agreement
   * that is younger than the merge. A repetition changes nothing.
   *
   * @example
   * const merged = await chairside.mergeCustomers({ from: 'customer_7', into: 'customer_1' });
   * if (merged.isOk()) console.log(merged.value.from); // ['customer_7']
   */
  mergeCustomers: hostTask<[input: MergeCustomersInput], MergedCustomers>()({
    problems: ['badRequest', 'conflict'],
    async *task({ ports }, input) {
      const { from, into } = yield* parseInput(inputSchema, { ...input });
      const ended = yield* readMerged(ports.store, from);
      const kept = yield* readMerged(ports.store, into);
      const { at = ports.clock.now() } = ended.merged;
      const known = kept.merged.from ?? [];
      if (ended.merged.into === into) return view(into, known, at);
      if (ended.merged.into !== undefined || kept.merged.into !== undefined || from === into) {
        const detail = 'One of the two customers was merged before, or both are the same.';
        return yield* err(conflict('alreadyMerged', detail));
      }
      const before = ended.merged.from ?? [];
      const all = [...known, from, ...before];
      if (all.length > maxMerged) {
        return yield* err(
          conflict('alreadyMerged', `At most ${maxMerged} customers can be merged into one.`),
        );
      }
      const changes = [
        mergedChange(into, kept.fact, { ...kept.merged, from: all }),
        mergedChange(from, ended.fact, { into, at }),
      ];
      for (const id of before) {
        const { fact, merged } = yield* readMerged(ports.store, id);
        changes.push(mergedChange(id, fact, { ...merged, into, at }));
      }
      yield* await commit(ports, changes);
      return view(into, all, at);
    },
  }),
};

function view(customerId: string, from: readonly string[], at: number): MergedCustomers {
  return { customerId, from, mergedAt: formatTimestamp(at) };
}
