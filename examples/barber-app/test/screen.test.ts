import { createClient, createRegister, type Reader, words } from '@chairside/client';
import { localStorageJournal } from '@chairside/client/journals';
import { createChairside, systemClock } from '@chairside/core';
import { type CardName, createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createMapStore } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { type Action, actionsOf, choosesTip, secondsLeft } from '../app/screen.ts';

const appointmentId = 'appointment-1';

/** The service in this process, with one appointment. */
async function openShop() {
  const processor = createFakeProcessor({ clock: systemClock });
  const chairside = createChairside({ store: createMapStore(), processor });
  const { records } = chairside;
  const processorAccount = { id: 'acct_shop', currency: 'eur' };
  const put = [
    await records.putBusiness({ id: 'shop', name: 'Marlow', processorAccount }),
    await records.putBarber({ id: 'ada', businessId: 'shop' }),
    await records.putAppointment({
      id: appointmentId,
      businessId: 'shop',
      amountDueMinor: 4500n,
      occursOn: '2026-11-02T10:00:00.000Z',
      barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow' },
    }),
  ];
  expect(put.every((result) => result.isOk())).toBe(true);
  const authenticate = () => ({ subject: 'user-ada', barberId: 'ada' });
  return { processor, app: chairsideHandler(chairside, { authenticate }) };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

function openRegister({ processor, app }: Shop, cards: readonly CardName[]) {
  const left = [...cards];
  const reader: Reader = {
    ready: async () => undefined,
    retrieve: async (clientSecret) => ({
      reference: clientSecret.split('_secret_', 1).join(),
      collect: async () => {
        const tapped = processor.presentCard(clientSecret, left.shift() ?? 'visa_credit');
        if (tapped.isErr()) return 'unknown';
        const { status } = tapped.value;
        return status === 'authorized' ? 'approved' : status;
      },
    }),
  };
  const client = createClient({
    baseUrl: 'http://shop.test',
    accessToken: () => 'ada',
    // Waits are shorter here, because the service is in this process.
    time: {
      now: Date.now,
      after(ms, run) {
        const timer = setTimeout(run, ms / 20);
        return () => clearTimeout(timer);
      },
    },
    fetch: async (url, { method, headers, body }) =>
      app.fetch(new Request(url, { method, headers, body: body ?? null })),
  });
  const journal = localStorageJournal(memoryStorage());
  return createRegister({ client, reader, journal, subject: 'user-ada' });
}

function memoryStorage() {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

/** A barber who always presses the first button, until only `back` is left. */
async function press(cards: readonly CardName[]) {
  const shop = await openShop();
  const register = openRegister(shop, cards);
  const pressed: Action[] = ['take'];
  let taking = await register.take({ appointmentId });
  for (let presses = 0; presses < 5; presses += 1) {
    const [first] = actionsOf(taking);
    if (first === undefined || first === 'back') break;
    pressed.push(first);
    taking = await (first === 'resume'
      ? register.resume(appointmentId)
      : register.take({ appointmentId }));
  }
  const charged = shop.processor.entries().filter(({ status }) => status === 'captured').length;
  return { pressed, taking, charged };
}

it.each([
  [['visa_credit'], ['take']],
  [
    ['declined', 'visa_credit'],
    ['take', 'take'],
  ],
  [
    ['partially_authorized', 'visa_credit'],
    ['take', 'take'],
  ],
  [
    ['canceled', 'visa_credit'],
    ['take', 'take'],
  ],
] as const)('leads a barber with the cards %j to one charge', async (cards, expected) => {
  const { pressed, taking, charged } = await press(cards);
  expect(pressed).toEqual(expected);
  expect(taking.step).toBe('captured');
  expect(actionsOf(taking)).toEqual(['back']);
  expect(charged).toBe(1);
});

it('offers no second charge while the outcome is unknown', () => {
  const stuck = { step: 'stuck', words: words('stuck'), charged: 'unknown' } as const;
  for (const reason of ['noAnswer', 'signIn', 'otherPayment', 'askShop', 'tooOld'] as const) {
    expect(actionsOf({ ...stuck, reason })).not.toContain('take');
  }
  for (const reason of ['askShop', 'tooOld', 'unreadable'] as const) {
    expect(actionsOf({ ...stuck, reason })).toContain('forget');
  }
  for (const step of ['capturing', 'checking'] as const) {
    expect(actionsOf({ step, words: '', charged: 'unknown' })).not.toContain('take');
  }
});

it('asks for a tip only where no note of a payment is left (D48)', () => {
  const base = { words: '', charged: 'no' } as const;
  expect(choosesTip({ ...base, step: 'canceled', reason: 'expired' })).toBe(true);
  expect(choosesTip({ ...base, step: 'declined', reason: 'partlyApproved' })).toBe(true);
  expect(choosesTip({ ...base, step: 'declined' })).toBe(false);
  expect(choosesTip({ ...base, step: 'idle', reason: 'waiting' })).toBe(false);
});

it('counts down to the next attempt', () => {
  const checking = { step: 'checking', words: '', charged: 'unknown' } as const;
  expect(secondsLeft(checking, 0)).toBeUndefined();
  expect(secondsLeft({ ...checking, nextAttemptAt: 2500 }, 0)).toBe(3);
  expect(secondsLeft({ ...checking, nextAttemptAt: 2500 }, 9000)).toBe(0);
});
