import type { AuthContext, Caller, Chairside } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import { expect } from 'vitest';
import { type Rows, roles } from '../src/access.ts';
import { payment, problem, terminal } from '../src/answer.ts';
import { givenAccount } from '../src/business.ts';
import { chargeBody } from '../src/charges.ts';
import type { Shop } from '../src/given-records.ts';
import { clientCases, hostCases } from '../src/operation-table.ts';
import { operations, type Request } from '../src/operations.ts';
import { people } from '../src/people.ts';
import { capture, create, fresh, givenAppointment, givenPresented, register } from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

const unstorable = {
  'U+0000': 'a\u0000b',
  'only U+0000': '\u0000',
  'the first half of a pair': 'a\ud83d',
  'the second half of a pair': '\ude00a',
  'a pair the wrong way round': '\ude00\ud83d',
};

describeEverywhere('text', ({ it, transport }) => {
  for (const [name, text] of Object.entries(unstorable)) {
    it(`with ${name} is rejected`, async (world) => {
      const { payment: presented, reference } = await givenPresented(world);
      for (const field of ['deviceIdentifier', 'deviceModel', 'appVersion']) {
        const refused = problem(await register(world, { [field]: text }), 'badRequest');
        expect(refused.problems?.map(({ attributes }) => attributes)).toEqual([
          { pointer: `/${field}` },
        ]);
      }
      problem(await capture(world, presented.id, text), 'badRequest');
      problem(await capture(world, presented.id, reference + text), 'badRequest');
      expect(world.processor.entries().map(({ status }) => status)).toEqual(['authorized']);

      // Headers and paths cannot contain an unpaired surrogate.
      if (transport === 'in process') {
        const appointmentId = await givenAppointment(world);
        problem(await create(world, appointmentId, { key: text }), 'badRequest');
        problem(await create(world, text), 'notFound');
      } else if (text.isWellFormed()) problem(await create(world, text), 'notFound');
    });
  }

  it('in a path is not found, and neither is another kind of value (D1)', async ({ chairside }) => {
    const [caller, key] = [{ ...people.ada, businessIds: ['shop'] }, { idempotencyKey: 'k' }];
    const externalPaymentReference = { id: 'fpi_1', paymentProcessor: 'processor_a' } as const;
    const number = 5n as never; // cast: a host without types
    for (const id of ['a\u0000b', '', number]) {
      const ended = [
        await chairside.createContactlessPayment(caller, { ...key, appointmentId: id }),
        await chairside.captureContactlessPayment(caller, {
          ...key,
          contactlessPaymentId: id,
          body: { externalPaymentReference },
        }),
        await chairside.chargePaymentMethod(caller, {
          ...key,
          appointmentId: id,
          body: chargeBody('pms_1'),
        }),
      ];
      const types = ended.map((result) => result._unsafeUnwrapErr().type);
      expect(types).toEqual(['notFound', 'notFound', 'notFound']);
    }
  });

  it('of any other kind is returned unchanged', async (world) => {
    const texts = ['😀', '\u0001\u007f', '\ufeff', '\uffff', 'é', 'é', ' x ', "'; --", '\\x00'];
    for (const deviceModel of texts) {
      const answer = await register(world, { deviceModel, platform: 'android' });
      expect(terminal(answer, 201)).toMatchObject({ deviceModel });
    }
    const long = '😀'.repeat(255);
    expect(terminal(await register(world, { deviceIdentifier: long }), 201)).toMatchObject({
      deviceIdentifier: long,
    });
    problem(await register(world, { deviceIdentifier: `${long}x` }), 'badRequest');
    const key = 'é'.repeat(transport === 'in process' ? 255 : 100);
    const created = await create(world, await givenAppointment(world), { key });
    payment(created, 201);
  });
});

// A text that no store can keep names no record. PostgreSQL refuses the whole message that holds it, and
// with it the reads and commits of other callers that travel in the same message. So no operation may
// pass one on, wherever its caller puts it.

const unstorableTexts = ['a\u0000b', '\ud800'];
/** No id and no key is as long. Only the host's own tasks pass on such a text. */
const tooLong = 'x'.repeat(10_000);

type Send = (chairside: Chairside, caller: Caller, input: unknown) => Promise<unknown>;
interface Valid {
  readonly caller: AuthContext;
  readonly input: unknown;
  readonly send: Send;
}
type Recipe = (shop: Shop) => Promise<Valid>;

