import { errAsync, okAsync } from '@chairside/core';
import type { CommitError } from '@chairside/core/ports';
import { aTerminal } from '@chairside/testkit';
import { expect } from 'vitest';
import { connectionToken, problem, terminal, terminals } from '../src/answer.ts';
import { fresh, phone, register } from '../src/shop.ts';
import { type AnyWorld, describeWithEveryProcessor } from '../src/world.ts';

async function storedAt({ store }: AnyWorld, deviceIdentifier: string) {
  const found = await store.terminals.getByDeviceIdentifier(deviceIdentifier);
  return found._unsafeUnwrap()?.businessId;
}

describeWithEveryProcessor('registerTerminal', ({ it, makeWorld }) => {
  it('registers the barber’s phone', async (world) => {
    const registered = terminal(await world.send('registerTerminal', 'ada', { body: phone }), 201);
    expect(registered).toEqual({
      ...phone,
      terminalLocation: 'tml_shop',
      id: expect.stringMatching(/^trm_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      createdAt: '2026-11-02T09:00:00.000Z',
      updatedAt: '2026-11-02T09:00:00.000Z',
    });
  });

  it.for([
    ['with all that can be said', phone],
    ['with the least', { platform: 'android', deviceIdentifier: 'pixel' }],
  ])('is the same byte for byte when it is read and listed, %s', async ([_how, body], world) => {
    const registered = await world.send('registerTerminal', 'ada', { body });
    const { id } = terminal(registered, 201);
    const read = await world.send('getTerminal', 'ada', { id });
    expect(read.text).toBe(registered.text);
    const listed = await world.send('listTerminals', 'ada');
    expect(listed.text).toBe(`{"items":[${registered.text}],"count":1}`);
  });

  it('requires only a platform and a device identifier', async (world) => {
    const body = { platform: 'android', deviceIdentifier: 'pixel' };
    const registered = terminal(await world.send('registerTerminal', 'ada', { body }), 201);
    expect(Object.keys(registered).sort()).toEqual(
      ['createdAt', 'deviceIdentifier', 'id', 'platform', 'terminalLocation', 'updatedAt'].sort(),
    );
  });

  it('shows no location if the business has none (D6)', async (world) => {
    const registered = terminal(await register(world, { as: 'cleo' }), 201);
    expect(registered).not.toHaveProperty('terminalLocation');
    expect(terminals(await world.send('listTerminals', 'cleo')).items).toEqual([registered]);
    const read = await world.send('getTerminal', 'cleo', { id: registered.id });
    expect(terminal(read, 200)).toEqual(registered);
  });

  it.for(['iPhone', 'iPhone 14 Pro', 'arm64'])(
    'accepts a phone that calls itself %s (D5)',
    async (deviceModel, world) => {
      terminal(await register(world, { deviceModel, osVersion: 'iOS 17.1' }), 201);
    },
  );

  it('refuses a barber whom the host has no record of', async ({ chairside }) => {
    const entitlements = ['contactlessPayments'] as const;
    const unknown = { subject: 'user-new', barberId: 'new', entitlements };
    const refused = await chairside.registerTerminal(unknown, {
      body: { ...phone, platform: 'ios' },
    });
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'forbidden',
      detail: 'The barber works for no business.',
    });
  });

  it('registers a device once at a time, for any barber (D6)', async (world) => {
    const deviceIdentifier = fresh('phone');
    const { id } = terminal(await register(world, { deviceIdentifier }), 201);
    for (const as of ['ada', 'ben'] as const) {
      const taken = problem(await register(world, { as, deviceIdentifier }), 'conflict');
      expect(taken).toMatchObject({
        attributes: { reason: 'deviceAlreadyRegistered' },
        recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
      });
      expect(JSON.stringify(taken)).not.toMatch(/\bada\b/);
    }
    expect((await world.send('deleteTerminal', 'ada', { id })).status).toBe(204);
    terminal(await register(world, { as: 'ben', deviceIdentifier }), 201);
  });

  it('registers at most 1,000 devices of one barber, whose own stay as they are (D63)', async (world) => {
    const registerNext = () => register(world, { deviceIdentifier: fresh('phone') });
    const deviceIdentifier = fresh('phone');
    const { id } = terminal(await register(world, { deviceIdentifier }), 201);
    const others = Array.from({ length: 999 }, (_, n) =>
      aTerminal({ id: `trm_${n}`, barberId: 'ada', deviceIdentifier: `old-${n}` }),
    );
    const changes = others.map((one) => ({ kind: 'insertTerminal', terminal: one }) as const);
    const written = await world.store.commit({ id: fresh('commit'), at: 0, changes });
    expect(written.isOk()).toBe(true);
    const full = problem(await registerNext(), 'conflict');
    expect(full).toMatchObject({
      attributes: { reason: 'tooManyTerminals' },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    const again = problem(await register(world, { deviceIdentifier }), 'conflict');
    expect(again.attributes).toEqual({ reason: 'deviceAlreadyRegistered' });
    terminal(await register(world, { as: 'ben', deviceIdentifier: fresh('phone') }), 201);
    // A phone that the barber brings to another shop takes no room.
    const put = await world.chairside.records.putBarber({ id: 'ada', businessId: 'newShop' });
    expect(put.isOk()).toBe(true);
    const moved = terminal(await register(world, { deviceIdentifier }), 201);
    expect(moved.id).not.toBe(id);
    expect((await world.send('deleteTerminal', 'ada', { id: moved.id })).status).toBe(204);
    terminal(await registerNext(), 201);
    expect(terminals(await world.send('listTerminals', 'ada')).count).toBe(1000);
  });

  it('registers a device once for a hundred concurrent requests', async (world) => {
    const deviceIdentifier = fresh('phone');
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => register(world, { deviceIdentifier })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
  });

  it('switches the barber’s phone to the shop where they work now, in one step (D6)', async (world) => {
    const { chairside } = world;
    const deviceIdentifier = fresh('phone');
    const first = terminal(await register(world, { deviceIdentifier }), 201);
    const workAt = async (businessId: string) =>
      (await chairside.records.putBarber({ id: 'ada', businessId }))._unsafeUnwrap();
    await workAt('newShop');
    const second = terminal(await register(world, { deviceIdentifier }), 201);
    expect(second.id).not.toBe(first.id);
    expect(await storedAt(world, deviceIdentifier)).toBe('newShop');
    problem(await world.send('getTerminal', 'ada', { id: first.id }), 'notFound');
    expect(terminals(await world.send('listTerminals', 'ada')).items).toEqual([second]);
    // Nothing would change there, and nobody takes another barber's phone.
    const again = problem(await register(world, { deviceIdentifier }), 'conflict');
    expect(again.attributes).toEqual({ reason: 'deviceAlreadyRegistered' });
    problem(await register(world, { as: 'ben', deviceIdentifier }), 'conflict');
    await workAt('shop');
    terminal(await register(world, { deviceIdentifier }), 201);
    const told: string[] = [];
    const report = await chairside.events.deliver(async ({ type, data }) => {
      if ('terminalId' in data) told.push(`${type} ${data.terminalId === first.id ? 1 : 2}`);
    });
    expect(report.isOk()).toBe(true);
    expect(told.filter((one) => one.endsWith('1'))).toEqual([
      'terminal.registered 1',
      'terminal.removed 1',
    ]);
    expect(told).toHaveLength(5);
  });

  it('tells no barber that a phone is taken where the store fails', async () => {
    let failing = '';
    let error: CommitError = { kind: 'storeUnavailable', outcome: 'notApplied' };
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (commit) =>
          commit.changes.some(({ kind }) => kind === failing)
            ? errAsync(error)
            : real.commit(commit),
      }),
    });
    const deviceIdentifier = fresh('phone');
    terminal(await register(world, { deviceIdentifier }), 201);
    const put = await world.chairside.records.putBarber({ id: 'ada', businessId: 'newShop' });
    expect(put.isOk()).toBe(true);
    failing = 'deleteTerminal';
    problem(await register(world, { deviceIdentifier }), 'serviceUnavailable');
    failing = 'insertTerminal';
    problem(await register(world), 'serviceUnavailable');
    // Another barber has given the phone back meanwhile.
    error = { kind: 'storeConflict', change: 'insertTerminal' };
    problem(await register(world), 'conflict');
  });

  it('switches a phone once for ten concurrent requests', async (world) => {
    const deviceIdentifier = fresh('phone');
    terminal(await register(world, { deviceIdentifier }), 201);
    const put = await world.chairside.records.putBarber({ id: 'ada', businessId: 'newShop' });
    expect(put.isOk()).toBe(true);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => register(world, { deviceIdentifier })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(terminals(await world.send('listTerminals', 'ada')).count).toBe(1);
  });

  it('returns each rule that a device fails (D5)', async (world) => {
    const old = { osVersion: '16.6.9', deviceModel: 'iPhone10,6' };
    expect(
      problem(await register(world, old), 'contactlessPaymentDeviceUnsupported').attributes,
    ).toEqual({
      reasons: [
        { rule: 'osVersion', minimum: '16.7', actual: '16.6.9' },
        { rule: 'deviceModel', minimum: 'iPhone11,2', actual: 'iPhone10,6' },
      ],
    });
    const android = { platform: 'android', osVersion: '12', terminalSdkVersion: '4.9.9' };
    const { deviceModel: _model, ...rest } = { ...phone, ...android };
    const refused = await world.send('registerTerminal', 'ada', {
      body: { ...rest, deviceIdentifier: fresh('phone') },
    });
    expect(problem(refused, 'contactlessPaymentDeviceUnsupported').attributes).toEqual({
      reasons: [
        { rule: 'osVersion', minimum: '13', actual: '12' },
        { rule: 'terminalSdkVersion', minimum: '5.0.0', actual: '4.9.9' },
      ],
    });
    problem(
      await register(world, { deviceModel: 'iPad13,1' }),
      'contactlessPaymentDeviceUnsupported',
    );
    problem(await register(world, { osVersion: 'Tahoe' }), 'unprocessableEntity');
  });

  it('rejects malformed requests (D4)', async (world) => {
    const cases = [
      [{ platform: 'windows' }, '/platform'],
      [{ deviceIdentifier: '' }, '/deviceIdentifier'],
      [{ deviceIdentifier: 'x'.repeat(256) }, '/deviceIdentifier'],
      [{ deviceIdentifier: 5 }, '/deviceIdentifier'],
      [{ deviceModel: 'x'.repeat(101) }, '/deviceModel'],
      [{ osVersion: 'x'.repeat(51) }, '/osVersion'],
      [{ appVersion: 'x'.repeat(51) }, '/appVersion'],
      [{ terminalSdkVersion: 'x'.repeat(51) }, '/terminalSdkVersion'],
      [{ colour: 'black' }, '/colour'],
      [{ appVersion: '\ud800' }, '/appVersion'],
    ] as const;
    for (const [over, pointer] of cases) {
      expect(problem(await register(world, over), 'badRequest').problems).toMatchObject([
        { attributes: { pointer } },
      ]);
    }
    problem(await world.send('registerTerminal', 'ada', { body: {} }), 'badRequest');
    problem(await world.send('registerTerminal', 'ada'), 'badRequest');
  });

  it('accepts values of the maximum length', async (world) => {
    const longVersion = `${'9'.repeat(9)}.${'9'.repeat(9)} ${'x'.repeat(30)}`;
    const longest = {
      platform: 'android',
      deviceIdentifier: '😀'.repeat(255),
      deviceModel: 'x'.repeat(100),
      osVersion: `14.${'9'.repeat(9)}.${'9'.repeat(6)} ${'x'.repeat(30)}`,
      appVersion: '😀'.repeat(50),
      terminalSdkVersion: longVersion,
    };
    expect(terminal(await register(world, longest), 201)).toMatchObject(longest);
  });
});

