import {
  type ClientOperation,
  type CommonProblem,
  errAsync,
  type ProblemType,
  problemTypes,
  type Recovery,
} from '@chairside/core';
import {
  doNotRetry,
  operations,
  retryLater,
  type Store,
  unknownRetryLater,
} from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { type Cell, type Role, type Rows, roles } from '../src/access.ts';
import { type Answer, problem } from '../src/answer.ts';
import { type ClientCase, clientCases, type Scenario } from '../src/operation-table.ts';
import { describeEverywhere, type World, type WorldOptions } from '../src/world.ts';

// Every problem of every operation, once.

/**
 * Problems that may pass without a new request, or are not over yet. All others must not be
 * retried.
 */
const recoveries: Readonly<Record<string, Recovery>> = {
  'createContactlessPayment: conflict': retryLater,
  'captureContactlessPayment: conflict': retryLater,
  'preparePaymentMethod: conflict': unknownRetryLater,
};

function isOperation(name: string): name is ClientOperation {
  return Object.hasOwn(clientCases, name);
}

type Asker = (typeof roles)[Role];

/** The first of these roles whose response for an own record is of this kind. */
function personOf(
  access: Rows,
  wanted: readonly ('barber' | 'customer' | 'business')[],
  isWanted: (cell: Cell) => boolean,
): Asker {
  return roles[wanted.find((role) => isWanted(access[role][0])) ?? 'barber'];
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
    tenders: { ...real.tenders, get: () => read().map(() => undefined) },
    keys: { ...real.keys, get: () => read().map(() => undefined) },
    terminals: { ...real.terminals, get: read, listByBarber: () => read().map(() => []) },
  });
}

const noStore: WorldOptions = {
  store: broken(() => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })),
};
const defectiveStore: WorldOptions = { store: broken(fail) };

/** An operation without reads fails only in its earlier parts: the authenticator and the clock. */
const asksNothing = (operation: ClientOperation) => operation === 'listChallengeMethods';
const noLogin: WorldOptions = { authenticate: fail };

function fail(): never {
  throw new Error('a defect with a secret in its message');
}

describeEverywhere('the error table', (makeWorld, { transport }) => {
  for (const [operation, { given, access, request, problems }] of Object.entries<
    ClientCase<CommonProblem>
  >(clientCases)) {
    if (!isOperation(operation)) throw new Error(operation);
    const permitted = personOf(
      access,
      ['barber', 'customer', 'business'],
      (cell) => typeof cell === 'number',
    );
    const refused = personOf(access, ['customer', 'barber'], (cell) => cell === 'forbidden');
    /** Sends a well-formed request for a record that does not exist. */
    const ask = async (world: World, as: Asker): Promise<Answer> => {
      const shop = { ...world, removed: new Set<string>(), refunded: new Map() };
      return world.send(operation, as, request ?? (await given(shop, 'absent')));
    };
    const scenarios: { readonly [T in ProblemType]?: Scenario } = {
      forbidden: (world) => ask(world, refused),
      notFound: (world) => ask(world, permitted),
      ...problems,
    };
    const row = operations[operation];
    /** The outcome of a refusal before the key is looked up (D22). */
    const unseen = row.idempotencyKey === undefined ? 'notApplied' : 'unknown';
    for (const type of row.problems) {
      const scenario = scenarios[type];
      if (scenario === undefined) throw new Error(`${operation}: ${type} has no scenario`);
      const needsHttp = operation === 'createTerminalConnectionToken' && type === 'badRequest';
      if (needsHttp && transport === 'in process') continue;
      it(`${operation}: ${type}`, async () => {
        const world = await makeWorld({ shares: true });
        const answer = await scenario(world, makeWorld);
        expect(answer.status).toBe(problemTypes[type].status);
        const expected = recoveries[`${operation}: ${type}`] ?? doNotRetry;
        expect(problem(answer, type).recovery).toEqual(expected);
      });
    }

    it(`${operation}: unauthorized`, async () => {
      const world = await makeWorld({ shares: true });
      expect(problem(await ask(world, 'nobody'), 'unauthorized').recovery).toEqual({
        outcome: unseen,
        retry: 'retrySameRequest',
        sessionAction: 'signIn',
      });
      const rejected = await ask(world, 'badToken');
      expect(problem(rejected, 'unauthorized').recovery?.sessionAction).toBe('refresh');
    });

    it(`${operation}: tooManyRequests`, async () => {
      const turnedAway = await ask(
        await makeWorld({ shares: true, rateLimits: nothingAllowed }),
        'ada',
      );
      expect(problem(turnedAway, 'tooManyRequests').recovery).toEqual({
        outcome: unseen,
        retry: 'retrySameRequestAfterDelay',
        rateLimit: { limit: 0, remaining: 0, resetsAt: '2026-11-02T09:01:00.000Z' },
      });
      expect(turnedAway.retryAfter).toBe(60);
    });

    it.skipIf(asksNothing(operation) && transport === 'in process')(
      `${operation}: serviceUnavailable`,
      async () => {
        const world = await makeWorld({
          shares: true,
          ...(asksNothing(operation) ? noLogin : noStore),
        });
        const failed = await ask(world, permitted);
        expect(problem(failed, 'serviceUnavailable').recovery?.retry).toBe(
          'retrySameRequestAfterDelay',
        );
      },
    );

    it(`${operation}: internalError`, async () => {
      const world = await makeWorld({ shares: true, ...defectiveStore });
      if (asksNothing(operation)) Object.assign(world.clock, { now: fail });
      const failed = await ask(world, permitted);
      expect(problem(failed, 'internalError').recovery).toEqual({
        outcome: 'unknown',
        retry: 'retrySameRequestAfterDelay',
      });
      expect(failed.text).not.toContain('a defect with');
      expect(JSON.stringify(world.observations)).not.toContain('a defect with');
    });
  }
});
