import * as v from 'valibot';
import {
  find,
  managesShop,
  managesShops,
  requireBarber,
  requireEntitledBarber,
  requireOwn,
} from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { parseInput, type Unvalidated } from '../call/input.ts';
import { hostOperation, operation } from '../call/operation.ts';
import { paymentAccount } from '../domain/business.ts';
import { checkDevice } from '../domain/device-policy.ts';
import { type Fault, type FaultOf, fault, unavailable } from '../domain/problem.ts';
import { conflict } from '../domain/refusals.ts';
import { err, type Steps } from '../domain/result.ts';
import { type Device, maxListedTerminals, type Terminal } from '../domain/terminal.ts';
import { isStorable } from '../domain/text.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor-calls.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { terminalShapes } from '../schemas/shapes/terminal.ts';
import {
  type RegisterTerminalBody,
  registerTerminalBodySchema,
  type TerminalConnectionToken,
  type Terminals,
  type TerminalView,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
} from '../schemas/terminal.ts';
import { viewTerminal } from '../schemas/views.ts';
import { ask } from '../work/ask.ts';
import { notSetUp } from '../work/faults.ts';
import { readLocation, showTerminals, terminalEvent } from '../work/terminal/terminal.ts';

const deviceSchema = v.object({ deviceIdentifier: v.string() });

export const terminals = {
  /**
   * Registers the barber's phone as a terminal. A device that is too old is 422
   * `contactlessPaymentDeviceUnsupported`, with every failed rule in `attributes.reasons`.
   *
   * @example
   * const terminal = await chairside.registerTerminal(barber, {
   *   body: { platform: 'ios', deviceIdentifier: '5E9C3C52', deviceModel: 'iPhone14,5' },
   * });
   */
  registerTerminal: operation<
    { readonly body: RegisterTerminalBody | Unvalidated },
    TerminalView
  >()({
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
    async *run({ ports, auth }, { body }) {
      const barberId = yield* requireEntitledBarber(auth);
      const barber = yield* await ports.store.barbers.get(barberId);
      if (barber === undefined) {
        return yield* err(fault('forbidden', 'The barber works for no business.'));
      }
      const device = givenFields(body);
      yield* checkDevice(device, ports.devicePolicy);
      // Read before the write, so that a failed read is truthfully `notApplied`.
      const location = yield* readLocation(ports, barber.businessId);

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
      return yield* err(error.kind === 'storeConflict' ? alreadyRegistered() : error);
    },
  }),

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
    async *run({ ports, auth }) {
      const barberId = yield* requireBarber(auth);
      const { store } = ports;
      const listed = yield* await store.terminals.listByBarber(barberId, maxListedTerminals);
      return { items: yield* showTerminals(ports, listed), count: listed.length };
    },
  }),

  /**
   * Reads one of the barber's terminals.
   *
   * @example
   * const terminal = await chairside.getTerminal(barber, { terminalId: 'trm_01h' });
   */
  getTerminal: operation<{ readonly terminalId: string }, TerminalView>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Terminals',
    summary: "Reads one of the barber's terminals",
    description: 'Returns a terminal of the authenticated barber.',
    output: terminalSchema,
    shapes: terminalShapes,
    async *run({ ports, auth }, { terminalId }) {
      const barberId = yield* requireBarber(auth);
      const terminal = yield* findOwnTerminal(ports, terminalId, barberId);
      return viewTerminal(terminal, yield* readLocation(ports, terminal.businessId));
    },
  }),

  /**
   * Unregisters one of the barber's terminals. The device can then be registered again.
   *
   * @example
   * const removed = await chairside.deleteTerminal(barber, { terminalId: 'trm_01h' });
   */
  deleteTerminal: operation<{ readonly terminalId: string }, void>()({
    limit: 'writes',
    problems: ['forbidden', 'notFound'],
    group: 'Terminals',
    summary: "Unregisters one of the barber's terminals",
    description: 'Any barber can register the device again afterwards.',
    async *run({ ports, auth }, { terminalId }) {
      const barberId = yield* requireBarber(auth);
      const terminal = yield* findOwnTerminal(ports, terminalId, barberId);
      yield* await removeTerminal(ports, terminal, 'removed');
    },
  }),

  /**
   * Releases a lost or sold device of any barber, for the host, so that it can be registered again.
   * The terminal's business and system administrators may call it (D6).
   *
   * @example
   * const released = await chairside.releaseTerminal(manager, { deviceIdentifier: '5E9C3C52' });
   */
  releaseTerminal: hostOperation<{ readonly deviceIdentifier: string }, void>()({
    problems: ['badRequest', 'forbidden', 'notFound'],
    async *run({ ports, auth }, input) {
      const { deviceIdentifier } = yield* parseInput(deviceSchema, { ...input });
      if (!managesShops(auth)) return yield* err(notOfShop());
      // Text that cannot be stored was never registered (D12).
      const terminal = isStorable(deviceIdentifier)
        ? yield* await ports.store.terminals.getByDeviceIdentifier(deviceIdentifier)
        : undefined;
      if (terminal === undefined) {
        return yield* err(fault('notFound', 'No terminal has this device.'));
      }
      if (!managesShop(auth, terminal.businessId)) return yield* err(notOfShop());
      return yield* await removeTerminal(ports, terminal, 'released');
    },
  }),

  /**
   * Creates a short-lived token for the terminal's SDK. It is never stored, logged or replayed: fetch a
   * new one for each connection.
   *
   * @example
   * const token = await chairside.createTerminalConnectionToken(barber, { terminalId: 'trm_01h' });
   */
  createTerminalConnectionToken: operation<
    { readonly terminalId: string },
    TerminalConnectionToken
  >()({
    limit: 'connectionTokens',
    problems: [
      'badRequest',
      'forbidden',
      'contactlessPaymentEntitlementMissing',
      'notFound',
      'unprocessableEntity',
      'paymentProviderNotSetup',
    ],
    group: 'Terminals',
    summary: 'Issues a short-lived token with which a terminal opens a session',
    description:
      'The processor makes a new token for each call, and the service does not store it. The request has no body.',
    output: terminalConnectionTokenSchema,
    shapes: terminalShapes,
    async *run({ ports, auth }, { terminalId }) {
      const barberId = yield* requireEntitledBarber(auth);
      const terminal = yield* findOwnTerminal(ports, terminalId, barberId);
      const business = yield* await ports.store.businesses.get(terminal.businessId);
      const account = paymentAccount(business);
      if (account === undefined) return yield* err(notSetUp());

      const { terminalLocation } = account;
      const made = await ask(ports, 'createConnectionToken', () =>
        ports.processor.createConnectionToken({
          account: account.id,
          ...(terminalLocation !== undefined && { terminalLocation }),
        }),
      );
      const { clientSecret } = yield* made.mapErr(tokenRefusal);
      return { clientSecret };
    },
  }),
};

