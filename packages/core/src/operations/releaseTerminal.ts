import * as v from 'valibot';
import { managesShop, managesShops } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { parseInput } from '../call/input.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { fault, type ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import { isStorable } from '../domain/text.ts';
import type { Ports } from '../ports/ports.ts';
import { terminalEvent } from '../work/terminal/terminal-event.ts';

export interface ReleaseTerminalInput {
  readonly deviceIdentifier: string;
}

export type ReleaseTerminalError = ProblemOf<
  'badRequest' | 'forbidden' | 'notFound' | CommonProblem
>;

/**
 * Unregisters a lost or sold device of any barber, so that it can be registered again. The
 * terminal's business and system administrators may call it. It is not on the HTTP interface (D6).
 */
export function releaseTerminal(
  ports: Ports,
  caller: Caller,
  input: ReleaseTerminalInput,
): ResultAsync<void, ReleaseTerminalError> {
  return perform(ports, 'releaseTerminal', caller, (run) => steps(run, input), input);
}

const inputSchema = v.object({ deviceIdentifier: v.string() });

async function* steps({ ports, auth }: Run, input: ReleaseTerminalInput) {
  const { deviceIdentifier } = yield* parseInput(inputSchema, { ...input });
  const refused = fault(
    'forbidden',
    "Only the terminal's business or an administrator may do this.",
  );
  if (!managesShops(auth)) return yield* err(refused);
  const none = fault('notFound', 'No terminal has this device.');
  // Text that cannot be stored was never registered (D66).
  if (!isStorable(deviceIdentifier)) return yield* err(none);
  const terminal = yield* await ports.store.terminals.getByDeviceIdentifier(deviceIdentifier);
  if (terminal === undefined) return yield* err(none);
  if (!managesShop(auth, terminal.businessId)) return yield* err(refused);
  yield* await commit(ports, [
    { kind: 'deleteTerminal', id: terminal.id },
    terminalEvent(terminal, 'released', ports.clock.now()),
  ]);
}
