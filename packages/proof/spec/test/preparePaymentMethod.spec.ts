import {
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  ok,
  okAsync,
  type PaymentMethodSetup,
  secondMs,
} from '@chairside/core';
import type { MethodSetup, Processor, SetupHandle, Store } from '@chairside/core/ports';
import { platformAccount } from '@chairside/fake-processor';
import type { DrivenProcessor } from '@chairside/testkit';
import { describe, expect } from 'vitest';
import { type Answer, problem, reason, setup } from '../src/answer.ts';
import { charge } from '../src/charges.ts';
import { host, withProcessor } from '../src/elsewhere.ts';
import { type Person, people } from '../src/people.ts';
import { fresh, givenAppointment, givenPayment, reconciled, until } from '../src/shop.ts';
import { describeEverywhere, describeWithEveryProcessor, type World } from '../src/world.ts';

const notApplied = { outcome: 'notApplied', retry: 'doNotRetry' };
const retryLater = { outcome: 'notApplied', retry: 'retrySameRequestAfterDelay' };
const unknown = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

/** Ends the processor's lease, so that its holder counts as dead. */
const pastAnyLeaseMs = minuteMs;

interface PrepareGiven {
  readonly key?: string;
  readonly save?: boolean;
  readonly as?: Person;
}

function prepare(
  { send }: Pick<World, 'send'>,
  { key, save = true, as = 'customer' }: PrepareGiven = {},
): Promise<Answer> {
  const body = { savePaymentMethod: save };
  return send('preparePaymentMethod', as, { body, ...(key !== undefined && { key }) });
}

async function stored({ store }: World, id: string): Promise<MethodSetup | undefined> {
  const read = await store.setups.get(id);
  if (read.isErr()) throw new Error('the setup cannot be read');
  return read.value;
}

/** All setups, because each is due at some time. */
async function allStored({ store }: World): Promise<readonly MethodSetup[]> {
  return (await store.setups.listDue(Number.MAX_SAFE_INTEGER, 100)).unwrapOr([]);
}

