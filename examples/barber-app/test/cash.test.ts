import { createClient } from '@chairside/client';
import { refundOperations } from '@chairside/client/refunds';
import type { Reading, VisitMoney } from '@chairside/client/screen';
import { tenderOperations } from '@chairside/client/tenders';
import { type AuthContext, createChairside } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
} from '@chairside/testkit';
import { expect, it } from 'vitest';
import { type CashAct, cashScreenOf, createCash } from '../app/cash.ts';

const id = 'appointment-1';
const barber: AuthContext = {
  subject: 'u-ada',
  barberId: 'barber-1',
  entitlements: ['contactlessPayments'],
};
const owner: AuthContext = { subject: 'u-owner', businessIds: ['business-1'] };

/** The service in this process, with one visit of 40.00, and its cash in the app. */
async function openCash() {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const chairside = createChairside({ store: createMapStore(), processor, clock });
  const { records } = chairside;
  const place = async (businessId: string) => {
    const visit = anAppointment({ id, businessId, amountDueMinor: 4000n });
    (await records.putAppointment(visit))._unsafeUnwrap();
  };
  for (const shop of [1, 2, 3]) {
    const processorAccount = { id: `acct_${shop}`, currency: 'eur' };
    const business = aBusiness({ id: `business-${shop}`, processorAccount });
    (await records.putBusiness(business))._unsafeUnwrap();
  }
  (await records.putBarber(aBarber()))._unsafeUnwrap();
  await place('business-1');
  const { fetch } = chairsideHandler(chairside, {
    authenticate: (token) => (isSignedIn ? (token === 'owner' ? owner : barber) : undefined),
    refunds: true,
    tenders: true,
  });
  const optionsOf = (token: string) => ({
    baseUrl: 'http://shop.test',
    accessToken: () => token,
    async fetch(url: string, init: RequestInit) {
      const response = await fetch(new Request(url, init));
      if (init.method === 'POST') await afterPost?.();
      return response;
    },
  });
  const refunds = createClient(optionsOf('owner'), refundOperations);
  let isSignedIn = true;
  let afterPost: (() => Promise<void>) | undefined;
  let asideMs = 0;
  let now = clock.now();
  let visit: Reading<VisitMoney> = { is: 'unread' };
  const tenders = createClient(optionsOf('ada'), tenderOperations);
  const cash = createCash({ tenders, currency: 'EUR' }, () => ++now + asideMs);
  const screen = () => cashScreenOf({ ...cash.factsOf(id), visit }, id);
  async function press(...acts: readonly CashAct[]) {
    for (const act of acts) {
      const control = screen().controls.find((one) => one.act === act);
      if (control === undefined) throw new Error(`no ${act}: ${JSON.stringify(screen())}`);
      cash.press(id, control);
    }
    await expect.poll(() => screen().state).toMatch(/^(done|refused)$/);
    return screen().said;
  }
  /** A card pays 20.00, and the processor fails to refund it. */
  async function payByCard() {
    const opened = await chairside.createContactlessPayment(barber, {
      appointmentId: id,
      idempotencyKey: 'create',
      body: { amount: '20.00' },
    });
    const { id: contactlessPaymentId, clientSecret } = opened._unsafeUnwrap();
    const tapped = processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    const captured = await chairside.captureContactlessPayment(barber, {
      contactlessPaymentId,
      idempotencyKey: 'capture',
      body: { externalPaymentReference: tapped.externalPaymentReference },
    });
    captured._unsafeUnwrap();
    processor.slowRefunds(true);
    const back = { contactlessPaymentId, idempotencyKey: 'refund', body: {} };
    (await chairside.refundPayment(owner, back))._unsafeUnwrap();
    const [{ id: reference, refunds = [] } = { id: '' }] = processor.entries();
    processor.endRefund(reference, refunds[0]?.id ?? '', 'failed')._unsafeUnwrap();
    for (const event of processor.takeEvents()._unsafeUnwrap()) {
      (await chairside.receiveProcessorEvent(event))._unsafeUnwrap();
    }
    return contactlessPaymentId;
  }
  return {
    cash,
    screen,
    press,
    /** The visit moves to the barber's other shop. */
    move: (to = 'business-2') => place(to),
    /** Does this after each request that changes something. */
    setAfterPost: (run: () => Promise<void>) => {
      afterPost = run;
    },
    /** Somebody voids the visit's latest tender, which was a mistake. */
    async undo() {
      const listed = await tenders.listTenders({ appointmentId: id });
      const tenderId = listed.unwrapOr(undefined)?.items.at(-1)?.id ?? '';
      expect((await tenders.voidTender({ tenderId })).isOk()).toBe(true);
    },
    payByCard,
    setClock(byMs: number) {
      asideMs = byMs;
    },
    setSignedIn: (is: boolean) => {
      isSignedIn = is;
    },
    async returned() {
      const listed = await tenders.listTenders({ appointmentId: id });
      return listed.unwrapOr(undefined)?.returns.map(({ amount }) => amount);
    },
    /** Reads what the card has paid, as the app does every few seconds. */
    async readVisit(contactlessPaymentId: string, mayRefund: boolean) {
      const listed = await refunds.listRefunds({ contactlessPaymentId });
      const { refundable = '', count = 0 } = listed.unwrapOr(undefined) ?? {};
      const zero = { amount: '0.00', underWay: '0.00', refundableTip: '0.00' };
      const back = mayRefund ? { ...zero, refundable, count } : undefined;
      const payments = [{ id: contactlessPaymentId, amount: '20.00', back }];
      visit = { is: 'read', askedAt: ++now, value: { due: '40.00', payments } };
    },
  };
}

