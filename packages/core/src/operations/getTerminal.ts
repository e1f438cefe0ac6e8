import { find, requireBarber, requireOwn } from '../call/access.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { terminalShapes } from '../schemas/shapes/terminal.ts';
import type { TerminalView } from '../schemas/terminal.ts';
import { terminalSchema } from '../schemas/terminal.ts';
import { showTerminal } from '../work/terminal/show-terminal.ts';

export interface GetTerminalInput {
  readonly terminalId: string;
}

export const getTerminal = {
  /**
   * Reads one of the barber's terminals.
   *
   * @example
   * const terminal = await chairside.getTerminal(barber, { terminalId: 'trm_01h' });
   */
  getTerminal: operation<GetTerminalInput, TerminalView>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Terminals',
    summary: "Reads one of the barber's terminals",
    description: 'Returns a terminal of the authenticated barber.',
    output: terminalSchema,
    shapes: terminalShapes,
    run: steps,
  }),
};

export type GetTerminalError = OperationError<typeof getTerminal>;

async function* steps({ ports, auth }: Run, input: GetTerminalInput) {
  const barberId = yield* requireBarber(auth);
  const terminal = yield* await find('terminal', input.terminalId, ports.store.terminals);
  yield* requireOwn(terminal.barberId === barberId, 'terminal');
  return yield* showTerminal(ports, terminal);
}
