import { find, requireBarber, requireOwn } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { TerminalView } from '../schemas/terminal.ts';
import { showTerminal } from '../work/terminal/show-terminal.ts';

export interface GetTerminalInput {
  readonly terminalId: string;
}

export type GetTerminalError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/** Reads one of the barber's terminals (spec "Terminals"). */
export function getTerminal(
  ports: Ports,
  caller: Caller,
  input: GetTerminalInput,
): ResultAsync<TerminalView, GetTerminalError> {
  return perform(ports, 'getTerminal', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: GetTerminalInput) {
  const barberId = yield* requireBarber(auth);
  const terminal = yield* await find('terminal', input.terminalId, ports.store.terminals);
  yield* requireOwn(terminal.barberId === barberId, 'terminal');
  return yield* showTerminal(ports, terminal);
}
