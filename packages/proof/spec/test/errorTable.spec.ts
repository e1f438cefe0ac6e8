import {
  type Chairside,
  type ClientOperation,
  type CommonProblem,
  doNotRetry,
  errAsync,
  operations,
  type Problem,
  type ProblemType,
  problemTypes,
  type Recovery,
  type ResultAsync,
  retryLater,
  type Store,
  unknownRetryLater,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { type Answer, problem, terminal } from '../src/answer.ts';
import { givenAccount, givenSchedule, withSchedulesInUse } from '../src/business.ts';
import type { Request } from '../src/operations.ts';
import type { Person } from '../src/people.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  register,
  until,
} from '../src/shop.ts';
import { describeEverywhere, type World, type WorldOptions } from '../src/world.ts';

/** The problems of each operation: its row of the error table, by the core's types. */
type Rows = {
  readonly [O in ClientOperation]: ReturnType<Chairside[O]> extends ResultAsync<
    unknown,
    infer E extends Problem
  >
    ? E
    : never;
};

type MakeWorld = (options?: WorldOptions) => Promise<World>;
type Scenario = (world: World, makeWorld: MakeWorld) => Promise<Answer>;

const external = (id: string) => ({
  externalPaymentReference: { id, paymentProcessor: 'processor_a' },
});

/** The scenarios of an operation's own problems. */
interface Case<T extends ProblemType> {
  /** A well-formed request, for records that do not exist. */
  readonly request: Request;
  /** The sender of the request, if it is not a barber. */
  readonly as?: Person;
  /** By default a customer is forbidden, and the record of the request is not found. */
  readonly problems: Readonly<
    Record<Exclude<T, CommonProblem | 'forbidden' | 'notFound'>, Scenario>
  > & {
    readonly [Type in 'forbidden' | 'notFound']?: Scenario;
  };
}

async function givenTerminal(world: World, as: 'ada' | 'cleo' = 'ada'): Promise<string> {
  return terminal(await register(world, { as }), 201).id;
}

const preparation = { key: 'key', body: { savePaymentMethod: true } };

