import { requireEntitledBarber } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { parseInput, type Unvalidated } from '../call/input.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { paymentAccount } from '../domain/business.ts';
import { checkDevice } from '../domain/device-policy.ts';
import { type Fault, fault, type ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import type { Device, Terminal } from '../domain/terminal.ts';
import type { Ports } from '../ports/ports.ts';
import {
  type RegisterTerminalBody,
  registerTerminalInputSchema,
  type TerminalView,
} from '../schemas/terminal.ts';
import { viewTerminal } from '../schemas/views.ts';
import { terminalEvent } from '../work/terminal/terminal-event.ts';

export interface RegisterTerminalInput {
  readonly body: RegisterTerminalBody | Unvalidated;
}

export type RegisterTerminalError = ProblemOf<
  | 'badRequest'
  | 'forbidden'
  | 'contactlessPaymentEntitlementMissing'
  | 'conflict'
  | 'unprocessableEntity'
  | 'contactlessPaymentDeviceUnsupported'
  | CommonProblem
>;

/** Registers the barber's phone as a terminal (spec "Terminals", D5, D6). */
export function registerTerminal(
  ports: Ports,
  caller: Caller,
  input: RegisterTerminalInput,
): ResultAsync<TerminalView, RegisterTerminalError> {
  return perform(ports, 'registerTerminal', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: RegisterTerminalInput) {
  const { body } = yield* parseInput(registerTerminalInputSchema, { body: input.body });
  const barberId = yield* requireEntitledBarber(auth);
  const barber = yield* await ports.store.barbers.get(barberId);
  if (barber === undefined) return yield* err(unknownBarber());
  const device = givenFields(body);
  yield* checkDevice(device, ports.devicePolicy);
  // Read before the write, so that a failed read is truthfully `notApplied`.
  const business = yield* await ports.store.businesses.get(barber.businessId);
  const location = paymentAccount(business ?? undefined)?.terminalLocation;

  const at = ports.clock.now();
  const terminal: Terminal = {
    id: ports.ids.next('trm'),
    ...device,
    barberId,
    businessId: barber.businessId,
    createdAt: at,
    updatedAt: at,
  };
  const written = await commit(ports, [
    { kind: 'insertTerminal', terminal },
    terminalEvent(terminal, 'registered', at),
  ]);
  if (written.isOk()) return viewTerminal(terminal, location);
  const { error } = written;
  const isTaken = error.kind === 'storeConflict' && error.change === 'insertTerminal';
  return yield* err(isTaken ? alreadyRegistered() : error);
}

/** The device fields that the request has. */
function givenFields(body: RegisterTerminalBody): Device {
  const { deviceModel, osVersion, appVersion, terminalSdkVersion } = body;
  return {
    platform: body.platform,
    deviceIdentifier: body.deviceIdentifier,
    ...(deviceModel !== undefined && { deviceModel }),
    ...(osVersion !== undefined && { osVersion }),
    ...(appVersion !== undefined && { appVersion }),
    ...(terminalSdkVersion !== undefined && { terminalSdkVersion }),
  };
}

function unknownBarber(): Fault<'forbidden'> {
  return fault('forbidden', 'The barber works for no business.');
}

/** The conflict does not name the barber who has it (D6). */
function alreadyRegistered(): Fault<'conflict'> {
  return fault('conflict', 'The device is already registered as a terminal.', {
    attributes: { reason: 'deviceAlreadyRegistered' },
  });
}
