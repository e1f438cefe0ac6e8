import { setImmediate as atEndOfTurn } from 'node:timers/promises';
import {
  type AuthContext,
  type Change,
  createChairside,
  okAsync,
  type Processor,
  type Read,
  ResultAsync,
  type Store,
} from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
  someTime,
} from '@chairside/testkit';
import { describe, expect, it } from 'vitest';

const haircut = anAppointment({ id: 'haircut', businessId: 'shop' });
const shop = aBusiness({ id: 'shop' });
const barber: AuthContext = { subject: 'ada', barberId: haircut.barber.id };

/** Notes each commit, and the reads that begin before one of them has its result as one `read`. */
function counting(store: Store, steps: string[]): Store {
  let reading = 0;
  function read<T>(find: () => Read<T>): Read<T> {
    if (reading === 0) steps.push('read');
    reading += 1;
    const result = atEndOfTurn().then(() => {
      reading -= 1;
      return find();
    });
    return new ResultAsync(result);
  }
  const groups = Object.entries(store).map(([name, group]: [string, unknown]) => {
    if (typeof group !== 'object' || group === null) return [name, group];
    const reads = Object.entries(group).map(([method, find]) => [
      method,
      (...query: readonly unknown[]) => read(() => Reflect.apply(find, group, query)),
    ]);
    return [name, Object.fromEntries(reads)];
  });
  const commit: Store['commit'] = (given) => {
    steps.push('commit');
    return store.commit(given);
  };
  return { ...Object.fromEntries(groups), commit };
}

/** A shop whose steps are noted. The host's reads are `ask`. */
async function openShop(keeper: 'Chairside' | 'host' = 'Chairside') {
  const steps: string[] = [];
  const appointments = {
    get: () => {
      steps.push('ask');
      return okAsync(haircut);
    },
  };
  const store = createMapStore();
  const clock = createManualClock();
  const changes: Change[] = [{ kind: 'putBusiness', business: shop }];
  if (keeper === 'Chairside') changes.push({ kind: 'putAppointment', appointment: haircut });
  (await store.commit({ id: 'given', at: someTime, changes }))._unsafeUnwrap();
  const fake = createFakeProcessor({ clock });
  const noting = (name: 'openPayment' | 'readPayment' | 'capturePayment') =>
    ({
      [name]: (...given: readonly unknown[]) => {
        steps.push(name);
        return Reflect.apply(fake[name], fake, given);
      },
    }) as Pick<Processor, typeof name>; // cast: it calls the method of the same name
  const processor = {
    ...fake,
    ...noting('openPayment'),
    ...noting('readPayment'),
    ...noting('capturePayment'),
  };
  const chairside = createChairside({
    store: { ...counting(store, steps), ...(keeper === 'host' && { appointments }) },
    processor,
    clock,
    rateLimits: 'off',
  });
  const taken = () => steps.splice(0);

  async function create() {
    const input = { appointmentId: haircut.id, idempotencyKey: 'open' };
    return (await chairside.createContactlessPayment(barber, input))._unsafeUnwrap();
  }

  async function capture() {
    const { id, clientSecret } = await create();
    const presented = fake.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    taken();
    const body = { externalPaymentReference: presented.externalPaymentReference };
    const input = { contactlessPaymentId: id, idempotencyKey: 'capture', body };
    (await chairside.captureContactlessPayment(barber, input))._unsafeUnwrap();
    await chairside.settled();
    return taken();
  }

  return { create, capture, taken };
}

describe('each step makes its reads together', () => {
  it('a create reads once, and commits twice', async () => {
    const { create, taken } = await openShop();
    await create();
    expect(taken()).toStrictEqual(['read', 'commit', 'openPayment', 'commit']);
  });

  it('a repeated create reads its payment after its key', async () => {
    const { create, taken } = await openShop();
    await create();
    taken();
    await create();
    expect(taken()).toStrictEqual(['read', 'read']);
  });

  it('a capture reads at first, and for the comparison after the reservation', async () => {
    const captured = await (await openShop()).capture();
    const steps = ['read', 'readPayment', 'commit', 'read', 'capturePayment', 'commit'];
    // After the response, it reads for the release of other payments.
    expect(captured).toStrictEqual([...steps, 'read']);
  });

  it('a host that keeps appointments is asked at the same moment', async () => {
    const { create, capture, taken } = await openShop('host');
    await create();
    // The business is known only afterwards.
    expect(taken()).toStrictEqual(['read', 'ask', 'read', 'commit', 'openPayment', 'commit']);
    expect(await capture()).toStrictEqual([
      'read',
      ...['readPayment', 'ask'],
      'commit',
      ...['ask', 'read'],
      'capturePayment',
      'commit',
      'read',
    ]);
  });
});