/** How each row is produced; the compiler requires all of them. */
const table: { readonly [O in keyof Rows]: Case<Rows[O]['type']> } = {
  createContactlessPayment: {
    request: { id: 'none', key: 'key' },
    problems: {
      badRequest: (world) => create(world, 'none', { key: '' }),
      conflict: async (world) => {
        const appointmentId = await givenAppointment(world);
        for (let i = 0; i < 50; i += 1) await givenPayment(world, { appointmentId });
        return create(world, appointmentId);
      },
      appointmentAlreadyPaid: async (world) => {
        const appointmentId = await givenAppointment(world);
        await givenCaptured(world, { appointmentId });
        return create(world, appointmentId);
      },
      unprocessableEntity: async (world) =>
        create(world, await givenAppointment(world), { amount: '0.00' }),
      paymentProviderNotSetup: async (world) => {
        const appointmentId = await givenAppointment(world, {
          barber: 'cleo',
          business: 'newShop',
        });
        return create(world, appointmentId, { as: 'cleo' });
      },
    },
  },
  listContactlessPayments: { request: { id: 'none' }, problems: {} },
  getContactlessPayment: { request: { id: 'none' }, problems: {} },
  captureContactlessPayment: {
    request: { id: 'none', key: 'key', body: external('fpi_1') },
    problems: {
      badRequest: (world) => capture(world, 'none', ''),
      conflict: async (world) => {
        const { id } = await givenPayment(world);
        return capture(world, id, world.processor.entries()[0]?.id ?? '');
      },
      contactlessPaymentCanceled: async (world) => {
        const { payment, reference } = await givenPresented(world, { card: 'canceled' });
        return capture(world, payment.id, reference);
      },
      contactlessPaymentDeclined: async (world) => {
        const { payment, reference } = await givenPresented(world, { card: 'declined' });
        return capture(world, payment.id, reference);
      },
      unprocessableEntity: async (world) => {
        const { payment } = await givenPresented(world);
        return capture(world, payment.id, 'fpi_none');
      },
      paymentProviderNotSetup: async (world) => {
        const { payment, reference } = await givenPresented(world);
        world.processor.disableAccount('acct_shop');
        return capture(world, payment.id, reference);
      },
    },
  },
  registerTerminal: {
    request: { body: { platform: 'ios', deviceIdentifier: 'phone' } },
    problems: {
      badRequest: (world) => register(world, { platform: 'windows' }),
      contactlessPaymentEntitlementMissing: (world) =>
        register(world, { as: 'adaWithoutEntitlement' }),
      conflict: async (world) => {
        const deviceIdentifier = fresh('phone');
        await register(world, { deviceIdentifier });
        return register(world, { deviceIdentifier });
      },
      unprocessableEntity: (world) => register(world, { osVersion: 'Tahoe' }),
      contactlessPaymentDeviceUnsupported: (world) => register(world, { osVersion: '12.0' }),
    },
  },
  listTerminals: { request: {}, problems: {} },
  getTerminal: { request: { id: 'none' }, problems: {} },
  deleteTerminal: { request: { id: 'none' }, problems: {} },
  createTerminalConnectionToken: {
    request: { id: 'none' },
    problems: {
      // In process, `undefined` is the only invalid body; over HTTP any body is.
      badRequest: ({ send }) =>
        send('createTerminalConnectionToken', 'ada', { id: 'none', body: { any: 'thing' } }),
      contactlessPaymentEntitlementMissing: ({ send }) =>
        send('createTerminalConnectionToken', 'adaWithoutEntitlement', { id: 'none' }),
      unprocessableEntity: async (world) => {
        world.processor.rejectLocation('tml_shop');
        const id = await givenTerminal(world);
        return world.send('createTerminalConnectionToken', 'ada', { id });
      },
      paymentProviderNotSetup: async (world) => {
        const id = await givenTerminal(world, 'cleo');
        return world.send('createTerminalConnectionToken', 'cleo', { id });
      },
    },
  },
  preparePaymentMethod: {
    request: preparation,
    as: 'customer',
    problems: {
      badRequest: ({ send }) => send('preparePaymentMethod', 'customer', { body: {} }),
      forbidden: ({ send }) => send('preparePaymentMethod', 'ada', preparation),
      notFound: (world) => {
        world.processor.forgetCustomer('customer');
        return prepare(world);
      },
      conflict: async (world) => {
        world.processor.failNext('openSetup', 'slow');
        const first = prepare(world);
        await until(() => world.processor.count('openSetup').made === 1);
        const second = await prepare(world);
        world.processor.release();
        await first;
        return second;
      },
      unprocessableEntity: (world) => {
        world.processor.failNext('openSetup', 'rejected');
        return prepare(world);
      },
    },
  },
  removeFinancialAccount: {
    request: { id: 'shop', id2: 'none' },
    as: 'owner',
    problems: {
      conflict: async (world) => {
        const id2 = await givenAccount(world, { isDefault: true });
        return world.send('removeFinancialAccount', 'owner', { id: 'shop', id2 });
      },
    },
  },
  deleteBarberSchedule: {
    request: { id: 'ada', id2: 'none' },
    problems: {
      conflict: async (_world, makeWorld) => {
        const world = await makeWorld({ store: withSchedulesInUse });
        const id2 = await givenSchedule(world);
        return world.send('deleteBarberSchedule', 'ada', { id: 'ada', id2 });
      },
    },
  },
  listChallengeMethods: {
    request: { query: { phoneNumber: '+4930901820' } },
    problems: {
      badRequest: ({ send }) => send('listChallengeMethods', 'ada', { query: {} }),
    },
  },
  getPayoutPreferences: { request: { id: 'shop' }, as: 'owner', problems: {} },
  refundPayment: {
    request: { id: 'none', key: 'key' },
    as: 'owner',
    problems: {
      badRequest: ({ send }) => send('refundPayment', 'owner', { id: 'none', key: '' }),
      conflict: async (world) => {
        const { id } = await givenPayment(world);
        return world.send('refundPayment', 'owner', { id, key: fresh('key') });
      },
      unprocessableEntity: async (world) => {
        const { payment } = await givenCaptured(world);
        const body = { amount: '0.00' };
        return world.send('refundPayment', 'owner', { id: payment.id, key: fresh('key'), body });
      },
      paymentProviderNotSetup: async (world) => {
        const { payment } = await givenCaptured(world);
        world.processor.disableAccount('acct_shop');
        return world.send('refundPayment', 'owner', { id: payment.id, key: fresh('key') });
      },
    },
  },
  listRefunds: { request: { id: 'none' }, as: 'owner', problems: {} },
  getRefund: { request: { id: 'none', id2: 'none' }, as: 'owner', problems: {} },
};

function prepare({ send }: World): Promise<Answer> {
  return send('preparePaymentMethod', 'customer', preparation);
}

/**
 * Problems that may pass without a new request, or are not over yet. All others must not be
 * retried.
 */
const recoveries: Readonly<Record<string, Recovery>> = {
  'createContactlessPayment: conflict': retryLater,
  'captureContactlessPayment: conflict': retryLater,
  'preparePaymentMethod: conflict': unknownRetryLater,
};