it.each([
  ['refunds are read', true],
  ['refunds may not be read', false],
] as const)(
  'gives cash for a failed refund each time that it says so, where %s',
  async (_, mayRefund) => {
    const { cash, screen, press, payByCard, readVisit, returned } = await openCash();
    const paymentId = await payByCard();
    await readVisit(paymentId, mayRefund);
    await cash.read(id);
    for (const amount of ['5.00', '5.00', '10.00']) {
      cash.type(id, amount);
      expect(await press('back', 'giveBack')).toMatch(`EUR ${amount} in cash went back.`);
      // What the card has left is not known any more.
      expect(screen().controls.map(({ act }) => act)).not.toContain('back');
      await readVisit(paymentId, mayRefund);
    }
    expect(await returned()).toEqual(['5.00', '5.00', '10.00']);
    expect(screen().controls.map(({ act }) => act)).not.toContain('back');
  },
);

it('takes the same amount again after the visit moved to another shop', async () => {
  const { cash, screen, press, move } = await openCash();
  await cash.read(id);
  cash.type(id, '20.00');
  await press('take', 'received');
  await move();
  await cash.read(id);
  cash.type(id, '20.00');
  expect(await press('take', 'received')).toMatch('Nothing is left to pay.');
  expect(screen().lines).toHaveLength(1);
});

it('says that the barber is signed out', async () => {
  const { cash, screen, setSignedIn } = await openCash();
  setSignedIn(false);
  await cash.read(id);
  expect(screen()).toMatchObject({ state: 'signedOut', controls: [{ act: 'check' }] });
  setSignedIn(true);
  await cash.read(id);
  expect(screen().state).toBe('ready');
});

it('reads on after the clock of the phone was set back', async () => {
  const { cash, screen, press, setClock } = await openCash();
  setClock(3_600_000);
  await cash.read(id);
  cash.type(id, '20.00');
  await press('take', 'received');
  expect(screen().controls.map(({ act }) => act)).toEqual(['take', 'back']);
  setClock(0);
  // What was read before is old.
  expect(screen()).toMatchObject({ state: 'looking', controls: [] });
  await cash.read(id);
  expect(screen().controls.map(({ act }) => act)).toEqual(['take', 'back']);
});

it('takes an amount that an earlier shop of the visit recorded by mistake', async () => {
  const { cash, screen, press, move, undo } = await openCash();
  for (const shop of ['business-2', 'business-3']) {
    await cash.read(id);
    cash.type(id, '20.00');
    expect(await press('take', 'received')).toMatch('EUR 20.00 is still to be paid.');
    expect(screen().lines).toHaveLength(1);
    await undo();
    await move(shop);
  }
  await cash.read(id);
  cash.type(id, '20.00');
  expect(await press('take', 'received')).toMatch('EUR 20.00 in cash was not recorded.');
  expect(screen().lines).toEqual([]);
});

it('records cash once where the visit moves before the app has read it', async () => {
  const { cash, screen, press, move, setAfterPost, setClock } = await openCash();
  // The service's clock stands still, and a phone's goes on.
  setClock(-1000);
  setAfterPost(move);
  await cash.read(id);
  cash.type(id, '20.00');
  expect(await press('take', 'received')).toMatch('EUR 20.00 in cash is recorded.');
  expect(screen().lines).toEqual([]);
});
