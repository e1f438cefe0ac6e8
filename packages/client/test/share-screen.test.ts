import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createClient, type Fetch } from '../src/index.ts';
import { type Facts, planOf, screenOf } from '../src/screen.ts';
import {
  createSharing,
  moveParts,
  type PaymentPart,
  type ShareFacts,
  shareParts,
  shareScreenOf,
} from '../src/share-screen.ts';
import { shareOperations } from '../src/shares.ts';
import { base } from './screen-examples.ts';
import { baseUrl, need, openShop } from './shop.ts';
import { openTill } from './till.ts';
import { createVirtualTime } from './virtual-time.ts';

const cents = (amount = '0.00') => Math.round(Number(amount) * 100);
const money = (minor: number) => (minor / 100).toFixed(2);
const part = (appointmentId: string, barberId: string, amount: string, tip = '0.00') => ({
  appointmentId,
  barberId,
  amount,
  tip,
});
const sums = (parts: readonly { readonly amount: string; readonly tip?: string | undefined }[]) => [
  parts.reduce((sum, { amount }) => sum + cents(amount), 0),
  parts.reduce((sum, { tip }) => sum + cents(tip), 0),
];

/** A mother's part, shared by two barbers, and a child's. */
const family: readonly PaymentPart[] = [
  part('mother', 'ada', '49.00', '4.00'),
  part('child', 'ben', '20.00'),
  part('mother', 'ben', '6.00', '6.00'),
];

const facts = (question: object, more: object = {}): ShareFacts => ({
  currency: 'EUR',
  appointmentId: 'mother',
  visits: [
    { id: 'noor', name: 'Noor', left: '45.00' },
    { id: 'sam', name: 'Sam', left: '44.99' },
  ],
  barbers: [
    { id: 'ada', name: 'Ada' },
    { id: 'ben', name: 'Ben' },
  ],
  sharing: {
    is: 'asking',
    question: { what: 'move', paymentId: 'cpm_1', key: 'k', parts: family, ...question },
    ...more,
  },
});

describe('the parts to send', () => {
  it('move all that a visit has, and leave the others as they are', () => {
    expect(moveParts(family, 'mother', 'noor')).toEqual([
      { appointmentId: 'noor', amount: '55.00', tip: '10.00' },
      { appointmentId: 'child', barberId: 'ben', amount: '20.00' },
    ]);
    // The child has a part already: a visit and barber are named once.
    expect(moveParts(family, 'mother', 'child')).toEqual([
      { appointmentId: 'child', barberId: 'ben', amount: '75.00', tip: '10.00' },
    ]);
  });

  it('give another barber a part, and take it back', () => {
    expect(shareParts(family, 'mother', 'ben', { price: 1500, tip: 500 })).toEqual([
      { appointmentId: 'mother', barberId: 'ada', amount: '35.00', tip: '5.00' },
      { appointmentId: 'mother', barberId: 'ben', amount: '20.00', tip: '5.00' },
      { appointmentId: 'child', barberId: 'ben', amount: '20.00' },
    ]);
    expect(shareParts(family, 'mother', 'ben', { price: 0, tip: 0 })[0]).toEqual({
      appointmentId: 'mother',
      barberId: 'ada',
      amount: '55.00',
      tip: '10.00',
    });
  });

  it('always add up, and name each visit and barber once', () => {
    const amounts = fc.record({ price: fc.nat(5000), tip: fc.nat(900) });
    const whose = fc.constantFrom(
      'mother ada',
      'mother ben',
      'mother cleo',
      'child ada',
      'child ben',
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(whose, amounts), { selector: ([of]) => of, minLength: 1 }),
        fc.constantFrom('noor', 'child'),
        fc.nat(100),
        (given, to, share) => {
          const parts = given.flatMap(([of, { price, tip }]) => {
            const [appointmentId = '', barberId = ''] = of.split(' ');
            return price + tip === 0
              ? []
              : [part(appointmentId, barberId, money(price + tip), money(tip))];
          });
          const most = parts
            .filter((one) => one.appointmentId === 'mother')
            .map(({ amount, tip }) => cents(amount) - cents(tip));
          const price = Math.floor((Math.max(...most) * share) / 100);
          const results = [
            moveParts(parts, 'mother', to),
            ...(most.length === 1 ? [shareParts(parts, 'mother', 'dora', { price, tip: 0 })] : []),
          ];
          for (const asked of results) {
            expect(sums(asked)).toEqual(sums(parts));
            const names = asked.map((one) => `${one.appointmentId} ${one.barberId}`);
            expect(new Set(names).size).toBe(names.length);
            expect(asked.every(({ amount }) => cents(amount) > 0)).toBe(true);
          }
        },
      ),
    );
  });
});