describeEverywhere('preparePaymentMethod', ({ it, makeWorld }) => {
  it('opens a session for the customer, for one hour (D23)', async (world) => {
    for (const save of [true, false]) {
      const prepared = setup(await prepare(world, { save }));
      expect(prepared).toEqual({
        paymentMethodSetupId: expect.stringMatching(/^pms_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        clientSecret: expect.any(String),
        expiresAt: '2026-11-02T10:00:00.000Z',
        paymentMethodReuseAuthorized: save,
      });
      expect(world.processor.setups().at(-1)).toMatchObject({
        setupId: prepared.paymentMethodSetupId,
        customerId: 'customer',
        savePaymentMethod: save,
        clientSecret: prepared.clientSecret,
        status: 'open',
      });
      expect(JSON.stringify(world.observations)).not.toContain(prepared.clientSecret);
    }
  });

  it('opens a new one each time without a key', async (world) => {
    const one = setup(await prepare(world));
    const two = setup(await prepare(world));
    expect(one.paymentMethodSetupId).not.toBe(two.paymentMethodSetupId);
    expect(world.processor.setups()).toHaveLength(2);
  });

  it('opens at most 50 in an hour for one customer', async (world) => {
    const key = fresh('key');
    const first = await prepare(world, { key });
    for (let count = 1; count < 50; count += 1) setup(await prepare(world));
    const full = problem(await prepare(world), 'conflict');
    expect(reason(full)).toBe('tooManyOpenSetups');
    expect(full.recovery).toEqual(retryLater);
    expect(world.processor.setups()).toHaveLength(50);
    // A known key, another customer and a later hour are not refused.
    expect((await prepare(world, { key })).text).toBe(first.text);
    setup(await prepare(world, { as: 'otherCustomer' }));
    world.clock.advance(hourMs);
    setup(await prepare(world));
  });

  describe('the same key', () => {
    it('is the same setup, byte for byte, also after its completion and its end', async (world) => {
      const key = fresh('key');
      const first = await prepare(world, { key });
      const { clientSecret } = setup(first);
      expect(first.replayed).toBe(false);
      expect(await prepare(world, { key: ` ${key} ` })).toEqual({ ...first, replayed: true });
      expect(world.processor.completeSetup(clientSecret).isOk()).toBe(true);
      world.clock.advance(hourMs);
      await reconciled(world);
      expect((await prepare(world, { key })).text).toBe(first.text);
      expect(world.processor.setups()).toHaveLength(1);
    });

    it('is one setup for a hundred concurrent requests; the others must retry', async (world) => {
      const key = fresh('key');
      const answers = await Promise.all(Array.from({ length: 100 }, () => prepare(world, { key })));
      const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
      expect(texts.size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(problem(answer, 'conflict').recovery).toEqual(unknown);
        expect(answer.retryAfter).toBe(2);
      }
      expect(texts).toContain((await prepare(world, { key })).text);
      expect(world.processor.setups()).toHaveLength(1);
    });

    it('is rejected for another request, and for another operation', async (world) => {
      const key = fresh('key');
      setup(await prepare(world, { key }));
      const refused = problem(await prepare(world, { key, save: false }), 'unprocessableEntity');
      expect(refused).toMatchObject({
        attributes: { pointer: 'header/Idempotency-Key' },
        recovery: notApplied,
      });
      setup(await prepare(world, { key, as: 'otherCustomer', save: false }));
    });

    it('is rejected for another customer of the same subject', async (world) => {
      const request = { idempotencyKey: fresh('key'), body: { savePaymentMethod: true } };
      const { preparePaymentMethod } = world.chairside;
      const mine = await preparePaymentMethod({ subject: 'user-1', customerId: 'one' }, request);
      expect(mine.isOk()).toBe(true);
      const other = await preparePaymentMethod({ subject: 'user-1', customerId: 'two' }, request);
      expect(other._unsafeUnwrapErr().type).toBe('unprocessableEntity');
    });

    it('is kept for 72 hours after the session’s end, and then deleted (D41)', async (world) => {
      const key = fresh('key');
      const first = await prepare(world, { key });
      world.clock.advance(hourMs);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
      world.clock.advance(72 * hourMs - 1);
      expect(await reconciled(world)).toMatchObject({ looked: 0 });
      expect((await prepare(world, { key })).text).toBe(first.text);
      world.clock.advance(1);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0, more: false });
      expect(await stored(world, setup(first).paymentMethodSetupId)).toBeUndefined();
      const again = await prepare(world, { key });
      expect(again.replayed).toBe(false);
      expect(setup(again).paymentMethodSetupId).not.toBe(setup(first).paymentMethodSetupId);
    });
  });

  describe('rejects', () => {
    it('a malformed request, with its place', async (world) => {
      const bodies = [
        [{}, '/savePaymentMethod'],
        [{ savePaymentMethod: 'yes' }, '/savePaymentMethod'],
        [{ savePaymentMethod: true, card: '4242' }, '/card'],
      ] as const;
      for (const [body, pointer] of bodies) {
        const refused = await world.send('preparePaymentMethod', 'customer', { body });
        expect(problem(refused, 'badRequest').problems).toMatchObject([
          { attributes: { pointer } },
        ]);
      }
      problem(await world.send('preparePaymentMethod', 'customer'), 'badRequest');
      for (const key of ['', 'k'.repeat(256)]) {
        expect(problem(await prepare(world, { key }), 'badRequest').problems).toMatchObject([
          { attributes: { pointer: 'header/Idempotency-Key' } },
        ]);
      }
      expect(world.processor.setups()).toEqual([]);
    });

    it('a customer whom the processor no longer knows, and keeps no record of it (D23)', async (world) => {
      world.processor.forgetCustomer('customer');
      const refused = problem(await prepare(world, { key: fresh('key') }), 'notFound');
      expect(refused.recovery).toEqual(notApplied);
      expect(reason(refused)).toBe('unknownCustomer');
      expect(await allStored(world)).toEqual([]);
    });

    it('a setup that the processor rejects, and keeps no record of it', async (world) => {
      const key = fresh('key');
      world.processor.failNext('openSetup', 'rejected');
      expect(problem(await prepare(world, { key }), 'unprocessableEntity').recovery).toEqual(
        notApplied,
      );
      world.processor.disableAccount(platformAccount);
      const refused = problem(await prepare(world, { key }), 'unprocessableEntity');
      expect(reason(refused)).toBe('notSetUp');
      expect(await allStored(world)).toEqual([]);
      world.processor.enableAccount(platformAccount);
      setup(await prepare(world, { key, save: false }));
    });
  });

  describe('interrupted', () => {
    for (const lost of ['timeoutAfterApplying', 'lostReply', 'failureAfterApplying'] as const) {
      it(`returns the processor’s entry: ${lost}`, async (world) => {
        world.processor.failNext('openSetup', lost);
        setup(await prepare(world));
        expect(world.processor.setups()).toHaveLength(1);
      });
    }

    for (const lost of ['timeoutBeforeApplying', 'landsLater', 'failure'] as const) {
      it(`is unknown if the processor shows no entry, and the retry opens it once: ${lost}`, async (world) => {
        const key = fresh('key');
        world.processor.failNext('openSetup', lost);
        const first = await prepare(world, { key });
        expect(problem(first, 'serviceUnavailable').recovery).toEqual(unknown);
        world.processor.landAbandoned();
        setup(await prepare(world, { key }));
        expect(world.processor.setups()).toHaveLength(1);
      });
    }

    it('says "not applied" if it is proven, and then keeps no record', async (world) => {
      const key = fresh('key');
      for (const fault of ['refused', 'rateLimited'] as const) {
        world.processor.failNext('openSetup', fault);
        const refused = await prepare(world, { key });
        expect(problem(refused, 'serviceUnavailable').recovery).toEqual(retryLater);
      }
      expect(await allStored(world)).toEqual([]);
      setup(await prepare(world, { key, save: false }));
    });

    it('never says it while the key has a claim, unfinished or done', async (world) => {
      const key = fresh('key');
      world.processor.failNext('openSetup', 'lostReply');
      world.processor.failNext('readSetup', 'refused');
      problem(await prepare(world, { key }), 'serviceUnavailable');
      world.processor.failNext('openSetup', 'refused');
      const again = await prepare(world, { key });
      expect(problem(again, 'serviceUnavailable').recovery).toEqual(unknown);
      const malformed = await world.send('preparePaymentMethod', 'customer', { key, body: {} });
      expect(problem(malformed, 'badRequest').recovery?.outcome).toBe('unknown');
      setup(await prepare(world, { key }));
      const answered = await world.send('preparePaymentMethod', 'customer', { key, body: {} });
      expect(problem(answered, 'badRequest').recovery?.outcome).toBe('unknown');
      expect(world.processor.setups()).toHaveLength(1);
    });

    it('counts as unfinished while the store cannot tell, and as absent once it is gone', async () => {
      let setups: 'there' | 'unreadable' | 'gone' = 'there';
      const world = await makeWorld({
        store: (real) => ({
          ...real,
          setups: {
            ...real.setups,
            get: (id) => {
              if (setups === 'gone') return okAsync(undefined);
              return setups === 'there'
                ? real.setups.get(id)
                : errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
            },
          },
        }),
      });
      const key = fresh('key');
      setup(await prepare(world, { key }));
      for (const [state, outcome] of [
        ['unreadable', 'unknown'],
        ['gone', 'notApplied'],
      ] as const) {
        setups = state;
        const malformed = await world.send('preparePaymentMethod', 'customer', { key, body: {} });
        expect(problem(malformed, 'badRequest').recovery?.outcome).toBe(outcome);
      }
    });

    it('and rejected on the retry, is adopted if it had been opened', async (world) => {
      const key = fresh('key');
      world.processor.failNext('openSetup', 'lostReply');
      world.processor.failNext('readSetup', 'refused');
      problem(await prepare(world, { key }), 'serviceUnavailable');
      world.processor.failNext('openSetup', 'notSetUp');
      setup(await prepare(world, { key }));
    });

    it('and rejected on the retry, is withdrawn if it had not', async (world) => {
      const key = fresh('key');
      world.processor.failNext('openSetup', 'timeoutBeforeApplying');
      problem(await prepare(world, { key }), 'serviceUnavailable');
      world.processor.failNext('openSetup', 'rejected');
      problem(await prepare(world, { key }), 'unprocessableEntity');
      expect(await allStored(world)).toEqual([]);
    });

    it('of a dead process is finished by a retry, but not before the lease is over', async (world) => {
      const key = fresh('key');
      const dead = await diesWhileOpening(world, key);
      expect(reason(problem(await prepare(world, { key }), 'conflict'))).toBe('running');
      expect(await reconciled(world)).toMatchObject({ looked: 0 });
      world.clock.advance(pastAnyLeaseMs);
      const retried = await prepare(world, { key });
      setup(retried);
      world.processor.release();
      // The first one continues, finds itself fenced out, and returns the same response.
      expect((await dead.answer).text).toBe(retried.text);
      expect(world.processor.setups()).toHaveLength(1);
    });

    it('of a dead process is finished by reconcile', async (world) => {
      const key = fresh('key');
      const dead = await diesWhileOpening(world, key);
      world.clock.advance(pastAnyLeaseMs);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
      world.processor.release();
      const answer = await prepare(world, { key });
      setup(answer);
      expect((await dead.answer).text).toBe(answer.text);
      expect(world.processor.setups()).toHaveLength(1);
    });

    it('is checked ever more rarely while the processor is silent, and finally deleted (D41)', async (world) => {
      world.processor.failNext('openSetup', 'timeoutBeforeApplying', 1000);
      world.processor.failNext('readSetup', 'refused', 1000);
      problem(await prepare(world), 'serviceUnavailable');
      let looks = 0;
      for (let i = 0; i < 73; i += 1) {
        world.clock.advance(hourMs);
        const { looked, unsettled } = await reconciled(world);
        expect(unsettled).toBeLessThanOrEqual(looked);
        looks += looked;
      }
      expect(looks).toBeLessThan(10);
      world.clock.advance(73 * hourMs);
      await reconciled(world);
      expect(await allStored(world)).toEqual([]);
    });

    it('and withdrawn between two reads, leaves the key free for a new one', async () => {
      const world = await makeWorld({
        store: (real) => ({
          ...real,
          setups: {
            ...real.setups,
            get: (id) => {
              const changes = [
                { kind: 'deleteSetup', id, expectedVersion: 2 },
                { kind: 'deleteKeys', resourceId: id },
              ] as const;
              const withdrawn = real.commit({ id: `withdrawal of ${id}`, at: 0, changes });
              return withdrawn.orElse(() => ok()).andThen(() => real.setups.get(id));
            },
          },
        }),
      });
      const key = fresh('key');
      const first = setup(await prepare(world, { key }));
      const second = await prepare(world, { key });
      expect(second.replayed).toBe(false);
      expect(setup(second).paymentMethodSetupId).not.toBe(first.paymentMethodSetupId);
    });
  });

  describe('resumed after its hour', () => {
    it('returns the first response if it was opened', async (world) => {
      const key = fresh('key');
      world.processor.failNext('openSetup', 'lostReply');
      world.processor.failNext('readSetup', 'refused');
      problem(await prepare(world, { key }), 'serviceUnavailable');
      world.clock.advance(hourMs);
      const prepared = setup(await prepare(world, { key }));
      expect(prepared.expiresAt).toBe('2026-11-02T10:00:00.000Z');
    });

    it('is never newly opened', async (world) => {
      const key = fresh('key');
      world.processor.failNext('openSetup', 'timeoutBeforeApplying');
      problem(await prepare(world, { key }), 'serviceUnavailable');
      world.clock.advance(hourMs);
      for (const _attempt of [1, 2]) {
        expect(problem(await prepare(world, { key }), 'conflict')).toMatchObject({
          attributes: { reason: 'expired' },
          recovery: notApplied,
        });
      }
      expect(world.processor.setups()).toEqual([]);
      expect(await reconciled(world)).toMatchObject({ looked: 0 });
      world.clock.advance(72 * hourMs);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
      expect(await allStored(world)).toEqual([]);
    });

    it('stays unknown while the processor cannot be read', async (world) => {
      const key = fresh('key');
      world.processor.failNext('openSetup', 'timeoutBeforeApplying');
      problem(await prepare(world, { key }), 'serviceUnavailable');
      world.clock.advance(hourMs);
      world.processor.failNext('readSetup', 'refused');
      const again = problem(await prepare(world, { key }), 'serviceUnavailable');
      expect(again.recovery).toEqual(unknown);
    });
  });
});

