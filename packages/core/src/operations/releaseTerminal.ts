import * as v from 'valibot';
import { managesShop, managesShops } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { parseInput } from '../call/input.ts';
import { hostOperation, type OperationError } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { fault } from '../domain/problem.ts';
import { err } from '../domain/result.ts';
import { isStorable } from '../domain/text.ts';
import { terminalEvent } from '../work/terminal/terminal-event.ts';

export interface ReleaseTerminalInput {
  readonly deviceIdentifier: string;
}

export const releaseTerminal = {
  /**
   * Releases a lost or sold device of any barber, for the host, so that it can be registered again.
   * The terminal's business and system administrators may call it (D6).
   *
   * @example
   * const released = await chairside.releaseTerminal(manager, { deviceIdentifier: '5E9C3C52' });
   */
  releaseTerminal: hostOperation<ReleaseTerminalInput, void>()({
    problems: ['badRequest', 'forbidden', 'notFound'],
    run: steps,
  }),
};

export type ReleaseTerminalError = OperationError<typeof releaseTerminal>;

const inputSchema = v.object({ deviceIdentifier: v.string() });

async function* steps({ ports, auth }: Run, input: ReleaseTerminalInput) {
  const { deviceIdentifier } = yield* parseInput(inputSchema, { ...input });
  const refused = fault(
    'forbidden',
    "Only the terminal's business or an administrator may do this.",
  );
  if (!managesShops(auth)) return yield* err(refused);
  const none = fault('notFound', 'No terminal has this device.');
  // Text that cannot be stored was never registered (D12).
  if (!isStorable(deviceIdentifier)) return yield* err(none);
  const terminal = yield* await ports.store.terminals.getByDeviceIdentifier(deviceIdentifier);
  if (terminal === undefined) return yield* err(none);
  if (!managesShop(auth, terminal.businessId)) return yield* err(refused);
  yield* await commit(ports, [
    { kind: 'deleteTerminal', id: terminal.id },
    terminalEvent(terminal, 'released', ports.clock.now()),
  ]);
}