describe('the question whose a payment is', () => {
  it('offers the visits that owe enough, and says why not the others', () => {
    const { said, choices, confirm } = shareScreenOf(facts({}));
    expect(said).toBe('Which visit was EUR 55.00 for?');
    expect(choices.map(({ note, isOff }) => [note, isOff])).toEqual([
      ['owes 45.00', false],
      ['owes only 44.99', true],
    ]);
    expect(confirm).toBeUndefined();
    expect(shareScreenOf(facts({ to: 'noor' }))).toMatchObject({
      said: 'Move EUR 55.00 to Noor?',
      confirm: { label: 'Move 55.00' },
    });
    // It was paid since it was chosen.
    expect(shareScreenOf(facts({ to: 'sam' })).confirm).toBeUndefined();
    const without = { ...facts({}), visits: [] };
    expect(shareScreenOf(without).said).toBe('No other visit of today owes EUR 55.00.');
  });

  it('proposes half of the tip, and takes what is typed', () => {
    const parts = [part('mother', 'ada', '55.01', '10.01')];
    const asked = { what: 'share', parts };
    expect(shareScreenOf(facts(asked)).said).toBe('Who shares the tip of EUR 10.01?');
    const half = shareScreenOf(facts({ ...asked, to: 'ben' }));
    expect(half.said).toBe('Ben gets EUR 5.00, Ada keeps EUR 50.01.');
    expect(half.fields.map(({ name, value }) => [name, value])).toEqual([
      ['tip', '5.00'],
      ['price', '0.00'],
    ]);
    const typed = shareScreenOf(facts({ ...asked, to: 'ben', tip: '2,5', price: '15' }));
    expect(typed.confirm?.shares[1]).toEqual({
      appointmentId: 'mother',
      barberId: 'ben',
      amount: '17.50',
      tip: '2.50',
    });
    for (const tip of ['10.02', 'x', '']) {
      const wrong = shareScreenOf(facts({ ...asked, to: 'ben', tip }));
      expect(wrong.confirm).toBeUndefined();
      expect(wrong.fields[0]).toMatchObject({ isWrong: true, value: tip });
    }
    // Without a tip it is half of the price.
    const plain = { what: 'share', parts: [part('mother', 'ada', '45.00')], to: 'ben' };
    expect(shareScreenOf(facts(plain)).said).toBe('Ben gets EUR 22.50, Ada keeps EUR 22.50.');
  });

  it('shows what another barber has, and offers nothing while that stays', () => {
    const shared = shareScreenOf(facts({ what: 'share', to: 'ben' }));
    expect(shared.choices).toMatchObject([{ label: 'Ben', note: 'has 6.00' }]);
    expect(shared.said).toBe('Ben gets EUR 6.00, Ada keeps EUR 49.00.');
    expect(shared.confirm).toBeUndefined();
    expect(shareScreenOf(facts({ what: 'share', to: 'ben', tip: '0' })).confirm).toBeDefined();
  });

  it.each([
    ['exceedsRemaining', { appointmentId: 'noor', remaining: '5.00' }, 'Noor owes only 5.00 more.'],
    ['reservedElsewhere', { appointmentId: 'noor' }, 'A card is being charged for Noor.'],
    ['sharesDiffer', {}, 'Some of it went back, or was moved, meanwhile.'],
    ['another', {}, 'The shop refused it.'],
  ])('says why the shop refused: %s', (reason, attributes, words) => {
    const problem = {
      type: 'conflict',
      id: 'prb_1',
      title: '',
      status: 409,
      occurredAt: '2026-11-02T10:00:00.000Z',
      attributes: { reason, ...attributes },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    } as const;
    const screen = shareScreenOf(facts({}, { problem }));
    expect(screen).toMatchObject({ tone: 'bad', said: `It was not moved. ${words}` });
    expect(screen.choices).toHaveLength(2);
  });
});

