import * as v from 'valibot';
import {
  find,
  managesShop,
  managesShops,
  onlyFor,
  requireBarber,
  requireEntitledBarber,
  requireOwn,
} from '../frame/access.ts';
import { actorOf, byMember, commit } from '../frame/commit.ts';
import { hostOperation, operation, parseInput, withoutUndefined } from '../frame/operation.ts';
import type { ByActor } from '../frame/record.ts';
import { paymentAccount } from '../host/host.ts';
import { ask } from '../payment/carry.ts';
import { notSetUp } from '../payment/faults.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor.ts';
import type { Change, ChangeOf, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, type FaultOf, fault, unavailable } from '../problems/problem.ts';
import { err, type Steps } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';
import { checkDevice, maxTerminals, type Terminal } from './terminal.ts';
import {
  registerTerminalBody,
  type TerminalConnectionToken,
  type Terminals,
  type TerminalView,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalShapes,
  terminalsSchema,
  viewTerminal,
} from './wire.ts';

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
  registerTerminal: operation({
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
      'A device can be registered by one barber at a time, and a barber can register 1,000. A device that cannot take contactless payments is rejected, with every reason in `attributes.reasons`.',
    body: { ...registerTerminalBody, required: true },
    output: terminalSchema,
    shapes: terminalShapes,
  })(async function* ({ ports, auth }, { body }) {
    const barberId = yield* requireEntitledBarber(auth);
    const barber = yield* await ports.store.barbers.get(barberId);
    if (barber === undefined) {
      return yield* err(fault('forbidden', 'The barber works for no business.'));
    }
    const device = withoutUndefined(body);
    yield* checkDevice(device, ports.devicePolicy);
    // Read before the write, so that a failed read is truthfully `notApplied`.
    const location = yield* readLocation(ports, barber.businessId);
    yield* requireRoom(ports, barberId, device.deviceIdentifier);

    const at = ports.clock.now();
    const terminal: Terminal = {
      id: ports.ids.next('trm'),
      ...device,
      barberId,
      businessId: barber.businessId,
      createdAt: at,
      updatedAt: at,
    };
    const by = yield* await actorOf(ports);
    const registered: readonly Change[] = [
      { kind: 'insertTerminal', terminal },
      terminalEvent(terminal, 'registered', at, by),
    ];
    const written = await commit(ports, registered);
    if (written.isOk()) return viewTerminal(terminal, location);
    if (written.error.kind !== 'storeConflict') return yield* err(written.error);
    const { deviceIdentifier } = device;
    const held = yield* await ports.store.terminals.getByDeviceIdentifier(deviceIdentifier);
    if (!isLeftBehind(held, terminal)) return yield* err(alreadyRegistered());
    // In one commit, so that the device is never without a terminal.
    yield* await commit(ports, [
      { kind: 'deleteTerminal', id: held.id },
      terminalEvent(held, 'removed', at, by),
      ...registered,
    ]);
    return viewTerminal(terminal, location);
  }),

  /**
   * Lists the barber's terminals, oldest first.
   *
   * @example
   * const count = await chairside.listTerminals(barber).map((terminals) => terminals.count);
   */
  listTerminals: operation({
    limit: 'reads',
    problems: ['forbidden'],
    group: 'Terminals',
    summary: "Lists the barber's terminals",
    description: 'Returns the newest 1,000 terminals of the authenticated barber, oldest first.',
    output: terminalsSchema,
    shapes: terminalShapes,
  })<Terminals>(async function* ({ ports, auth }) {
    const barberId = yield* requireBarber(auth);
    const { store } = ports;
    const listed = yield* await store.terminals.listByBarber(barberId, maxTerminals);
    return { items: yield* showTerminals(ports, listed), count: listed.length };
  }),

  /**
   * Reads one of the barber's terminals.
   *
   * @example
   * const terminal = await chairside.getTerminal(barber, { terminalId: 'trm_01h' });
   */
  getTerminal: operation({
    ids: ['terminalId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Terminals',
    summary: "Reads one of the barber's terminals",
    description: 'Returns a terminal of the authenticated barber.',
    output: terminalSchema,
    shapes: terminalShapes,
  })(async function* ({ ports, auth }, { terminalId }) {
    const barberId = yield* requireBarber(auth);
    const terminal = yield* findOwnTerminal(ports, terminalId, barberId);
    return viewTerminal(terminal, yield* readLocation(ports, terminal.businessId));
  }),

  /**
   * Unregisters one of the barber's terminals. The device can then be registered again.
   *
   * @example
   * const removed = await chairside.deleteTerminal(barber, { terminalId: 'trm_01h' });
   */
  deleteTerminal: operation({
    ids: ['terminalId'],
    limit: 'writes',
    problems: ['forbidden', 'notFound'],
    group: 'Terminals',
    summary: "Unregisters one of the barber's terminals",
    description: 'Any barber can register the device again afterwards.',
  })(async function* ({ ports, auth }, { terminalId }) {
    const barberId = yield* requireBarber(auth);
    const terminal = yield* findOwnTerminal(ports, terminalId, barberId);
    yield* removeTerminal(ports, terminal, 'removed');
  }),

  /**
   * Releases a lost or sold device of any barber, for the host, so that it can be registered again.
   * The terminal's business and system administrators may call it.
   *
   * @example
   * const released = await chairside.releaseTerminal(manager, { deviceIdentifier: '5E9C3C52' });
   */
  releaseTerminal: hostOperation<{ readonly deviceIdentifier: string }, void>()({
    problems: ['badRequest', 'forbidden', 'notFound'],
    async *run({ ports, auth }, input) {
      const { deviceIdentifier } = yield* parseInput(deviceSchema, { ...input });
      const refusal = onlyFor("the terminal's business or an administrator");
      if (!managesShops(auth)) return yield* err(refusal);
      // A text that cannot be one was never registered (D12).
      const terminal = v.is(registerTerminalBody.schema.entries.deviceIdentifier, deviceIdentifier)
        ? yield* await ports.store.terminals.getByDeviceIdentifier(deviceIdentifier)
        : undefined;
      if (terminal === undefined) {
        return yield* err(fault('notFound', 'No terminal has this device.'));
      }
      if (!managesShop(auth, terminal.businessId)) return yield* err(refusal);
      return yield* removeTerminal(ports, terminal, 'released');
    },
  }),

  /**
   * Creates a short-lived token for the terminal's SDK. It is never stored, logged or replayed: fetch a
   * new one for each connection.
   *
   * @example
   * const token = await chairside.createTerminalConnectionToken(barber, { terminalId: 'trm_01h' });
   */
  createTerminalConnectionToken: operation({
    ids: ['terminalId'],
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
  })<TerminalConnectionToken>(async function* ({ ports, auth }, { terminalId }) {
    const barberId = yield* requireEntitledBarber(auth);
    const terminal = yield* findOwnTerminal(ports, terminalId, barberId);
    // A barber who left keeps the terminal, and may come back; the shop's account is not theirs (D6).
    const barber = yield* await ports.store.barbers.get(barberId);
    if (barber?.businessId !== terminal.businessId) {
      const detail = 'The terminal belongs to a shop that the barber does not work at.';
      return yield* err(fault('forbidden', detail));
    }
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

async function* removeTerminal(ports: Ports, terminal: Terminal, cause: 'removed' | 'released') {
  const by = yield* await actorOf(ports);
  yield* await commit(ports, [
    { kind: 'deleteTerminal', id: terminal.id },
    terminalEvent(terminal, cause, ports.clock.now(), by),
  ]);
}

/** Refuses one more phone of a barber who has enough. A phone that the barber has already takes no room. */
async function* requireRoom(
  { store: { terminals } }: Ports,
  barberId: string,
  deviceIdentifier: string,
): Steps<void, Fault<'conflict'> | StoreUnavailable> {
  const newest = yield* await terminals.listByBarber(barberId, maxTerminals);
  if (newest.length < maxTerminals) return;
  const held = yield* await terminals.getByDeviceIdentifier(deviceIdentifier);
  if (held?.barberId === barberId) return;
  const detail = 'The barber has 1,000 terminals. Delete one that is not used any more.';
  yield* err(conflict('tooManyTerminals', detail));
}

/** Whether it is the barber's own, of a shop where they do not work now. */
function isLeftBehind(
  held: Terminal | undefined,
  { barberId, businessId }: Terminal,
): held is Terminal {
  return held?.barberId === barberId && held.businessId !== businessId;
}

/** The conflict does not name the barber who has it (D6). */
function alreadyRegistered(): Fault<'conflict'> {
  return conflict('deviceAlreadyRegistered', 'The device is already registered as a terminal.');
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

/** Shows terminals, each with the location of the business that it was registered for. */
async function* showTerminals(
  ports: Ports,
  terminals: readonly Terminal[],
): Steps<TerminalView[], StoreUnavailable> {
  const locations = new Map<string, string | undefined>();
  for (const businessId of new Set(terminals.map((one) => one.businessId))) {
    locations.set(businessId, yield* readLocation(ports, businessId));
  }
  return terminals.map((terminal) => viewTerminal(terminal, locations.get(terminal.businessId)));
}

/** The processor's location of a business's terminals, if there is one. */
async function* readLocation(
  { store }: Ports,
  businessId: string,
): Steps<string | undefined, StoreUnavailable> {
  const business = yield* await store.businesses.get(businessId);
  return paymentAccount(business)?.terminalLocation;
}

export function terminalEvent(
  terminal: Terminal,
  what: 'registered' | 'removed' | 'released',
  at: EpochMs,
  by: ByActor,
): ChangeOf<'appendEvent'> {
  const { id, barberId, businessId, platform } = terminal;
  return {
    kind: 'appendEvent',
    event: {
      subject: id,
      // A terminal is registered once and removed once; its id is never reused.
      version: what === 'registered' ? 1 : 2,
      type: `terminal.${what}`,
      occurredAt: at,
      data: {
        terminalId: id,
        barberId,
        businessId,
        platform,
        ...byMember(by),
      },
    },
  };
}