describeWithEveryProcessor('listTerminals, getTerminal and deleteTerminal', ({ it }) => {
  it('show the barber’s own terminals', async (world) => {
    expect(terminals(await world.send('listTerminals', 'ada'))).toEqual({ items: [], count: 0 });
    const one = terminal(await register(world), 201);
    world.clock.advance(1);
    const two = terminal(await register(world), 201);
    const bens = terminal(await register(world, { as: 'ben' }), 201);
    expect(terminals(await world.send('listTerminals', 'ada'))).toEqual({
      items: [one, two],
      count: 2,
    });
    expect(terminal(await world.send('getTerminal', 'ada', { id: one.id }), 200)).toEqual(one);
    for (const operation of ['getTerminal', 'deleteTerminal'] as const) {
      problem(await world.send(operation, 'ada', { id: bens.id }), 'forbidden');
      problem(await world.send(operation, 'ada', { id: 'trm_none' }), 'notFound');
      problem(await world.send(operation, 'customer', { id: one.id }), 'forbidden');
      problem(await world.send(operation, 'nobody', { id: one.id }), 'unauthorized');
    }
    problem(await world.send('listTerminals', 'customer'), 'forbidden');
    problem(await world.send('listTerminals', 'nobody'), 'unauthorized');
  });

  it('delete a terminal once', async (world) => {
    const { id } = terminal(await register(world), 201);
    const deleted = await world.send('deleteTerminal', 'ada', { id });
    expect(deleted).toMatchObject({ status: 204, text: '' });
    problem(await world.send('deleteTerminal', 'ada', { id }), 'notFound');
    problem(await world.send('getTerminal', 'ada', { id }), 'notFound');
    problem(await world.send('createTerminalConnectionToken', 'ada', { id }), 'notFound');
    expect(terminals(await world.send('listTerminals', 'ada')).count).toBe(0);
  });

  it('delete once for two concurrent requests', async (world) => {
    const { id } = terminal(await register(world), 201);
    const answers = await Promise.all([
      world.send('deleteTerminal', 'ada', { id }),
      world.send('deleteTerminal', 'ada', { id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });
});

describeWithEveryProcessor('createTerminalConnectionToken', ({ it, makeWorld }) => {
  it('makes a new token each time (D24)', async (world) => {
    const { id } = terminal(await register(world), 201);
    const send = () => world.send('createTerminalConnectionToken', 'ada', { id });
    const one = connectionToken(await send());
    const two = connectionToken(await send());
    expect(one.clientSecret).not.toBe(two.clientSecret);
    expect(JSON.stringify(world.observations)).not.toContain(one.clientSecret);
  });

  it('refuses a barber who works at another shop now, until they are back', async (world) => {
    const { id } = terminal(await register(world), 201);
    const { putBarber } = world.chairside.records;
    const send = () => world.send('createTerminalConnectionToken', 'ada', { id });
    (await putBarber({ id: 'ada', businessId: 'newShop' }))._unsafeUnwrap();
    problem(await send(), 'forbidden');
    expect(terminals(await world.send('listTerminals', 'ada')).count).toBe(1);
    (await putBarber({ id: 'ada', businessId: 'shop' }))._unsafeUnwrap();
    connectionToken(await send());
  });

  it('refuses a barber whom the host has removed since', async () => {
    let isGone = false;
    const world = await makeWorld({
      store: (real) => {
        const get: typeof real.barbers.get = (id) =>
          isGone ? okAsync(undefined) : real.barbers.get(id);
        return { ...real, barbers: { ...real.barbers, get } };
      },
    });
    const { id } = terminal(await register(world), 201);
    isGone = true;
    problem(await world.send('createTerminalConnectionToken', 'ada', { id }), 'forbidden');
  });

  it('requires a processor account, and a location that the processor knows (D34)', async (world) => {
    const cleos = terminal(await register(world, { as: 'cleo' }), 201);
    const send = (as: 'ada' | 'cleo', id: string) =>
      world.send('createTerminalConnectionToken', as, { id });
    problem(await send('cleo', cleos.id), 'paymentProviderNotSetup');
    const { id } = terminal(await register(world), 201);
    world.processor.failNext('createConnectionToken', 'notSetUp');
    problem(await send('ada', id), 'paymentProviderNotSetup');
    await world.processor.rejectLocation('tml_shop');
    problem(await send('ada', id), 'unprocessableEntity');
    const put = await world.chairside.records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
    });
    expect(put.isOk()).toBe(true);
    connectionToken(await send('ada', id));
  });

  it('reports the known outcome when the processor fails', async (world) => {
    const { id } = terminal(await register(world), 201);
    for (const [fault, outcome, why] of [
      ['refused', 'notApplied', 'unavailable'],
      ['rateLimited', 'notApplied', 'busy'],
      ['lostReply', 'unknown', 'unavailable'],
    ] as const) {
      world.processor.failNext('createConnectionToken', fault);
      const failed = await world.send('createTerminalConnectionToken', 'ada', { id });
      expect(problem(failed, 'serviceUnavailable')).toMatchObject({
        detail: `The payment processor is ${why}.`,
        recovery: { outcome, retry: 'retrySameRequestAfterDelay' },
      });
    }
  });
});

describeWithEveryProcessor('releaseTerminal', ({ it }) => {
  it('frees a lost device for its next owner (D6, D58)', async (world) => {
    const deviceIdentifier = fresh('phone');
    terminal(await register(world, { deviceIdentifier }), 201);
    const { chairside } = world;
    const release = (caller: Parameters<typeof chairside.releaseTerminal>[0]) =>
      chairside.releaseTerminal(caller, { deviceIdentifier });
    const refused = await release({ subject: 'x', businessIds: ['newShop'] });
    expect(refused._unsafeUnwrapErr().type).toBe('forbidden');
    expect((await release({ subject: 'owner', businessIds: ['shop'] })).isOk()).toBe(true);
    const gone = await release({ subject: 'host', systemAdministrator: true });
    expect(gone._unsafeUnwrapErr().type).toBe('notFound');
    terminal(await register(world, { as: 'ben', deviceIdentifier }), 201);
    expect((await release({ subject: 'host', systemAdministrator: true })).isOk()).toBe(true);
  });

  it.for(['', 'a\u0000b', 'half \ud83d'])(
    'finds no device that is %j',
    async (deviceIdentifier, { chairside }) => {
      const host = { subject: 'host', systemAdministrator: true };
      const released = await chairside.releaseTerminal(host, { deviceIdentifier });
      expect(released._unsafeUnwrapErr().type).toBe('notFound');
    },
  );
});
