import * as v from 'valibot';
import { parseInput } from '../../call/input.ts';
import { toLimit } from '../../call/limit.ts';
import { type CommonProblem, performForHost, type Run } from '../../call/perform.ts';
import { type DisputeState, disputeStates } from '../../domain/dispute.ts';
import type { ProblemOf } from '../../domain/problem.ts';
import type { ResultAsync } from '../../domain/result.ts';
import { isStorable } from '../../domain/text.ts';
import type { Ports } from '../../ports/ports.ts';
import { type DisputeView, viewDispute } from '../../schemas/refund.ts';

export interface ListDisputesInput {
  /** Default: `open`. */
  readonly state?: DisputeState | undefined;
  /** The maximum number of entries, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
  /** The id of the last dispute of the previous page. */
  readonly after?: string | undefined;
}

export type ListDisputesError = ProblemOf<'badRequest' | CommonProblem>;

/** Lists disputes for the host, ordered by id. Ids begin with a time (D45). */
function listDisputes(
  ports: Ports,
  input: ListDisputesInput = {},
): ResultAsync<readonly DisputeView[], ListDisputesError> {
  return performForHost(ports, 'listDisputes', (run) => steps(run, input), input);
}

const inputSchema = v.object({
  state: v.optional(v.picklist(disputeStates)),
  after: v.optional(v.string()),
});

async function* steps({ ports }: Run, input: ListDisputesInput) {
  const { state = 'open', after } = yield* parseInput(inputSchema, { ...input });
  // Disputes have no ids that cannot be stored.
  if (after !== undefined && !isStorable(after)) return [];
  const found = yield* await ports.store.disputes.list(state, toLimit(input.limit), after);
  return found.map(viewDispute);
}

export const disputes = {
  /**
   * Lists disputes for the host, in order of their ids, which begin with a time.
   *
   * @example
   * const open = await chairside.listDisputes({ state: 'open' });
   * const deadlines = open.map((disputes) => disputes.map(({ respondBy }) => respondBy));
   */
  listDisputes,
};