function isRow(name: string): name is keyof Rows {
  return Object.hasOwn(table, name);
}

const minute = { limit: 0, windowMs: 60_000 };
const nothingAllowed = {
  reads: minute,
  writes: minute,
  connectionTokens: minute,
  challengeMethods: minute,
  challengeTargets: minute,
  failedAuthentications: { ...minute, limit: 100 },
};

/** A store whose reads all fail in this way. */
function broken(read: () => never | ReturnType<Store['terminals']['get']>) {
  return (real: Store): Store => ({
    ...real,
    appointments: { get: () => read().map(() => undefined) },
    payments: { ...real.payments, get: () => read().map(() => undefined) },
    barbers: { get: () => read().map(() => undefined) },
    businesses: { get: () => read().map(() => undefined) },
    keys: { ...real.keys, get: () => read().map(() => undefined) },
    terminals: { ...real.terminals, get: read, listByBarber: () => read().map(() => []) },
  });
}

const noStore: WorldOptions = {
  store: broken(() => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })),
};
const defectiveStore: WorldOptions = { store: broken(fail) };

/** An operation without reads fails only in its earlier parts: the authenticator and the clock. */
const asksNothing = (operation: keyof Rows) => operation === 'listChallengeMethods';
const noLogin: WorldOptions = { authenticate: fail };

function fail(): never {
  throw new Error('a defect with a secret in its message');
}

describeEverywhere('the error table', (makeWorld, { transport }) => {
  for (const [operation, { request, as = 'ada', problems }] of Object.entries<Case<CommonProblem>>(
    table,
  )) {
    if (!isRow(operation)) throw new Error(operation);
    const scenarios: { readonly [T in ProblemType]?: Scenario } = {
      forbidden: ({ send }) => send(operation, 'customer', request),
      notFound: ({ send }) => send(operation, as, request),
      ...problems,
    };
    /** The outcome of a refusal before the key is looked up (D22). */
    const unseen = request.key === undefined ? 'notApplied' : 'unknown';
    for (const type of operations[operation].problems) {
      const scenario = scenarios[type];
      if (scenario === undefined) throw new Error(`${operation}: ${type} has no scenario`);
      const needsHttp = operation === 'createTerminalConnectionToken' && type === 'badRequest';
      if (needsHttp && transport === 'in process') continue;
      it(`${operation}: ${type}`, async () => {
        const world = await makeWorld();
        const answer = await scenario(world, makeWorld);
        expect(answer.status).toBe(problemTypes[type].status);
        const expected = recoveries[`${operation}: ${type}`] ?? doNotRetry;
        expect(problem(answer, type).recovery).toEqual(expected);
      });
    }

    it(`${operation}: unauthorized`, async () => {
      const { send } = await makeWorld();
      const refused = await send(operation, 'nobody', request);
      expect(problem(refused, 'unauthorized').recovery).toEqual({
        outcome: unseen,
        retry: 'retrySameRequest',
        sessionAction: 'signIn',
      });
      const rejected = await send(operation, 'badToken', request);
      expect(problem(rejected, 'unauthorized').recovery?.sessionAction).toBe('refresh');
    });

    it(`${operation}: tooManyRequests`, async () => {
      const { send } = await makeWorld({ rateLimits: nothingAllowed });
      const refused = await send(operation, 'ada', request);
      expect(problem(refused, 'tooManyRequests').recovery).toEqual({
        outcome: unseen,
        retry: 'retrySameRequestAfterDelay',
        rateLimit: { limit: 0, remaining: 0, resetsAt: '2026-11-02T09:01:00.000Z' },
      });
      expect(refused.retryAfter).toBe(60);
    });

    it.skipIf(asksNothing(operation) && transport === 'in process')(
      `${operation}: serviceUnavailable`,
      async () => {
        const { send } = await makeWorld(asksNothing(operation) ? noLogin : noStore);
        const failed = await send(operation, as, request);
        expect(problem(failed, 'serviceUnavailable').recovery?.retry).toBe(
          'retrySameRequestAfterDelay',
        );
      },
    );

    it(`${operation}: internalError`, async () => {
      const world = await makeWorld(defectiveStore);
      if (asksNothing(operation)) Object.assign(world.clock, { now: fail });
      const failed = await world.send(operation, as, request);
      expect(problem(failed, 'internalError').recovery).toEqual({
        outcome: 'unknown',
        retry: 'retrySameRequestAfterDelay',
      });
      expect(failed.text).not.toContain('a defect with');
      expect(JSON.stringify(world.observations)).not.toContain('a defect with');
    });
  }
});
