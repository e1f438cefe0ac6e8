import { hourMs, minuteMs } from '@chairside/core';
import { unknownCustomer } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { answered, problem, rejected, type SetUp, setUp, unknown, value } from './stand-in.ts';

const request = ({ clock }: SetUp, n = 1) => ({
  setupId: `pms_${n}`,
  installation: 'shop',
  customerId: 'o\'neil\n"x"',
  savePaymentMethod: true,
  begunAt: clock.now(),
  idempotencyKey: `setup_${n}`,
});

const customersMade = ({ standIn }: SetUp) =>
  new Set(standIn.setups().map(({ customer }) => customer)).size;

/** Opens a setup of the same customer after each of these times. */
async function openAfter(set: SetUp, ...waits: readonly number[]) {
  for (const [n, wait] of waits.entries()) {
    set.clock.advance(wait);
    value(await set.stripe.openSetup(request(set, n)));
  }
}

/** A host that saves the ids of its customers, and their map. */
const saving = (saved: Map<string, string>) => ({
  findCustomer: async (id: string) => saved.get(id),
  saveCustomer: async (id: string, stripeId: string) => void saved.set(id, stripeId),
});

describe('setups', () => {
  it('that are saved belong to a customer and are for later', async () => {
    const set = setUp();
    value(await set.stripe.openSetup(request(set)));
    const [made] = set.standIn.setups();
    expect(made).toMatchObject({ usage: 'off_session', customer: expect.any(String) });
    expect(set.standIn.requests.every(({ account }) => account === undefined)).toBe(true);
  });

  it('that are not saved have no customer', async () => {
    const set = setUp();
    value(await set.stripe.openSetup({ ...request(set), savePaymentMethod: false }));
    expect(set.standIn.setups()[0]).toMatchObject({ usage: 'off_session', customer: null });
    expect(set.standIn.requests.map(({ route }) => route)).toEqual(['createSetupIntent']);
  });

  it('of one customer share one record, found by key at first and by search later', async () => {
    const set = setUp();
    await openAfter(set, 0, 1000, 2 * minuteMs, 30 * hourMs);
    expect(set.standIn.setups()).toHaveLength(4);
    expect(customersMade(set)).toBe(1);
  });

  it('share one record while search is an hour behind, across the turn of an hour', async () => {
    const set = setUp({}, { searchLagSeconds: 3600 });
    set.clock.advance(hourMs - (set.clock.now() % hourMs) - minuteMs);
    await openAfter(set, 0, 2 * minuteMs, 57 * minuteMs, 30 * hourMs);
    expect(customersMade(set)).toBe(1);
  });

  it('need no search, because a merchant may not have it', async () => {
    const set = setUp({}, { searchLagSeconds: 'noSearch' });
    await openAfter(set, 0, 2 * minuteMs, 19 * hourMs);
    expect(customersMade(set)).toBe(1);
  });

  it('use the record that the host saved, and never search', async () => {
    const saved = new Map<string, string>();
    const set = setUp(saving(saved), { searchLagSeconds: 'noSearch' });
    await openAfter(set, 0, 30 * hourMs, 300 * hourMs);
    expect(customersMade(set)).toBe(1);
    const routes = set.standIn.requests.map(({ route }) => route);
    expect(routes.filter((route) => route === 'createCustomer')).toHaveLength(1);
    expect(routes).not.toContain('searchCustomers');
  });

  it('are unknown if the host cannot save the record', async () => {
    const saveCustomer = () => Promise.reject(new Error('no database'));
    const set = setUp({ saveCustomer });
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual(unknown);
    expect(set.standIn.setups()).toEqual([]);
  });

  it.each(['failure', 'failureAfterApplying'] as const)(
    'survive a %s of Stripe that it repeats for a day, with one customer',
    async (fault) => {
      const set = setUp({}, { searchLagSeconds: 3600 });
      set.standIn.failNext('createCustomer', fault);
      value(await set.stripe.openSetup(request(set, 1)));
      set.clock.advance(10 * minuteMs);
      value(await set.stripe.openSetup(request(set, 2)));
      expect(customersMade(set)).toBe(1);
    },
  );

  it.each(['rejected', 'notCapable'] as const)(
    'are opened once a platform that was %s is mended, although Stripe repeats its refusal',
    async (fault) => {
      const set = setUp({}, { searchLagSeconds: 3600 });
      set.standIn.failNext('createCustomer', fault);
      expect((await set.stripe.openSetup(request(set, 1))).isErr()).toBe(true);
      set.clock.advance(10 * minuteMs);
      value(await set.stripe.openSetup(request(set, 2)));
      value(await set.stripe.openSetup(request(set, 3)));
      expect(customersMade(set)).toBe(1);
    },
  );

  it('wait if Stripe cannot be searched at the moment', async () => {
    const set = setUp();
    set.standIn.failNext('searchCustomers', 'rateLimited');
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual({ kind: 'rateLimited' });
    expect(set.standIn.setups()).toEqual([]);
  });

  it('of two customers, or two installations, do not share one', async () => {
    const set = setUp();
    value(await set.stripe.openSetup(request(set, 1)));
    value(await set.stripe.openSetup({ ...request(set, 2), customerId: 'another' }));
    value(await set.stripe.openSetup({ ...request(set, 3), installation: 'another' }));
    expect(customersMade(set)).toBe(3);
  });

  it('use the customer that the host names, and replace none that the host alone makes', async () => {
    const set = setUp({ findCustomer: async () => 'cus_unknown' });
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual(rejected(unknownCustomer));
    expect(set.standIn.requests.map(({ route }) => route)).toEqual(['createSetupIntent']);
  });

  it('are unknown if the host cannot name the customer', async () => {
    const findCustomer = () => Promise.reject(new Error('no database'));
    const set = setUp({ findCustomer });
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual(unknown);
  });

  it('are unknown if the host takes too long', async () => {
    const findCustomer = () => new Promise<never>(() => {});
    const set = setUp({ findCustomer, deadlineMs: 50 });
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual(unknown);
  });

  it('are not opened under a key of 20 hours', async () => {
    const set = setUp();
    const old = request(set);
    set.clock.advance(20 * hourMs);
    expect(problem(await set.stripe.openSetup(old))).toEqual(rejected('tooOld'));
    expect(set.standIn.setups()).toEqual([]);
  });

  it('that were opened are found under a key of 20 hours', async () => {
    const set = setUp();
    const old = request(set);
    const opened = value(await set.stripe.openSetup(old));
    set.clock.advance(20 * hourMs);
    expect(value(await set.stripe.openSetup(old))).toMatchObject(opened);
  });

  it('can be canceled', async () => {
    const set = setUp();
    const opened = value(await set.stripe.openSetup(request(set)));
    set.standIn.cancelSetup(opened.clientSecret);
    expect(value(await set.stripe.readSetup(request(set)))?.status).toBe('canceled');
  });

  it('are implausible as complete without a method', async () => {
    const set = setUp();
    const { reference } = value(await set.stripe.openSetup(request(set)));
    set.standIn.failNext('retrieveSetupIntent', (body) => ({ ...body, status: 'succeeded' }));
    expect(problem(await set.stripe.readSetup({ ...request(set), reference }))).toEqual(unknown);
  });

  it.each([
    ['is the customer’s', true, undefined, 'completed'],
    ['left the customer at once', true, { customer: null }, 'canceled'],
    ['is for a single visit', false, { customer: null }, 'completed'],
    ['Stripe names only', true, 'id', 'completed'],
  ] as const)('with a method that %s', async (_, savePaymentMethod, change, status) => {
    const set = setUp();
    const asked = { ...request(set), savePaymentMethod };
    const { reference, clientSecret } = value(await set.stripe.openSetup(asked));
    set.standIn.completeSetup(clientSecret);
    set.standIn.failNext('retrieveSetupIntent', (body) => {
      const method = body['payment_method'];
      const id: unknown = Reflect.get(Object(method), 'id');
      return { ...body, payment_method: change === 'id' ? id : { ...Object(method), ...change } };
    });
    const seen = value(await set.stripe.readSetup({ ...asked, reference }));
    expect(seen).toMatchObject({ status });
    expect(seen !== undefined && 'paymentMethod' in seen).toBe(status === 'completed');
  });

  it('fail as Stripe does, and recover with the next attempt', async () => {
    const set = setUp();
    set.standIn.failNext('createSetupIntent', 'failure');
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual(answered);
    value(await set.stripe.openSetup({ ...request(set), idempotencyKey: 'setup_1:2' }));
  });
});