describe('a desk that asks whose a payment is', () => {
  const owner = { subject: 'user-owner', businessIds: ['shop'] };
  async function openDesk(fetch: (shop: Awaited<ReturnType<typeof openShop>>) => Fetch) {
    const shop = await openShop({ shares: true });
    const appointmentId = await shop.putAppointment('kim');
    await shop.putAppointment('noor');
    const { paymentId = '' } = await openTill(shop).register.take({ appointmentId });
    const options = (token: string) => ({
      baseUrl,
      fetch: fetch(shop),
      accessToken: () => token,
      time: createVirtualTime(),
    });
    const seen: string[] = [];
    const desk = createSharing({
      client: createClient(options('ada')),
      shares: createClient(options('owner'), shareOperations),
      changed: () => seen.push(desk.getSnapshot().is),
      refresh: async () => undefined,
    });
    const screen = (left = '45.00') =>
      shareScreenOf({
        appointmentId,
        visits: [{ id: 'noor', name: 'Noor', left }],
        barbers: [],
        sharing: desk.getSnapshot(),
      });
    const captured = async (id: string) =>
      need(await shop.chairside.getAppointmentLedger(owner, { appointmentId: id })).captured;
    return { shop, desk, screen, seen, paymentId, captured };
  }

  it('moves a payment once, however often it is pressed and whatever reply is lost', async () => {
    let lost = 0;
    const posts: string[] = [];
    const { desk, screen, paymentId, captured } = await openDesk((shop) => async (url, init) => {
      if (!url.endsWith('/shares') || init.method !== 'POST') return shop.fetch(url, init);
      posts.push(JSON.stringify([init.headers, init.body]));
      const answer = await shop.fetch(url, init);
      lost += 1;
      if (lost < 20) throw new Error('lost');
      return answer;
    });
    await desk.ask('move', paymentId);
    desk.choose({ to: 'noor' });
    const { confirm } = screen();
    if (confirm === undefined) throw new Error('nothing to confirm');
    await Promise.all([desk.answer(confirm), desk.answer(confirm)]);
    expect(desk.getSnapshot().is).toBe('unknown');
    lost = 20;
    // The visit owes nothing any more, and the answer stays the same.
    const again = screen('0.00').confirm;
    expect(again).toEqual(confirm);
    await desk.answer(confirm);
    expect(desk.getSnapshot()).toMatchObject({ is: 'done', said: '45.00 was moved to Noor.' });
    expect(new Set(posts).size).toBe(1);
    expect([await captured('kim'), await captured('noor')]).toEqual(['0.00', '45.00']);
  });

  it('asks again after a refusal, and forgets a question that was left', async () => {
    const { shop, desk, screen, paymentId, captured } = await openDesk((open) => open.fetch);
    await desk.ask('move', paymentId);
    desk.choose({ to: 'noor' });
    const { confirm } = screen();
    if (confirm === undefined) throw new Error('nothing to confirm');
    await shop.putAppointment('noor', '20.00');
    await desk.answer(confirm);
    expect(desk.getSnapshot()).toMatchObject({
      is: 'asking',
      question: { parts: [{ amount: '45.00' }] },
    });
    expect(screen('20.00').said).toContain('It was not moved. Noor owes only 20.00 more.');
    expect(await captured('kim')).toBe('45.00');
    const asking = desk.ask('share', paymentId);
    desk.leave();
    await asking;
    expect(desk.getSnapshot()).toEqual({ is: 'none' });
  });
});