async function* findOwnTerminal(
  { store }: Ports,
  id: string,
  barberId: string,
): Steps<Terminal, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  const terminal = yield* await find('terminal', id, store.terminals);
  yield* requireOwn(terminal.barberId === barberId, 'terminal');
  return terminal;
}

function removeTerminal(ports: Ports, terminal: Terminal, cause: 'removed' | 'released') {
  return commit(ports, [
    { kind: 'deleteTerminal', id: terminal.id },
    terminalEvent(terminal, cause, ports.clock.now()),
  ]);
}

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

/** The conflict does not name the barber who has it (D6). */
function alreadyRegistered(): Fault<'conflict'> {
  return conflict('deviceAlreadyRegistered', 'The device is already registered as a terminal.');
}

function notOfShop(): Fault<'forbidden'> {
  return fault('forbidden', "Only the terminal's business or an administrator may do this.");
}

function tokenRefusal(
  error: ProcessorError,
): FaultOf<'paymentProviderNotSetup' | 'unprocessableEntity' | 'serviceUnavailable'> {
  switch (error.kind) {
    case 'notSetUp':
      return notSetUp();
    case 'rejected':
      return fault('unprocessableEntity', 'The processor rejected the terminal or its location.');
    case 'rateLimited':
      return unavailable('The payment processor is busy.', 'notApplied');
    case 'unavailable':
      return unavailable('The payment processor is unavailable.', error.outcome);
  }
}