describeEverywhere('readPaymentMethodSetup', ({ it }) => {
  const customer = { subject: 'user-customer', customerId: 'customer' };
  const administrator = { subject: 'host', systemAdministrator: true };

  async function givenSetup(world: World, save = true) {
    const prepared = setup(await prepare(world, { save }));
    const { paymentMethodSetupId } = prepared;
    const read = (caller: Parameters<typeof world.chairside.readPaymentMethodSetup>[0]) =>
      world.chairside.readPaymentMethodSetup(caller, { paymentMethodSetupId });
    return { ...prepared, read };
  }

  it('returns its customer, whether it was completed and whether it may be reused (D23)', async (world) => {
    for (const save of [true, false]) {
      const { paymentMethodSetupId, clientSecret, read } = await givenSetup(world, save);
      const known = { paymentMethodSetupId, customerId: 'customer', reuseAuthorized: save };
      expect((await read(customer))._unsafeUnwrap()).toEqual({ ...known, status: 'open' });
      const { paymentMethod } = world.processor.completeSetup(clientSecret)._unsafeUnwrap();
      for (const caller of [customer, administrator]) {
        expect((await read(caller))._unsafeUnwrap()).toEqual({
          ...known,
          status: 'completed',
          paymentMethodReference: paymentMethod,
        });
      }
    }
  });

  it('ends after an hour, unless it was completed', async (world) => {
    const open = await givenSetup(world);
    const done = await givenSetup(world);
    expect(world.processor.completeSetup(done.clientSecret).isOk()).toBe(true);
    world.clock.advance(hourMs - 1);
    expect((await open.read(customer))._unsafeUnwrap().status).toBe('open');
    world.clock.advance(1);
    expect((await open.read(customer))._unsafeUnwrap().status).toBe('expired');
    expect((await done.read(customer))._unsafeUnwrap().status).toBe('completed');
  });

  it('is canceled if the processor says so, or does not know it', async (world) => {
    const { clientSecret, read } = await givenSetup(world);
    expect(world.processor.completeSetup(clientSecret, 'canceled').isOk()).toBe(true);
    expect((await read(customer))._unsafeUnwrap().status).toBe('canceled');
    const lost = await givenSetup(world);
    world.processor.readSetup = () => okAsync(undefined);
    expect((await lost.read(customer))._unsafeUnwrap().status).toBe('canceled');
  });

  it('returns 404 for an unopened or unknown setup', async (world) => {
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    problem(await prepare(world), 'serviceUnavailable');
    const [{ id = '' } = {}] = await allStored(world);
    for (const paymentMethodSetupId of [id, 'pms_none', '']) {
      const read = await world.chairside.readPaymentMethodSetup(administrator, {
        paymentMethodSetupId,
      });
      expect(read._unsafeUnwrapErr().type).toBe('notFound');
    }
  });

  it('reports that the processor cannot be read', async (world) => {
    const { read } = await givenSetup(world);
    world.processor.failNext('readSetup', 'lostReply');
    expect((await read(customer))._unsafeUnwrapErr()).toMatchObject({
      type: 'serviceUnavailable',
      recovery: retryLater,
    });
  });
});