describe('a customer that was deleted at Stripe', () => {
  const lastCustomer = ({ standIn }: SetUp) => `${standIn.setups().at(-1)?.customer}`;

  it.each([
    [2, false],
    [22, false],
    [94, false],
    [2, true],
    [22, true],
    [94, true],
  ])(
    'is replaced once, %d hours later, whether the host saves its id: %s',
    async (hours, saves) => {
      const saved = new Map<string, string>();
      const set = setUp(saves ? saving(saved) : {});
      value(await set.stripe.openSetup(request(set, 1)));
      const first = lastCustomer(set);
      set.standIn.deleteCustomer(first);
      set.clock.advance(hours * hourMs);
      const both = [2, 3].map((n) => set.another().openSetup(request(set, n)));
      for (const opened of await Promise.all(both)) value(opened);
      set.clock.advance(hourMs);
      value(await set.stripe.openSetup(request(set, 4)));
      const second = lastCustomer(set);
      expect(second).not.toBe(first);
      expect(set.standIn.setups().map(({ customer }) => customer)).toEqual([
        first,
        second,
        second,
        second,
      ]);
      expect([...saved.values()]).toEqual(saves ? [second] : []);
    },
  );

  it('is replaced although search still shows it', async () => {
    const set = setUp();
    const { standIn, stripe, clock } = set;
    value(await stripe.openSetup(request(set, 1)));
    clock.advance(30 * hourMs);
    let stale: Readonly<Record<string, unknown>> = {};
    standIn.failNext('searchCustomers', (body) => {
      stale = body;
      return body;
    });
    value(await stripe.openSetup(request(set, 2)));
    standIn.deleteCustomer(lastCustomer(set));
    standIn.failNext('searchCustomers', () => stale);
    for (const n of [3, 4]) value(await stripe.openSetup(request(set, n)));
    expect(customersMade(set)).toBe(2);
  });

  it('is replaced again if the next one is deleted within the day', async () => {
    const set = setUp();
    for (const n of [1, 2, 3]) {
      value(await set.stripe.openSetup(request(set, n)));
      set.standIn.deleteCustomer(lastCustomer(set));
    }
    expect(customersMade(set)).toBe(3);
  });

  it('is not replaced for ever', async () => {
    const set = setUp();
    const { standIn } = set;
    const deleted = (body: Readonly<Record<string, unknown>>) => {
      standIn.deleteCustomer(`${body['id']}`);
      return body;
    };
    standIn.failNext('createCustomer', deleted, 1000);
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual(rejected(unknownCustomer));
    const tries = standIn.requests.filter(({ route }) => route === 'createSetupIntent');
    expect(tries).toHaveLength(4);
  });

  it('differs from one that this key has never had, which the host keeps', async () => {
    const saved = new Map([[request(setUp()).customerId, 'cus_of_another_account']]);
    const set = setUp(saving(saved));
    expect(problem(await set.stripe.openSetup(request(set)))).toEqual(rejected(unknownCustomer));
    expect([...saved.values()]).toEqual(['cus_of_another_account']);
  });

  it('is replaced for a retry, which opens no setup under the key of a refusal', async () => {
    const saved = new Map<string, string>();
    const set = setUp(saving(saved));
    value(await set.stripe.openSetup(request(set, 1)));
    set.standIn.deleteCustomer(lastCustomer(set));
    set.standIn.failNext('createSetupIntent', (body) => body);
    set.standIn.failNext('createSetupIntent', 'timeoutAfterApplying');
    expect(problem(await set.stripe.openSetup(request(set, 2)))).toEqual(unknown);
    value(await set.stripe.openSetup(request(set, 2)));
    expect(set.standIn.setups()).toHaveLength(2);
  });

  it('is replaced for a customer session', async () => {
    const set = setUp();
    value(await set.stripe.openSetup(request(set)));
    const first = lastCustomer(set);
    set.standIn.deleteCustomer(first);
    const { installation, customerId } = request(set);
    const asked = { installation, customerId, idempotencyKey: 'session_1' };
    const { customer } = value(await set.stripe.openCustomerSession(asked));
    value(await set.stripe.openSetup(request(set, 2)));
    expect(customer).not.toBe(first);
    expect(lastCustomer(set)).toBe(customer);
  });
});

describe('a customer session', () => {
  it('is opened for the customer of the saved methods', async () => {
    const set = setUp();
    value(await set.stripe.openSetup(request(set)));
    const { installation, customerId } = request(set);
    const asked = { installation, customerId, idempotencyKey: 'session_1' };
    const session = value(await set.stripe.openCustomerSession(asked));
    expect(session).toEqual({
      customer: set.standIn.setups()[0]?.customer,
      clientSecret: expect.stringMatching(/./),
    });
  });

  it('is implausible for another customer', async () => {
    const set = setUp();
    set.standIn.failNext('createCustomerSession', (body) => ({ ...body, customer: 'cus_other' }));
    const { installation, customerId, idempotencyKey } = request(set);
    const asked = { installation, customerId, idempotencyKey };
    expect(problem(await set.stripe.openCustomerSession(asked))).toEqual(unknown);
  });
});