/** Calls a member of the service by its path, as a host without types could. */
const named =
  (path: string, takesCaller: boolean): Send =>
  async (chairside, caller, input) => {
    const [group, name] = path.includes('.') ? path.split('.') : [undefined, path];
    const owner: unknown = group === undefined ? chairside : Reflect.get(chairside, group);
    const call: unknown = Reflect.get(Object(owner), name ?? '');
    if (typeof call !== 'function') throw new Error(`There is no ${path}`);
    return Reflect.apply(call, owner, takesCaller ? [caller, input] : [input]);
  };

/** The first caller who may do it to the own record. */
function callerOf(access: Rows): AuthContext {
  const allowed = Object.entries(access).find(([, [own]]) => typeof own === 'number')?.[0];
  const person = Object.entries(roles).find(([role]) => role === allowed)?.[1] ?? 'ada';
  if (person === 'nobody' || person === 'badToken') throw new Error('A caller is known');
  return people[person];
}

const task =
  (path: string, input: (shop: Shop) => unknown, takesCaller = false): Recipe =>
  async (shop) => ({
    caller: people.administrator,
    input: await input(shop),
    send: named(path, takesCaller),
  });

const withCaller = (path: string, input: (shop: Shop) => unknown) => task(path, input, true);

const appointment = {
  id: 'haircut',
  businessId: 'shop',
  amountDueMinor: 4500n,
  occursOn: '2026-12-01T09:00:00.000Z',
  timeZone: 'Europe/Berlin',
  customerId: 'customer',
  paymentMethodSetupId: 'pms_1',
  barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
  location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
};

/** Operations whose input has more texts than one id. */
const more: Readonly<Record<string, Recipe>> = {
  refundExcess: withCaller('refundExcess', async (shop) => ({
    appointmentId: await givenAppointment(shop),
    idempotencyKey: fresh('key'),
    reason: 'The price fell.',
  })),
  getStatement: withCaller('getStatement', () => ({
    businessId: 'shop',
    day: '2026-11-24',
    timeZone: 'Europe/Berlin',
  })),
  listPayouts: withCaller('listPayouts', () => ({
    businessId: 'shop',
    from: '2026-11-24T00:00:00.000Z',
    until: '2026-11-25T00:00:00.000Z',
  })),
};