/** Begins a setup whose call to the processor hangs, as if its process had died. */
async function diesWhileOpening(world: World, key: string) {
  world.processor.failNext('openSetup', 'slowReply');
  const dead = prepare(world, { key });
  await until(() => world.processor.count('openSetup').made === 1);
  return { answer: dead };
}

// Reduced findings of the simulation.

const body = { savePaymentMethod: true };
const sendPrepare = ({ send }: World, key?: string): Promise<Answer> =>
  send('preparePaymentMethod', 'customer', { body, ...(key !== undefined && { key }) });

/** Fails the first `times` writes of setups. */
function refusingChanges(times: number): (real: Store) => Store {
  let left = times;
  return (real) => ({
    ...real,
    commit(commit) {
      const isChange = commit.changes.some(({ kind }) => kind === 'updateSetup');
      if (!isChange || left === 0) return real.commit(commit);
      left -= 1;
      return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
    },
  });
}

/** All setups, because each is due at some time. */
async function allSetups({ store }: World) {
  return (await store.setups.listDue(Number.MAX_SAFE_INTEGER, 100)).unwrapOr([]);
}

describeEverywhere('preparePaymentMethod without a key', ({ it, makeWorld }) => {
  it('is unknown, not "not applied", if the opened session cannot be written', async () => {
    const world = await makeWorld({ store: refusingChanges(1) });
    const answer = problem(await sendPrepare(world), 'serviceUnavailable');
    expect(world.processor.setups()).toHaveLength(1);
    expect(answer.recovery).toEqual({
      outcome: 'unknown',
      retry: 'retrySameRequestAfterDelay',
    });
  });

  it('is unknown if it could not be opened, and reconcile will open it', async () => {
    const world = await makeWorld({ store: refusingChanges(1) });
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    const answer = problem(await sendPrepare(world), 'serviceUnavailable');
    expect(answer.recovery?.outcome).toBe('unknown');
    world.clock.advance(minuteMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(world.processor.setups()).toHaveLength(1);
  });

  it('opens one session, even if reconcile takes over from a paused call', async (world) => {
    world.processor.failNext('openSetup', 'slowReply');
    const answer = sendPrepare(world);
    await until(() => world.processor.setups().length === 1);
    world.clock.advance(minuteMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ looked: 1 });
    world.processor.release();
    expect((await answer).replayed).toBe(false);
    const { clientSecret } = setup(await answer);
    expect(world.processor.setups().map((entry) => entry.clientSecret)).toEqual([clientSecret]);
    expect(await allSetups(world)).toHaveLength(1);
  });

  it('begins again if its unfinished setup was withdrawn meanwhile', async (world) => {
    world.processor.failNext('openSetup', 'slow');
    const answer = sendPrepare(world);
    await until(() => world.processor.count('openSetup').made === 1);
    // Longer than the lease, and within the time of the request (D77, D146).
    world.clock.advance(16 * secondMs);
    world.processor.failNext('openSetup', 'notSetUp');
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
    expect(await allSetups(world)).toEqual([]);
    world.processor.release();
    const { paymentMethodSetupId } = setup(await answer);
    expect((await allSetups(world)).map(({ id }) => id)).toEqual([paymentMethodSetupId]);
  });
});

