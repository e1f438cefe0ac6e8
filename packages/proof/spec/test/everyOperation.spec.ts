import {
  type Call,
  type ClientOperation,
  type CommonProblem,
  errAsync,
  type ProblemType,
  problemTypes,
  type Recovery,
  ResultAsync,
} from '@chairside/core';
import {
  doNotRetry,
  operations,
  retryLater,
  type Store,
  unknownRetryLater,
} from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { type Cell, type Role, type Rows, records, roles } from '../src/access.ts';
import { type Answer, payment, payoutPreferences, problem, reason } from '../src/answer.ts';
import {
  givenAccount,
  givenOtherShop,
  givenPayoutPreferences,
  givenSchedule,
  keepingSchedules,
  withSchedulesInUse,
} from '../src/business.ts';
import type { Given, Shop } from '../src/given-records.ts';
import { type ClientCase, clientCases, hostCases, type Scenario } from '../src/operation-table.ts';
import type { Request, SpecOperation } from '../src/operations.ts';
import { people } from '../src/people.ts';
import { fresh, givenAppointment, givenPresented, present } from '../src/shop.ts';
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

function isClientOperation(name: string): name is ClientOperation {
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

describeEverywhere('the error table', ({ itWith, makeWorld, transport }) => {
  const it = itWith({ shares: true });
  for (const [operation, { given, access, request, problems }] of Object.entries<
    ClientCase<CommonProblem>
  >(clientCases)) {
    if (!isClientOperation(operation)) throw new Error(operation);
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
      it(`${operation}: ${type}`, async (world) => {
        const answer = await scenario(world, makeWorld);
        expect(answer.status).toBe(problemTypes[type].status);
        const expected = recoveries[`${operation}: ${type}`] ?? doNotRetry;
        expect(problem(answer, type).recovery).toEqual(expected);
      });
    }

    it(`${operation}: unauthorized`, async (world) => {
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

// Every role, for every record, in every operation that takes a caller (D10, D58). Each response is compared
// with its cell. A role that is always refused gets the same response for every record, so it cannot tell
// which exist (D11).

const table = { ...clientCases, ...hostCases };
type Operation = keyof typeof table;

function withRemoved(real: Store, removed: ReadonlySet<string>): Store {
  const { appointments, businesses, payoutPreferences } = real;
  const unlessRemoved = <T>(id: string, found: T) => (removed.has(id) ? undefined : found);
  return {
    ...real,
    appointments: { get: (id) => appointments.get(id).map((found) => unlessRemoved(id, found)) },
    businesses: { get: (id) => businesses.get(id).map((found) => unlessRemoved(id, found)) },
    payoutPreferences: {
      get: (id) => payoutPreferences.get(id).map((found) => unlessRemoved(id, found)),
    },
  };
}

type Reply = Pick<Answer, 'status' | 'text'>;

/** A success has a status alone, because only problems are compared. */
async function call(
  { chairside, send }: World,
  operation: Operation,
  role: Role,
  request: Request,
): Promise<Reply> {
  const person = roles[role];
  if (isSpecOperation(operation)) return send(operation, person, request);
  const stranger = person === 'nobody' || person === 'badToken';
  const caller: Call = {
    auth: person === 'badToken' ? 'rejectedToken' : stranger ? undefined : people[person],
    facts: {},
  };
  const result = await hostCases[operation].call(chairside, caller, request.id ?? '');
  return result.match(
    (value) => ({ status: value === undefined ? 204 : 200, text: '' }),
    (problem) => ({ status: problem.status, text: JSON.stringify(problem) }),
  );
}

function cellOf({ status, text }: Reply): string | number {
  if (status < 400) return status;
  const { type } = JSON.parse(text);
  const name = String(type).split('/').at(-1) ?? '';
  return Object.hasOwn(problemTypes, name) ? name : `${status} ${type}`;
}

/** A problem without the members that name its own request. */
function withoutRequest({ text }: Reply): unknown {
  const { id: _id, occurredAt: _at, instance: _instance, ...rest } = JSON.parse(text);
  return rest;
}

const refusals: readonly Cell[] = [
  'unauthorized',
  'forbidden',
  'contactlessPaymentEntitlementMissing',
];

function isSpecOperation(name: string): name is SpecOperation {
  return name in clientCases;
}
const isOperation = (name: string): name is Operation => name in table;

/** The names of the operations that take a caller. What only the host itself calls is a task. */
const takeCaller = Object.entries(operations)
  .filter(([, one]) => 'run' in one)
  .map(([name]) => name);

it('has a row for each operation that takes a caller', () => {
  expect(Object.keys(table).sort()).toEqual(takeCaller.sort());
});

describeEverywhere('the access matrix (D10, D58)', ({ itWith, makeWorld, transport }) => {
  const it = itWith({ shares: true });
  const called = Object.keys(table)
    .filter(isOperation)
    .filter((name) => isSpecOperation(name) || transport === 'in process');

  it.for(called)('%s', async (operation) => {
    const removed = new Set<string>();
    const world = await makeWorld({ shares: true, store: (real) => withRemoved(real, removed) });
    const shop: Shop = { ...world, removed, refunded: new Map() };
    const { given, access: expected } = table[operation];
    const answered: Record<string, (string | number)[]> = {};
    for (const role of Object.keys(roles).filter(isRole)) {
      const kinds = records.slice(0, expected.barber.length);
      const row: Reply[] = [];
      for (const kind of kinds) {
        const request = await given(shop, kind);
        row.push(await call(shop, operation, role, request));
      }
      answered[role] = row.map(cellOf);
      if (expected[role].every((cell) => refusals.includes(cell))) {
        const told = new Set(row.map((reply) => JSON.stringify(withoutRequest(reply))));
        expect(told.size, `${role} can tell records apart`).toBe(1);
      }
    }
    expect(answered).toEqual(expected);
  });
});

/** A store whose read or commit with this number fails, counted from when it is set. */
function failingAt(reads: { left: number; failed: string }) {
  const failing = (name: string, group: object) =>
    new Proxy(group, {
      get(_, read) {
        const call: unknown = Reflect.get(group, read);
        if (typeof call !== 'function') return call;
        return (...input: readonly unknown[]) => {
          reads.left -= 1;
          if (reads.left !== 0) return Reflect.apply(call, group, input);
          reads.failed = `${name}.${String(read)}`;
          return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
        };
      },
    });
  return (real: Store): Store =>
    new Proxy(real, {
      get(_, name) {
        const member: unknown = Reflect.get(real, name);
        const isGroup = typeof member === 'object' && member !== null;
        if (name === 'commit') return Reflect.get(failing('store', real), name);
        return isGroup ? failing(String(name), member) : member;
      },
    });
}

/** A presented payment of two visits. */
const ofTwoVisits: Given = async (shop) => {
  const [id, other] = [await givenAppointment(shop), await givenAppointment(shop)];
  const body = { alsoPays: [{ appointmentId: other, amount: '45.00' }] };
  const asked = { id, key: fresh('key'), body };
  const opened = payment(await shop.send('createContactlessPayment', 'ada', asked), 201);
  const externalPaymentReference = {
    id: await present(shop, opened),
    paymentProcessor: 'processor_a',
  };
  return { id: opened.id, key: fresh('key'), body: { externalPaymentReference } };
};

/** What is left to do when the response is there: other payments of the visit are released. */
const inBackground: Readonly<Record<string, readonly string[]>> = {
  captureContactlessPayment: ['ledgers.get'],
  chargePaymentMethod: ['ledgers.get'],
  recordTender: ['ledgers.get'],
  sharePayment: ['ledgers.get'],
};

describeEverywhere('each read and commit of an operation', ({ itWith, makeWorld, transport }) => {
  const it = itWith({ shares: true });
  const called = Object.keys(table)
    .filter(isOperation)
    .filter((name) => isSpecOperation(name) || transport === 'in process');

  it.for([
    ...called.map((name) => [name, name, table[name].given] as const),
    ['a capture of two visits', 'captureContactlessPayment', ofTwoVisits] as const,
  ])(
    'may fail, and the request may be sent again if it says so: %s',
    async ([_, operation, given]) => {
      const reads = { left: 0, failed: '' };
      const world = await makeWorld({ shares: true, store: failingAt(reads) });
      const shop: Shop = { ...world, removed: new Set(), refunded: new Map() };
      const { access } = table[operation];
      const role = (['barber', 'customer', 'business', 'administrator'] as const).find(
        (one) => typeof access[one][0] === 'number',
      );
      if (role === undefined) throw new Error(operation);
      const unheard = new Set<string>();
      for (let number = 1; ; number += 1) {
        const request = await given(shop, 'own');
        reads.left = number;
        const answer = await call(shop, operation, role, request);
        await world.chairside.settled();
        const isOver = reads.left > 0;
        reads.left = 0;
        if (isOver) break;
        if (cellOf(answer) === access[role][0]) unheard.add(reads.failed);
        else {
          expect(cellOf(answer), reads.failed).toBe('serviceUnavailable');
          if (!answer.text.includes('notApplied')) continue;
          expect(cellOf(await call(shop, operation, role, request))).toBe(access[role][0]);
        }
      }
      expect([...unheard]).toEqual(inBackground[operation] ?? []);
    },
  );
});

const ofPayments = [
  'getContactlessPayment',
  'captureContactlessPayment',
  'cancelContactlessPayment',
  'getPaymentTimeline',
] as const satisfies readonly Operation[];

// Opened by Ben at the owner's shop. The appointment is Ada's since then (D38).
describeEverywhere('a payment whose appointment has moved', ({ itWith, transport }) => {
  const it = itWith({ shares: true });
  const called = ofPayments.filter((name) => isSpecOperation(name) || transport === 'in process');

  it.for(called)(
    '%s is for the present barber at the same business alone',
    async (operation, world) => {
      const id = await givenAppointment(world, { barber: 'ben' });
      const { payment, reference } = await givenPresented(world, { appointmentId: id, as: 'ben' });
      const body = { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } };
      const isCapture = operation === 'captureContactlessPayment';
      const request = { id: payment.id, ...(isCapture && { key: fresh('key'), body }) };
      const answered: (string | number)[] = [];
      for (const business of [await givenOtherShop(world), 'shop']) {
        await givenAppointment(world, { id, barber: 'ada', business });
        answered.push(cellOf(await call(world, operation, 'barber', request)));
      }
      expect(answered).toEqual(['forbidden', 200]);
    },
  );
});

function isRole(name: string): name is Role {
  return name in roles;
}

const notApplied = { outcome: 'notApplied', retry: 'doNotRetry' };

describeEverywhere('removeFinancialAccount', ({ it, makeWorld }) => {
  const remove = ({ send }: World, id2: string, id = 'shop') =>
    send('removeFinancialAccount', 'owner', { id, id2 });

  it('unlinks an account once', async (world) => {
    const account = await givenAccount(world);
    const other = await givenAccount(world);
    expect(await remove(world, account)).toMatchObject({ status: 204, text: '' });
    problem(await remove(world, account), 'notFound');
    expect((await world.store.financialAccounts.get(other)).unwrapOr(undefined)?.id).toBe(other);
  });

  it('unlinks it once for two concurrent requests', async (world) => {
    const account = await givenAccount(world);
    const answers = await Promise.all([remove(world, account), remove(world, account)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('keeps the default account until another one is the default (D30)', async (world) => {
    const account = await givenAccount(world, { isDefault: true });
    const refused = problem(await remove(world, account), 'conflict');
    expect(reason(refused)).toBe('defaultAccount');
    expect(refused.recovery).toEqual(notApplied);
    await givenAccount(world, { isDefault: true });
    expect((await remove(world, account)).status).toBe(204);
  });

  it('keeps one that becomes the default at the same moment', async () => {
    const later: { putDefault?: () => Promise<unknown> } = {};
    const world = await makeWorld({
      store: (real): Store => ({
        ...real,
        financialAccounts: {
          // The record changes between the read and the write.
          get: (id) =>
            real.financialAccounts.get(id).andThen((found) => {
              const { putDefault } = later;
              delete later.putDefault;
              return ResultAsync.fromSafePromise(Promise.resolve(putDefault?.()).then(() => found));
            }),
        },
      }),
    });
    const account = await givenAccount(world);
    later.putDefault = () => givenAccount(world, { id: account, isDefault: true });
    expect(reason(problem(await remove(world, account), 'conflict'))).toBe('defaultAccount');
  });

  it('returns 404 for an account under another business, the caller’s or not (D30)', async (world) => {
    const foreign = await givenAccount(world, { businessId: 'newShop' });
    problem(await remove(world, foreign), 'notFound');
    const own = await givenAccount(world);
    problem(await remove(world, own, 'newShop'), 'forbidden');
    problem(await remove(world, own, 'nowhere'), 'notFound');
    for (const id of ['é', 'x'.repeat(256), 'a\u0001b', '%']) {
      problem(await remove(world, id), 'notFound');
      problem(await remove(world, own, id), 'notFound');
    }
    expect((await remove(world, own)).status).toBe(204);
  });

  it('does not reveal the accounts of others (D11)', async (world) => {
    const foreign = await givenAccount(world, { businessId: 'newShop' });
    const texts = [];
    for (const account of [foreign, 'none']) {
      const { detail, type } = problem(await remove(world, account, 'newShop'), 'forbidden');
      texts.push({ detail, type });
    }
    expect(texts[0]).toEqual(texts[1]);
  });
});

describeEverywhere('deleteBarberSchedule', ({ it, makeWorld }) => {
  it('returns 404 for one under another barber (D11, D30)', async (world) => {
    const id2 = await givenSchedule(world, 'ben');
    for (const as of ['ada', 'administrator'] as const) {
      problem(await world.send('deleteBarberSchedule', as, { id: 'ada', id2 }), 'notFound');
    }
    problem(await world.send('deleteBarberSchedule', 'ada', { id: 'ben', id2 }), 'forbidden');
    problem(await world.send('deleteBarberSchedule', 'ada', { id: 'none', id2 }), 'notFound');
    // Others do not learn which barbers exist.
    problem(await world.send('deleteBarberSchedule', 'owner', { id: 'none', id2 }), 'forbidden');
  });

  it('removes it once for two concurrent requests', async (world) => {
    const request = { id: 'ada', id2: await givenSchedule(world) };
    const remove = () => world.send('deleteBarberSchedule', 'ada', request);
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('keeps one that the host still needs (D30)', async () => {
    const world = await makeWorld({ store: withSchedulesInUse });
    const id2 = await givenSchedule(world);
    const refused = problem(
      await world.send('deleteBarberSchedule', 'ada', { id: 'ada', id2 }),
      'conflict',
    );
    expect(reason(refused)).toBe('scheduleInUse');
    expect(refused.recovery).toEqual(notApplied);
    expect((await world.store.schedules.get(id2)).unwrapOr(undefined)?.id).toBe(id2);
  });

  it('says "not applied" if the store knows it', async () => {
    const store = keepingSchedules({ kind: 'storeUnavailable', outcome: 'notApplied' });
    const world = await makeWorld({ store });
    const request = { id: 'ada', id2: await givenSchedule(world) };
    const failed = await world.send('deleteBarberSchedule', 'ada', request);
    expect(problem(failed, 'serviceUnavailable').recovery?.outcome).toBe('notApplied');
  });
});

describeEverywhere('getPayoutPreferences', ({ it }) => {
  it('shows each of the four kinds of settings (D7)', async (world) => {
    for (const settings of [
      { frequency: 'daily', delayDays: 0 },
      { frequency: 'weekly', delayDays: 31, dayOfWeek: 'sunday' },
      { frequency: 'monthly', delayDays: 2, dayOfMonth: 31 },
      { frequency: 'manual' },
    ] as const) {
      await givenPayoutPreferences(world, 'shop', settings);
      const shown = await world.send('getPayoutPreferences', 'owner', { id: 'shop' });
      expect(payoutPreferences(shown)).toEqual({ settings });
    }
  });
});