/** What only the host itself calls. */
const tasks: Readonly<Record<string, Recipe>> = {
  listDisputes: task('listDisputes', () => ({ state: 'open', after: 'dsp_1' })),
  listReviews: task('listReviews', () => ({ state: 'open', after: 'rev_1' })),
  resolveReview: task('resolveReview', () => ({
    reviewId: 'rev_1',
    note: 'Seen.',
    by: 'Ada',
    outcome: 'noted',
  })),
  eraseCustomer: task('eraseCustomer', () => ({
    customerId: 'customer',
    appointmentIds: ['haircut'],
  })),
  mergeCustomers: task('mergeCustomers', () => ({ from: 'another', into: 'customer' })),
  exportCustomer: task('exportCustomer', () => ({
    customerId: 'customer',
    appointmentIds: ['haircut'],
  })),
  receiveProcessorEvent: task('receiveProcessorEvent', () => ({
    payload: '{}',
    headers: { signature: 'none' },
  })),
  reconcile: task('reconcile', () => ({ limit: 1 })),
  relabel: task('relabel', () => undefined),
  upkeep: task('upkeep', () => ({ limit: 1 })),
  'events.deliver': task('events.deliver', () => undefined),
  'events.listDeadLetters': task('events.listDeadLetters', () => ({
    after: { subject: 'cpm_1', version: 1 },
  })),
  'events.replay': task('events.replay', () => ({ since: '2026-11-02T09:00:00.000Z' })),
  'events.redeliver': task('events.redeliver', () => ({ subject: 'cpm_1', version: 1 })),
  'events.skip': task('events.skip', () => ({ subject: 'cpm_1', version: 1 })),
  'records.putAppointment': task('records.putAppointment', () => appointment),
  'records.putBarber': task('records.putBarber', () => ({ id: 'ada', businessId: 'shop' })),
  'records.putBusiness': task('records.putBusiness', () => ({
    id: 'shop',
    name: 'Marlow & Sons',
    processorAccount: { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' },
  })),
  'records.putFinancialAccount': task('records.putFinancialAccount', async (shop) => ({
    id: await givenAccount(shop),
    businessId: 'shop',
    bankName: 'Old Town Savings',
    maskedAccountNumber: '*6789',
    currency: 'eur',
    isDefault: true,
  })),
  'records.putPayoutPreferences': task('records.putPayoutPreferences', () => ({
    businessId: 'shop',
    settings: { frequency: 'weekly', delayDays: 2, dayOfWeek: 'friday' },
  })),
  'records.putSchedule': task('records.putSchedule', () => ({
    id: 'winter',
    barberId: 'ada',
    name: 'Winter',
    hours: [{ day: 'monday', from: '09:00', to: '17:30' }],
  })),
};

function clientRecipe(name: keyof typeof clientCases): Recipe {
  const { given, access } = clientCases[name];
  return async (shop) => ({
    caller: callerOf(access),
    input: await given(shop, 'own'),
    send: async (chairside, caller, request) =>
      // cast: the request of the table, with other texts
      operations[name].inProcess(chairside, caller, request as Request),
  });
}

function hostRecipe(name: keyof typeof hostCases): Recipe {
  const { given, access, call } = hostCases[name];
  return async (shop) => ({
    caller: callerOf(access),
    input: await given(shop, 'own'),
    send: async (chairside, caller, request) =>
      call(chairside, caller, (request as Request).id ?? ''), // cast: as above
  });
}

function recipeOf(path: string): Recipe {
  const known = more[path] ?? tasks[path];
  if (known !== undefined) return known;
  if (isClientCase(path)) return clientRecipe(path);
  if (isHostCase(path)) return hostRecipe(path);
  throw new Error(`${path} has no example in this file`);
}

const isClientCase = (name: string): name is keyof typeof clientCases => name in clientCases;
const isHostCase = (name: string): name is keyof typeof hostCases => name in hostCases;

/** The value with each of its texts replaced by another one, one at a time. */
function withEachText(value: unknown, text: string): unknown[] {
  if (typeof value === 'string') return [text];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    withEachText(member, text).map((replaced) => {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      Reflect.set(copy, key, replaced);
      return copy;
    }),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The store, and the names of its calls that were given such a text. */
function watched(real: Store, seen: string[]): Store {
  const watch = <T extends object>(group: T, path: string): T =>
    new Proxy(group, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        const here = `${path}${String(name)}`;
        if (typeof member === 'object' && member !== null) return watch(member, `${here}.`);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (textsIn(args).some(isUnstorable)) seen.push(here);
          return Reflect.apply(member, target, args);
        };
      },
    });
  return watch(real, '');
}

const isUnstorable = (text: string) =>
  [...unstorableTexts, tooLong].some((one) => text.includes(one));

describeEverywhere('a text that cannot be stored', ({ it, makeWorld, transport }) => {
  // Headers and paths cannot have most of them, and both transports run the same operations.
  it.skipIf(transport !== 'in process')(
    'reaches no store, wherever a caller puts it in any operation',
    async () => {
      const seen: string[] = [];
      const world = await makeWorld({ store: (real) => watched(real, seen), tips: {} });
      const { chairside } = world;
      const shop: Shop = { ...world, removed: new Set(), refunded: new Map() };
      const { transport: _transport, ports: _ports, settled: _settled, ...offered } = chairside;
      const paths = Object.entries(offered).flatMap(([name, member]) =>
        typeof member === 'function' ? [name] : Object.keys(member).map((own) => `${name}.${own}`),
      );
      const reached: string[] = [];
      let tried = 0;
      for (const path of paths) {
        const { caller, input, send } = await recipeOf(path)(shop);
        const texts: Readonly<Record<string, unknown>> = { ...caller };
        for (const text of path in tasks ? unstorableTexts : [...unstorableTexts, tooLong]) {
          const inputs = withEachText(input, text).map((given) => [caller, given] as const);
          const callers = withEachText(texts, text).map(
            (auth) => [auth as AuthContext, input] as const, // cast: an authenticator without types
          );
          for (const [auth, given] of [...inputs, ...callers]) {
            await send(chairside, { auth, facts: {} }, given);
            tried += 1;
            reached.push(...seen.splice(0).map((call) => `${path}: ${call}`));
          }
        }
      }
      await chairside.settled();
      expect([...new Set(reached)]).toEqual([]);
      expect(tried).toBeGreaterThan(500);
    },
  );
});