describeEverywhere('a setup that was never settled', ({ it }) => {
  it('is deleted 72 hours after its end, even if it was rarely checked', async (world) => {
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    problem(await sendPrepare(world, fresh('key')), 'serviceUnavailable');
    // For two days reconcile does not run; then the processor is silent as well.
    world.clock.advance(48 * hourMs);
    world.processor.failNext('readSetup', 'refused');
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
    world.clock.advance(25 * hourMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ looked: 1 });
    expect(await allSetups(world)).toEqual([]);
  });
});

describeEverywhere('a setup with a late response', ({ it }) => {
  it('keeps its key for 72 hours after it (D21)', async (world) => {
    const key = fresh('key');
    world.processor.failNext('openSetup', 'timeoutAfterApplying');
    world.processor.failNext('readSetup', 'refused');
    problem(await sendPrepare(world, key), 'serviceUnavailable');
    world.clock.advance(71 * hourMs);
    const opened = setup(await sendPrepare(world, key));
    world.clock.advance(71 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(setup(await sendPrepare(world, key))).toEqual(opened);
    world.clock.advance(72 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(await allSetups(world)).toEqual([]);
  });
});

type SetUp = Pick<World, 'chairside'>;

async function givenPrepared({ send }: Pick<World, 'send'>): Promise<PaymentMethodSetup> {
  return setup(
    await send('preparePaymentMethod', 'customer', { body: { savePaymentMethod: true } }),
  );
}

async function read({ chairside }: SetUp, { paymentMethodSetupId }: PaymentMethodSetup) {
  const found = await chairside.readPaymentMethodSetup(people.customer, { paymentMethodSetupId });
  return found._unsafeUnwrap();
}

async function complete(
  world: World<DrivenProcessor>,
  { clientSecret }: PaymentMethodSetup,
): Promise<boolean> {
  return (await world.processor.completeSetup(clientSecret, 'visa_credit')).isOk();
}

/** A setup that ended a minute ago. */
async function expired(world: Pick<World, 'send' | 'clock'>): Promise<PaymentMethodSetup> {
  const prepared = await givenPrepared(world);
  world.clock.advance(hourMs + minuteMs);
  return prepared;
}

describeWithEveryProcessor('a setup whose time is over', ({ it, makeWorld }) => {
  it('is accepted if it was completed in time, at any later read', async (world) => {
    const prepared = await givenPrepared(world);
    world.clock.advance(hourMs - minuteMs);
    expect(await complete(world, prepared)).toBe(true);
    world.clock.advance(50 * hourMs);
    expect((await read(world, prepared)).status).toBe('completed');
    await reconciled(world);
    expect((await read(world, prepared)).status).toBe('completed');
  });

  it('is not accepted if it was completed 50 hours after it began (D41)', async (world) => {
    const prepared = await givenPrepared(world);
    world.clock.advance(50 * hourMs);
    expect(await complete(world, prepared)).toBe(true);
    const status = await read(world, prepared);
    expect(status.status).toBe('expired');
    expect(status).not.toHaveProperty('paymentMethodReference');
  });

  it('is canceled at the processor by reconcile, so that it cannot be completed', async (world) => {
    const prepared = await givenPrepared(world);
    expect((await read(world, prepared)).status).toBe('open');
    world.clock.advance(hourMs + minuteMs);
    expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
    expect(await world.processor.setups()).toMatchObject([{ status: 'canceled' }]);
    expect(await complete(world, prepared)).toBe(false);
    expect((await read(world, prepared)).status).toBe('expired');
    // It was decided once, so it has no more work until its keys are deleted.
    world.clock.advance(24 * hourMs);
    expect(await reconciled(world)).toMatchObject({ looked: 0 });
    world.clock.advance(72 * hourMs);
    expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
  });

  it.for(['timeoutBeforeApplying', 'timeoutAfterApplying', 'failure'] as const)(
    'is canceled in a later run if the first cancelation met %s',
    async (fault) => {
      const world = await makeWorld();
      const prepared = await expired(world);
      world.processor.failNext('cancelSetup', fault);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 1 });
      world.clock.advance(5 * minuteMs);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
      expect(await world.processor.setups()).toMatchObject([{ status: 'canceled' }]);
      expect((await read(world, prepared)).status).not.toBe('completed');
    },
  );
});

