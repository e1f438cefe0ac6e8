import { find, requireBarber, requireOwn } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { terminalEvent } from '../work/terminal/terminal-event.ts';

export interface DeleteTerminalInput {
  readonly terminalId: string;
}

export const deleteTerminal = {
  /**
   * Unregisters one of the barber's terminals. The device can then be registered again.
   *
   * @example
   * const removed = await chairside.deleteTerminal(barber, { terminalId: 'trm_01h' });
   */
  deleteTerminal: operation<DeleteTerminalInput, void>()({
    limit: 'writes',
    problems: ['forbidden', 'notFound'],
    group: 'Terminals',
    summary: "Unregisters one of the barber's terminals",
    description: 'Any barber can register the device again afterwards.',
    run: steps,
  }),
};

export type DeleteTerminalError = OperationError<typeof deleteTerminal>;

async function* steps({ ports, auth }: Run, input: DeleteTerminalInput) {
  const barberId = yield* requireBarber(auth);
  const terminal = yield* await find('terminal', input.terminalId, ports.store.terminals);
  yield* requireOwn(terminal.barberId === barberId, 'terminal');
  yield* await commit(ports, [
    { kind: 'deleteTerminal', id: terminal.id },
    terminalEvent(terminal, 'removed', ports.clock.now()),
  ]);
}
