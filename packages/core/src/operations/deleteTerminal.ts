import { find, requireBarber, requireOwn } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import { terminalEvent } from '../work/terminal/terminal-event.ts';

export interface DeleteTerminalInput {
  readonly terminalId: string;
}

export type DeleteTerminalError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/** Unregisters one of the barber's terminals. The device may then be registered again (spec). */
export function deleteTerminal(
  ports: Ports,
  caller: Caller,
  input: DeleteTerminalInput,
): ResultAsync<void, DeleteTerminalError> {
  return perform(ports, 'deleteTerminal', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: DeleteTerminalInput) {
  const barberId = yield* requireBarber(auth);
  const terminal = yield* await find('terminal', input.terminalId, ports.store.terminals);
  yield* requireOwn(terminal.barberId === barberId, 'terminal');
  yield* await commit(ports, [
    { kind: 'deleteTerminal', id: terminal.id },
    terminalEvent(terminal, 'removed', ports.clock.now()),
  ]);
}
