import { requireEntitledBarber } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { parseInput, type Unvalidated } from '../call/input.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { paymentAccount } from '../domain/business.ts';
import { checkDevice } from '../domain/device-policy.ts';
import { type Fault, fault } from '../domain/problem.ts';
import { err } from '../domain/result.ts';
import type { Device, Terminal } from '../domain/terminal.ts';
import { terminalShapes } from '../schemas/shapes/terminal.ts';
import {
  type RegisterTerminalBody,
  registerTerminalBodySchema,
  registerTerminalInputSchema,
  type TerminalView,
  terminalSchema,
} from '../schemas/terminal.ts';
import { viewTerminal } from '../schemas/views.ts';
import { terminalEvent } from '../work/terminal/terminal-event.ts';

export interface RegisterTerminalInput {
  readonly body: RegisterTerminalBody | Unvalidated;
}

export const registerTerminal = {
  /**
   * Registers the barber's phone as a terminal. A device that is too old is 422
   * `contactlessPaymentDeviceUnsupported`, with every failed rule in `attributes.reasons`.
   *
   * @example
   * const terminal = await chairside.registerTerminal(barber, {
   *   body: { platform: 'ios', deviceIdentifier: '5E9C3C52', deviceModel: 'iPhone14,5' },
   * });
   */
  registerTerminal: operation<RegisterTerminalInput, TerminalView>()({
    limit: 'writes',
    problems: [
      'badRequest',
      'forbidden',
      'contactlessPaymentEntitlementMissing',
      'conflict',
      'unprocessableEntity',
      'contactlessPaymentDeviceUnsupported',
    ],
    group: 'Terminals',
    summary: "Registers the barber's device as a terminal",
    description:
      'A device can be registered by one barber at a time. A device that cannot take contactless payments is rejected, with every reason in `attributes.reasons`.',
    body: { schema: registerTerminalBodySchema, required: true },
    output: terminalSchema,
    shapes: terminalShapes,
    run: steps,
  }),
};

export type RegisterTerminalError = OperationError<typeof registerTerminal>;

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
