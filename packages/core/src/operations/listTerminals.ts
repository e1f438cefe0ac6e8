import { requireBarber } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import { maxListedTerminals } from '../domain/terminal.ts';
import type { Ports } from '../ports/ports.ts';
import type { Terminals } from '../schemas/terminal.ts';
import { showTerminals } from '../work/terminal/show-terminal.ts';

export type ListTerminalsError = ProblemOf<'forbidden' | CommonProblem>;

/** Lists the barber's terminals, oldest first (spec "Terminals", D6). */
export function listTerminals(
  ports: Ports,
  caller: Caller,
): ResultAsync<Terminals, ListTerminalsError> {
  return perform(ports, 'listTerminals', caller, steps);
}

async function* steps({ ports, auth }: Run) {
  const barberId = yield* requireBarber(auth);
  const { terminals } = ports.store;
  const listed = yield* await terminals.listByBarber(barberId, maxListedTerminals);
  return { items: yield* showTerminals(ports, listed), count: listed.length };
}