describeEverywhere('a setup at a processor without times', ({ it }) => {
  /** The same world with a processor that states no time. */
  function untimed(world: World): SetUp {
    const processor: Processor = {
      ...world.processor,
      readSetup: (handle) =>
        world.processor.readSetup(handle).map((seen) => {
          if (seen === undefined) return undefined;
          const { completedAt: _completedAt, at: _at, ...rest } = seen;
          return rest;
        }),
    };
    const { store, clock } = world;
    return { chairside: createChairside({ store, processor, clock, rateLimits: 'off' }) };
  }

  it('is accepted for ever once it was seen completed in time', async (world) => {
    const node = untimed(world);
    const prepared = await givenPrepared(world);
    await complete(world, prepared);
    expect((await read(node, prepared)).status).toBe('completed');
    world.clock.advance(2 * hourMs);
    expect((await read(node, prepared)).status).toBe('completed');
    expect(await reconciled(node)).toMatchObject({ unsettled: 0 });
    expect((await read(node, prepared)).status).toBe('completed');
  });

  it('is never accepted if it was first seen completed too late', async (world) => {
    const node = untimed(world);
    const prepared = await expired(world);
    await complete(world, prepared);
    expect((await read(node, prepared)).status).toBe('expired');
    world.clock.advance(-hourMs);
    expect((await read(node, prepared)).status).toBe('expired');
  });

  it('is kept no longer because it is read often', async (world) => {
    const node = untimed(world);
    const prepared = await expired(world);
    complete(world, prepared);
    for (let hours = 0; hours < 72; hours += 24) {
      expect((await read(node, prepared)).status).toBe('expired');
      world.clock.advance(24 * hourMs);
    }
    expect(await reconciled(node)).toMatchObject({ looked: 1, unsettled: 0 });
    const { paymentMethodSetupId } = prepared;
    const found = await world.store.setups.get(paymentMethodSetupId);
    expect(found._unsafeUnwrap()).toBeUndefined();
  });

  it('is decided if it was completed right before its cancelation', async (world) => {
    const prepared = await givenPrepared(world);
    world.clock.advance(hourMs - secondMs);
    const processor: Processor = {
      ...world.processor,
      cancelSetup(request) {
        world.clock.advance(-minuteMs);
        world.processor.completeSetup(prepared.clientSecret)._unsafeUnwrap();
        world.clock.advance(minuteMs);
        return world.processor.cancelSetup(request);
      },
    };
    const { store, clock } = world;
    const node = { chairside: createChairside({ store, processor, clock, rateLimits: 'off' }) };
    clock.advance(minuteMs);
    expect(await reconciled(node)).toMatchObject({ looked: 1, unsettled: 1 });
    clock.advance(5 * minuteMs);
    expect(await reconciled(node)).toMatchObject({ looked: 1, unsettled: 0 });
    expect((await read(node, prepared)).status).toBe('completed');
  });
});