describe('the screen of a visit', () => {
  const of = (more: Partial<Facts>) => screenOf({ ...base, ...more });
  const read = (value: object) =>
    ({ is: 'read', value: { due: '45.00', payments: [], ...value }, askedAt: base.now }) as const;

  test('charges the card for the chosen visits too, with one tap', () => {
    const alsoPays = [{ appointmentId: 'noor', amount: '20.00' }];
    const screen = of({ alsoPays, takesTips: true });
    expect(screen.sum).toEqual({ label: 'To pay', amount: '65.00' });
    expect(screen.said).toBe('EUR 65.00 is to be paid for 2 visits. No card was charged yet.');
    expect(screen.controls[0]).toEqual({
      act: 'take',
      label: 'Take 65.00',
      amount: '65.00',
      asksTip: true,
      alsoPays,
    });
    expect(of({}).controls[0]).not.toHaveProperty('alsoPays');
    // A note of 65.00 is no more than its visits owe.
    const note = {
      ...base.taking,
      reason: 'waiting',
      charged: 'no',
      amount: '65.00',
      alsoPays,
    } as const;
    expect(of({ taking: note }).controls[0]).toMatchObject({ act: 'take', amount: '65.00' });
    expect(of({ taking: { ...note, alsoPays: [] } }).controls.map(({ act }) => act)).not.toContain(
      'take',
    );
  });

  test('owes again what was moved to another visit', () => {
    const taking = {
      ...base.taking,
      step: 'captured',
      charged: 'yes',
      paymentId: 'cpm_1',
    } as const;
    expect(of({ taking }).state).toBe('captured');
    expect(of({ taking, books: read({ moved: ['cpm_1'] }) }).state).toBe('ready');
  });

  const back = {
    amount: '0.00',
    underWay: '0.00',
    refundable: '20.00',
    refundableTip: '0.00',
    count: 0,
  };

  test('says what of the card is its own, and gives back only that', () => {
    const payment = {
      id: 'cpm_1',
      amount: '20.00',
      charged: '65.00',
      appointmentId: 'visit',
      barbers: [
        { name: 'Ada', amount: '15.00' },
        { name: 'Ben', amount: '5.00' },
      ],
      back,
    };
    const visit = { due: '20.00', payments: [payment] };
    expect(of({ books: read(visit) }).lines).toEqual([
      'EUR 20.00 of EUR 65.00',
      'Ada EUR 15.00, Ben EUR 5.00',
    ]);
    const plan = planOf(visit, 'all', '');
    expect(plan).toMatchObject([{ amount: '20.00', appointmentId: 'visit' }]);
    const sibling = planOf(
      { ...visit, payments: [{ ...payment, appointmentId: 'other' }] },
      'all',
      '',
    );
    expect(sibling?.[0]?.key).not.toBe(plan?.[0]?.key);
  });

  test('has a key that can be sent as a header, whatever id the shop gives a visit', () => {
    const keyOf = (appointmentId: string) =>
      planOf(
        { due: '20.00', payments: [{ id: 'cpm_1', amount: '20.00', appointmentId, back }] },
        'all',
        '',
      )?.[0]?.key ?? '';
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 255 });
    // A text that was cut may end with half of a surrogate pair.
    const cut = fc.tuple(id, fc.constantFrom('', '\ud83d')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(cut, (appointmentId) => {
        const key = keyOf(appointmentId);
        expect(new Headers({ 'idempotency-key': key }).get('idempotency-key')).toBe(key);
        expect(key.length).toBeLessThanOrEqual(255);
      }),
    );
    expect(keyOf('termin-€-7')).not.toBe(keyOf('termin-$-7'));
    expect(keyOf('termin-€-7')).not.toBe(keyOf('termin-%20ac-7'));
  });

  test('names another visit as the reason that the payment ended', async () => {
    const shop = await openShop({ shares: true });
    const appointmentId = await shop.putAppointment('kim');
    const noor = await shop.putAppointment('noor', '20.00');
    const alsoPays = [{ appointmentId: noor, amount: '20.00' }];
    const { register } = openTill(shop, {
      fetch: async (url, init) => {
        // It is called off before the capture.
        if (url.endsWith('/captured')) await shop.putAppointment('noor', '0.00');
        return shop.fetch(url, init);
      },
    });
    const called = await register.take({ appointmentId, alsoPays });
    expect(of({ taking: called })).toMatchObject({ state: 'otherVisit' });
    // And before the create.
    const refused = await openTill(shop).register.take({ appointmentId, alsoPays });
    expect(of({ taking: refused })).toMatchObject({
      state: 'otherVisit',
      said: 'Another of these visits was paid or called off meanwhile. Nothing was charged now.',
    });
  });
});
