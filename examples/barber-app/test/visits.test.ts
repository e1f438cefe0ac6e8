import { createClient, createRegister, type Reader, type Register } from '@chairside/client';
import { localStorageJournal } from '@chairside/client/journals';
import { refundOperations } from '@chairside/client/refunds';
import { type Act, screenOf } from '@chairside/client/screen';
import { createChairside, systemClock } from '@chairside/core';
import { type CardName, createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { aBarber, aBusiness, anAppointment, createMapStore } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { readEveryMs } from '../app/today.ts';
import { createVisits } from '../app/visits.ts';

const id = 'appointment-1';

/** The service in this process, with one appointment, and the app over it. */
async function openApp(cards: readonly CardName[], change: Partial<Register> = {}) {
  const processor = createFakeProcessor({ clock: systemClock });
  const chairside = createChairside({ store: createMapStore(), processor });
  const { records } = chairside;
  (await records.putBusiness(aBusiness()))._unsafeUnwrap();
  (await records.putBarber(aBarber()))._unsafeUnwrap();
  (await records.putAppointment(anAppointment()))._unsafeUnwrap();
  const app = chairsideHandler(chairside, {
    authenticate: (token) => {
      if (!isSignedIn) return undefined;
      return token === 'owner'
        ? { subject: 'user-owner', businessIds: ['business-1'] }
        : { subject: 'user-ada', barberId: 'barber-1', entitlements: ['contactlessPayments'] };
    },
    refunds: true,
  });
  const left = [...cards];
  let isOnline = true;
  let isSignedIn = true;
  let losesRefunds = false;
  let laterMs = 0;
  let starts = 0;
  let diesAtTap = false;
  const reader: Reader = {
    ready: async () => undefined,
    retrieve: async (clientSecret) => ({
      reference: clientSecret.split('_secret_', 1).join(),
      collect: async () => {
        const tapped = processor.presentCard(clientSecret, left.shift() ?? 'visa_credit');
        if (diesAtTap) starts += 1;
        if (tapped.isErr()) return 'unknown';
        const { status } = tapped.value;
        return status === 'authorized' ? 'approved' : status;
      },
    }),
  };
  const optionsOf = (token: string, start = starts) => ({
    baseUrl: 'http://shop.test',
    accessToken: () => token,
    // Waits are shorter here, because the service is in this process.
    time: {
      now: Date.now,
      after(ms: number, run: () => void) {
        const timer = setTimeout(run, ms / 20);
        return () => clearTimeout(timer);
      },
    },
    fetch: async (url: string, { method, headers, body }: RequestInit) => {
      // The app that sends it was killed.
      if (start !== starts) return new Promise<never>(() => {});
      if (!isOnline) throw new TypeError('no connection');
      const response = await app.fetch(
        new Request(url, { method: method ?? '', headers: headers ?? {}, body: body ?? null }),
      );
      if (losesRefunds && method === 'POST') throw new TypeError('no response');
      return response;
    },
  });
  const kept = new Map<string, string>();
  function start() {
    const register = createRegister({
      client: createClient(optionsOf('ada')),
      reader,
      subject: 'user-ada',
      currency: 'EUR',
      journal: localStorageJournal({
        get length() {
          return kept.size;
        },
        key: (index) => [...kept.keys()][index] ?? null,
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
      }),
    });
    const parts = {
      client: createClient(optionsOf('ada')),
      register: { ...register, ...change },
      refunds: createClient(optionsOf('owner'), refundOperations),
      takesTips: false,
      currency: 'EUR',
      priceOf: () => '45.00',
    };
    return createVisits(parts, () => Date.now() + laterMs);
  }
  const visits = start();
  const screen = (on = visits) => screenOf(on.factsOf(id));
  const until = (state: string) =>
    expect.poll(() => screen().state, { timeout: 20_000 }).toBe(state);
  function press(act: Act, on = visits) {
    const control = screen(on).controls.find((one) => one.act === act);
    if (control === undefined) throw new Error(`no ${act}: ${JSON.stringify(screen(on))}`);
    on.press(id, control, () => undefined);
  }
  const charged = () => processor.entries().filter(({ status }) => status === 'captured').length;
  const refunds = () => processor.entries().flatMap((entry) => entry.refunds ?? []);
  /** The bank of the card returns the last refund, and the processor reports it. */
  async function failLastRefund() {
    const [{ id: reference } = { id: '' }] = processor.entries();
    const failed = processor.endRefund(reference, refunds().at(-1)?.id ?? '', 'failed');
    expect(failed.isOk()).toBe(true);
    await deliver();
  }
  async function deliver() {
    for (const event of processor.takeEvents().unwrapOr([])) {
      expect((await chairside.receiveProcessorEvent(event)).isOk()).toBe(true);
    }
  }
  /** The system ends the app at the next tap, and a person starts it again. */
  async function restartAtTap(on = visits) {
    const before = starts;
    diesAtTap = true;
    press('take', on);
    await expect.poll(() => starts).toBe(before + 1);
    return start();
  }
  /** The phone is lost at the next tap, and the barber takes another. */
  async function losePhoneAtTap(on = visits) {
    await restartAtTap(on);
    kept.clear();
    await deliver();
    return start();
  }
  return {
    visits,
    restartAtTap,
    losePhoneAtTap,
    screen,
    until,
    press,
    charged,
    refunds,
    failLastRefund,
    setOnline: (now: boolean) => {
      isOnline = now;
    },
    setSignedIn: (now: boolean) => {
      isSignedIn = now;
    },
    loseRefunds: (now: boolean) => {
      losesRefunds = now;
    },
    wait: (ms: number) => {
      laterMs += ms;
    },
  };
}

it.each([
  [['visa_credit'], []],
  [['declined', 'visa_credit'], ['declined']],
  [['partially_authorized', 'visa_credit'], ['partlyApproved']],
  [['canceled', 'visa_credit'], ['expired']],
] as const)('leads a barber with the cards %j to one charge', async (cards, states) => {
  const { visits, until, press, charged, screen } = await openApp(cards);
  await visits.open(id);
  press('take');
  for (const state of states) {
    await until(state);
    await expect.poll(() => screen().controls.some(({ act }) => act === 'take')).toBe(true);
    press('take');
  }
  await until('paid');
  expect(screen().controls.map(({ act }) => act)).toEqual(['leave', 'refund']);
  expect(charged()).toBe(1);
});

it('gives back what the question named, and says so when the visit is opened again', async () => {
  const { visits, until, press, screen } = await openApp(['visa_credit']);
  await visits.open(id);
  press('take');
  await until('paid');
  press('refund');
  expect(screen()).toMatchObject({ state: 'askingBack', sum: { amount: '45.00' } });
  press('keep');
  expect(screen().state).toBe('paid');
  press('refund');
  visits.type(id, '20');
  press('giveBack');
  await until('partlyRefunded');
  press('refund');
  press('giveBack');
  await until('refunded');
  press('leave');
  await visits.open(id);
  expect(screen().said).toBe('All that was paid went back: EUR 45.00.');
  expect(screen().controls.map(({ act }) => act)).toEqual(['leave']);
});

it('sends the same refund again after the bank returned the first', async () => {
  const { visits, until, press, refunds, failLastRefund } = await openApp(['visa_credit']);
  await visits.open(id);
  press('take');
  await until('paid');
  press('refund');
  press('giveBack');
  await until('refunded');
  await failLastRefund();
  await visits.open(id);
  await until('paid');
  press('refund');
  press('giveBack');
  await until('refunded');
  expect(refunds().map(({ state }) => state)).toEqual(['failed', 'succeeded']);
});

const typeAndGiveBack = (
  { visits, press }: Awaited<ReturnType<typeof openApp>>,
  amount: string,
) => {
  press('refund');
  visits.type(id, amount);
  press('giveBack');
};

it('asks for another refund once the books show one without a response', async () => {
  const app = await openApp(['visa_credit']);
  const { visits, screen, until, press, refunds, loseRefunds } = app;
  await visits.open(id);
  press('take');
  await until('paid');
  loseRefunds(true);
  typeAndGiveBack(app, '10');
  await until('partlyRefunded');
  loseRefunds(false);
  press('refund');
  expect(screen()).toMatchObject({ state: 'askingBack', sum: { amount: '35.00' } });
  press('giveBack');
  await until('refunded');
  expect(refunds().map(({ amount }) => amount)).toEqual(['10.00', '35.00']);
});

const hourMs = 60 * 60_000;

it.each([
  ['asks for a refund with an unknown outcome under its key', hourMs, 0, [10]],
  ['asks anew for such a refund after 71 hours', 72 * hourMs, 0, [45]],
  ['sends nothing if the question was open for so long', hourMs, 71 * hourMs, []],
] as const)('%s', async (_, laterMs, openMs, expected) => {
  const app = await openApp(['visa_credit']);
  const { visits, screen, until, press, refunds, setOnline, wait } = app;
  await visits.open(id);
  press('take');
  await until('paid');
  press('refund');
  visits.type(id, '10');
  setOnline(false);
  press('giveBack');
  await until('backUnknown');
  setOnline(true);
  wait(laterMs);
  await visits.open(id);
  expect(screen().state).toBe(laterMs > hourMs ? 'paid' : 'backUnknown');
  press('refund');
  press('keep');
  expect(screen().state).toBe(laterMs > hourMs ? 'paid' : 'backUnknown');
  press('refund');
  setOnline(false);
  await visits.read(id);
  press('leave');
  setOnline(true);
  await visits.read(id);
  expect(screen().state).toBe(laterMs > hourMs ? 'paid' : 'backUnknown');
  press('refund');
  expect(screen().sum?.amount).toBe(laterMs > hourMs ? '45.00' : '10.00');
  wait(openMs);
  await visits.read(id);
  press('giveBack');
  await expect.poll(() => screen().state).toMatch(/^(paid|partlyRefunded|refunded)$/);
  expect(refunds().map(({ amount }) => Number(amount))).toEqual(expected);
});

it('says before a card that it cannot charge without a connection', async () => {
  const { visits, screen, until, press, setOnline } = await openApp(['visa_credit']);
  expect(screen().state).toBe('looking');
  setOnline(false);
  await visits.open(id);
  expect(screen()).toMatchObject({ state: 'unreadable', sum: undefined });
  expect(screen().controls.map(({ act }) => act)).toEqual(['check', 'leave']);
  setOnline(true);
  press('check');
  await until('ready');
  setOnline(false);
  await visits.read(id);
  expect(screen().said).toMatch(/^At \d\d:\d\d:\d\d: EUR 45\.00 is to be paid/);
  expect(screen().controls.map(({ act }) => act)).toEqual(['check', 'leave']);
});

it('says that the barber is signed out', async () => {
  const { visits, screen, until, press, setOnline, setSignedIn } = await openApp(['visa_credit']);
  setSignedIn(false);
  await visits.open(id);
  expect(screen()).toMatchObject({ state: 'signedOut', sum: undefined });
  expect(screen().controls.map(({ act }) => act)).toEqual(['check', 'leave', 'signIn']);
  setSignedIn(true);
  press('check');
  await until('ready');
  setSignedIn(false);
  await visits.read(id);
  expect(screen().todo).toMatch(/^You are signed out/);
  expect(screen().controls.map(({ act }) => act)).toEqual(['check', 'leave', 'signIn']);
  setOnline(false);
  await visits.read(id);
  expect(screen().todo).toMatch(/^The shop has not answered/);
});

it('captures at the start a card that was approved before the system ended the app', async () => {
  const { visits, restartAtTap, charged } = await openApp(['visa_credit']);
  await visits.open(id);
  const restarted = await restartAtTap();
  expect(charged()).toBe(0);
  await restarted.resume();
  expect(charged()).toBe(1);
  expect(restarted.left()).toEqual([]);
});

it('lets a barber charge a card that was approved on a phone that is lost', async () => {
  const { visits, losePhoneAtTap, charged } = await openApp(['visa_credit']);
  await visits.open(id);
  const other = await losePhoneAtTap();
  await other.open(id);
  const { controls } = screenOf(other.factsOf(id));
  const check = controls.find(({ act }) => act === 'check');
  if (check) other.press(id, check, () => undefined);
  await expect.poll(charged).toBe(1);
});

it('offers no card of a lost phone while this phone has a payment of its own', async () => {
  const own: Partial<Register> = {};
  const { visits, losePhoneAtTap, screen } = await openApp(['visa_credit'], own);
  await visits.open(id);
  own.unfinished = async () => [{ appointmentId: id, mayBeCharged: false }];
  own.resume = async () => ({ step: 'stuck', reason: 'inUse', words: '', charged: 'unknown' });
  const other = await losePhoneAtTap();
  await other.open(id);
  expect(screen(other).lines).toEqual([]);
});

it('offers the card of the lost phone that the register takes over: the last one', async () => {
  const { visits, losePhoneAtTap, screen } = await openApp(['visa_credit', 'visa_credit']);
  await visits.open(id);
  visits.type(id, '10.00');
  const second = await losePhoneAtTap();
  await second.open(id);
  const third = await losePhoneAtTap(second);
  await third.open(id);
  expect(screen(third).lines).toEqual([expect.stringContaining('EUR 45.00')]);
});

it('resumes the other payments if the shop cannot tell of one, and begins with them next time', async () => {
  const recovery = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' } as const;
  const unanswered = { type: 'unanswered', title: '', why: 'network', recovery } as const;
  const noAnswer = { step: 'stuck', reason: 'noAnswer', words: '', charged: 'unknown' } as const;
  const resumed: string[] = [];
  const { visits } = await openApp([], {
    unfinished: async () =>
      ['a', 'b', 'c'].map((appointmentId) => ({ appointmentId, mayBeCharged: true })),
    async resume(appointmentId) {
      resumed.push(appointmentId);
      return { ...noAnswer, problem: appointmentId === 'b' ? unanswered : undefined };
    },
  });
  await visits.resume();
  expect(resumed.splice(0)).toEqual(['a', 'b']);
  await visits.resume();
  expect(resumed).toEqual(['c', 'a', 'b']);
});

it('takes the payment of a customer before it resumes another without an answer', async () => {
  const { visits, restartAtTap, setOnline } = await openApp(['visa_credit']);
  await visits.open(id);
  const restarted = await restartAtTap();
  setOnline(false);
  const resumed = restarted.resume();
  const stepOf = (of: string) => restarted.factsOf(of).taking.step;
  await expect.poll(() => stepOf(id)).toBe('checking');
  restarted.press('appointment-2', { act: 'take', label: 'Take 45.00' }, () => undefined);
  await expect.poll(() => stepOf('appointment-2')).toBe('opening');
  await resumed;
  expect(restarted.left()).toContain(id);
});

it.each([1, 8, 20, 100])('reads %i visits of the list at most 60 times a minute', (count) => {
  expect((60_000 / readEveryMs(count)) * count).toBeLessThanOrEqual(60);
  expect(readEveryMs(count)).toBeGreaterThanOrEqual(8000);
});
