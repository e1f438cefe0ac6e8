import { requireBarber } from '../call/access.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { maxListedTerminals } from '../domain/terminal.ts';
import { terminalShapes } from '../schemas/shapes/terminal.ts';
import type { Terminals } from '../schemas/terminal.ts';
import { terminalsSchema } from '../schemas/terminal.ts';
import { showTerminals } from '../work/terminal/show-terminal.ts';

export const listTerminals = {
  /**
   * Lists the barber's terminals, oldest first.
   *
   * @example
   * const count = await chairside.listTerminals(barber).map((terminals) => terminals.count);
   */
  listTerminals: operation<void, Terminals>()({
    limit: 'reads',
    problems: ['forbidden'],
    takesNoInput: true,
    group: 'Terminals',
    summary: "Lists the barber's terminals",
    description: 'Returns the newest 1,000 terminals of the authenticated barber, oldest first.',
    output: terminalsSchema,
    shapes: terminalShapes,
    run: steps,
  }),
};

export type ListTerminalsError = OperationError<typeof listTerminals>;

async function* steps({ ports, auth }: Run) {
  const barberId = yield* requireBarber(auth);
  const { terminals } = ports.store;
  const listed = yield* await terminals.listByBarber(barberId, maxListedTerminals);
  return { items: yield* showTerminals(ports, listed), count: listed.length };
}