/** When a setup is checked, and for how long it is kept. */
describeEverywhere('a setup in upkeep', ({ once }) => {
  const keyRetentionMs = 72 * hourMs;

  async function prepare({ send }: World, key = fresh('key'), savePaymentMethod = true) {
    const body = { savePaymentMethod };
    return setup(await send('preparePaymentMethod', 'customer', { body, key }));
  }

  async function storedSetup({ store }: World, { paymentMethodSetupId }: PaymentMethodSetup) {
    return (await store.setups.get(paymentMethodSetupId))._unsafeUnwrap();
  }

  once('is kept with its key for 72 hours after a late outcome (D21)', async (world) => {
    const key = fresh('key');
    const prepared = await prepare(world, key);
    world.processor.completeSetup(prepared.clientSecret, 'visa_credit')._unsafeUnwrap();
    const chairside = withProcessor(world, { charges: undefined });
    world.clock.advance(60 * hourMs);
    expect(await reconciled({ chairside })).toMatchObject({ looked: 1, unsettled: 0 });
    world.clock.advance(keyRetentionMs - minuteMs);
    expect(await reconciled({ chairside })).toMatchObject({ looked: 0 });
    expect(await prepare(world, key)).toEqual(prepared);
    // A processor that charges no saved methods has no use for it.
    world.clock.advance(minuteMs);
    await reconciled({ chairside });
    expect(await storedSetup(world, prepared)).toBeUndefined();
  });

  once(
    'keeps its key if upkeep stood still while it was prepared and charged (D21)',
    async (world) => {
      const { store, processor, clock } = world;
      const begun = clock.now();
      let isAwake = false;
      const sleepy = createChairside({
        processor,
        clock: { now: () => (isAwake ? clock.now() : begun) },
        store: {
          ...store,
          setups: {
            ...store.setups,
            listDue: (now, limit) => {
              isAwake = true;
              return store.setups.listDue(now, limit);
            },
          },
        },
      });
      clock.advance(minuteMs);
      const key = fresh('key');
      const prepared = await prepare(world, key);
      world.processor.completeSetup(prepared.clientSecret, 'visa_credit')._unsafeUnwrap();
      const appointmentId = await givenAppointment(world, { terms: { customerId: 'customer' } });
      const { paymentMethodSetupId } = prepared;
      expect((await charge(world, appointmentId, paymentMethodSetupId)).status).toBe(201);
      expect(await reconciled({ chairside: sleepy })).toMatchObject({ looked: 1, unsettled: 0 });
      expect(await prepare(world, key)).toEqual(prepared);
    },
  );

  once('is deleted after its retention although its session can never be read', async (world) => {
    const prepared = await prepare(world);
    world.clock.advance(hourMs + keyRetentionMs);
    world.processor.failNext('readSetup', 'refused');
    expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
    expect(await storedSetup(world, prepared)).toBeUndefined();
  });

  once(
    'is kept without its secret while a charge of its method is under way (D49)',
    async (world) => {
      const prepared = await prepare(world, fresh('key'), false);
      world.processor.completeSetup(prepared.clientSecret, 'visa_credit')._unsafeUnwrap();
      world.clock.advance(hourMs);
      await reconciled(world);
      world.clock.advance(keyRetentionMs);
      const { id: chargeId } = await givenPayment(world);
      const before = await storedSetup(world, prepared);
      if (before === undefined) throw new Error('the setup is not stored');
      const used = { ...before, chargeId, version: before.version + 1 };
      const change = { kind: 'updateSetup', setup: used, expectedVersion: before.version } as const;
      const commit = { id: fresh('cmt'), at: world.clock.now(), changes: [change] };
      expect((await world.store.commit(commit)).isOk()).toBe(true);
      await reconciled(world);
      expect(await storedSetup(world, prepared)).toMatchObject({
        clientSecret: '',
        version: used.version + 1,
        nextCheckAt: world.clock.now() + keyRetentionMs,
      });
      const canceled = await world.chairside.cancelContactlessPayment(host, {
        contactlessPaymentId: chargeId,
      });
      expect(canceled.isOk()).toBe(true);
      world.clock.advance(keyRetentionMs);
      await reconciled(world);
      // The charge took no money, so the method may be charged again, and there is no further check.
      const kept = await storedSetup(world, prepared);
      expect(kept).toMatchObject({ version: used.version + 2 });
      expect(kept).not.toHaveProperty('nextCheckAt');
    },
  );

  once(
    'is canceled when its time is over at the processor, not at a node ahead of it',
    async (world) => {
      const aheadMs = 30 * minuteMs;
      const chairside = withProcessor(world, {
        readSetup: (handle) =>
          world.processor
            .readSetup(handle)
            .map((seen) => seen && { ...seen, at: world.clock.now() - aheadMs }),
      });
      await prepare(world);
      world.clock.advance(hourMs);
      expect(await reconciled({ chairside })).toMatchObject({ looked: 1, unsettled: 0 });
      world.clock.advance(aheadMs - minuteMs);
      expect(await reconciled({ chairside })).toMatchObject({ looked: 0 });
      expect(world.processor.setups()).toMatchObject([{ status: 'open' }]);
      world.clock.advance(minuteMs);
      expect(await reconciled({ chairside })).toMatchObject({ looked: 1, unsettled: 0 });
      expect(world.processor.setups()).toMatchObject([{ status: 'canceled' }]);
    },
  );

  once(
    'is not canceled if the customer has completed it, or the processor has lost it',
    async (world) => {
      const late = await prepare(world);
      world.clock.advance(hourMs + minuteMs);
      world.processor.completeSetup(late.clientSecret, 'visa_credit')._unsafeUnwrap();
      const lost = await prepare(world);
      world.clock.advance(hourMs);
      const chairside = withProcessor(world, {
        readSetup: (handle) =>
          world.processor
            .readSetup(handle)
            .map((seen) => (handle.setupId === lost.paymentMethodSetupId ? undefined : seen)),
      });
      expect(await reconciled({ chairside })).toMatchObject({ looked: 2, unsettled: 0 });
      expect(world.processor.count('cancelSetup').made).toBe(0);
      expect(await storedSetup(world, late)).toMatchObject({ outcome: 'expired' });
      expect(await storedSetup(world, lost)).toMatchObject({ outcome: 'canceled' });
    },
  );

  once('is read by its reference once the processor has stated one', async (world) => {
    const handles: SetupHandle[] = [];
    const chairside = withProcessor(world, {
      readSetup(handle) {
        handles.push(handle);
        return world.processor.readSetup(handle);
      },
    });
    const key = fresh('key');
    const input = { body: { savePaymentMethod: true }, idempotencyKey: key };
    const customer = { subject: 'user-customer', customerId: 'customer' };
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    expect((await chairside.preparePaymentMethod(customer, input)).isErr()).toBe(true);
    expect((await chairside.preparePaymentMethod(customer, input)).isOk()).toBe(true);
    world.clock.advance(hourMs);
    await reconciled({ chairside });
    const [unopened] = handles;
    expect(unopened).not.toHaveProperty('reference');
    const stored = (await world.store.setups.get(unopened?.setupId ?? ''))._unsafeUnwrap();
    expect(handles.at(-1)).toStrictEqual({
      ...unopened,
      now: expect.any(Number),
      reference: stored?.reference,
    });
  });
});
