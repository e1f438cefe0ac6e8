import { stripVTControlCharacters } from 'node:util';
import {
  type Chairside,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  type PayoutView,
} from '@chairside/core';
import type { Change, Processor, Store } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBusiness,
  anAppointment,
  anEvent,
  aPayout,
  createManualClock,
  createMapStore,
  someTime,
} from '@chairside/testkit';
import { describe, expect, it, vi } from 'vitest';
import type { Opened } from '../src/config.ts';
import { runCommand } from './run-command.ts';
import { openHealthyShop, openTroubledShop } from './shop.ts';
import { stores } from './stores.ts';

function openedOn(store: Store): Opened {
  const chairside = createChairside({ store, processor: createFakeProcessor() });
  return { chairside, isReadOnly: false };
}

const none = { captured: '0.00', refunded: '0.00', disputed: '0.00', ours: '0.00' };
const failedPayout: PayoutView = {
  ...{ ...none, others: '0.00', applicationFees: '0.00', processorFees: '0.00' },
  ...{ id: 'po_1', state: 'failed', currency: 'eur', amount: '1.00', isItemized: true },
  ...{ createdAt: '2026-11-02T00:00:00.000Z', arrivesAt: '2026-11-04T00:00:00.000Z' },
  otherEntries: [],
};

describe('what cannot be done ends with one sentence and the status 2', () => {
  it.each([
    [['nothing'], 'There is no command nothing; chairside --help lists them.'],
    [['payment'], 'An argument is missing: chairside payment ID'],
    [['payment', 'a', 'b'], 'Too many arguments: chairside payment ID'],
    [['doctor', '--colour'], "Unknown option '--colour'."],
    [['doctor', '--config'], "Option '--config <value>' argument missing."],
    [['payment', 'cpm_no'], 'There is no payment cpm_no.'],
    [['appointment', 'no'], 'There is no appointment no.'],
    [['reviews', 'resolve', 'rev_no'], 'Say with --note what you found and did.'],
    [
      ['reviews', 'resolve', 'rev_no', '--note', 'done', '--outcome', 'maybe'],
      'There is no outcome maybe: tookPlace, didNotTakePlace, noted.',
    ],
    [['reviews', 'resolve', 'rev_no', '--note', 'done'], 'There is no such review.'],
    [['events', 'retry', 'cpm_no'], 'No rejected event of cpm_no waits.'],
    [['events', 'skip', 'cpm_no'], 'No rejected event of cpm_no waits.'],
    [
      ['statement', '--business', 'marlow'],
      'Name the business, the day and the zone: chairside statement --business ID --day 2026-11-24 --zone Europe/Berlin',
    ],
    [['payouts'], 'Name the business: chairside payouts --business ID'],
    [
      ['payouts', '--business', 'marlow', '--from', 'today'],
      'today is no day, such as 2026-11-24.',
    ],
    [['upkeep', '--every', '0'], '--every takes a number of seconds from 1 to 3600.'],
    [
      ['upkeep', '--sqlite', 'shop.db'],
      'With --sqlite nothing can be changed: use chairside.config.ts.',
    ],
  ])('chairside %j', async (args, sentence) => {
    const ran = await runCommand(openedOn(createMapStore()), args);
    expect(ran).toEqual({ status: 2, output: '', errors: `chairside: ${sentence}\n` });
  });

  it.each(['doctor', 'payment cpm_1', 'appointment one', 'reviews', 'events'])(
    'chairside %s, on a database that is broken',
    async (line) => {
      const real = await stores.sqlite();
      const opened = openedOn(real);
      await real.close();
      const { status, output, errors } = await runCommand(opened, line.split(' '));
      expect({ status, output }).toEqual({ status: 2, output: '' });
      expect(errors).toMatch(/^chairside: [A-Z][^\n]*[.]\n$/);
    },
  );

  it('chairside doctor, where the handler fails: a warning after three tries', async () => {
    const clock = createManualClock();
    const processor = createFakeProcessor({ clock });
    const chairside = createChairside({ store: createMapStore(), processor, clock });
    expect((await chairside.records.putBusiness(aBusiness())).isOk()).toBe(true);
    expect((await chairside.records.putAppointment(anAppointment())).isOk()).toBe(true);
    const barber = { subject: 'ada', barberId: 'barber-1' };
    const visit = { appointmentId: 'appointment-1', idempotencyKey: 'one' };
    expect((await chairside.createContactlessPayment(barber, visit)).isOk()).toBe(true);
    const eventsLine = async (deliver?: Opened['deliver']) => {
      const opened = { chairside, deliver, isReadOnly: false, close: async () => {} };
      const { output } = await runCommand(opened, ['doctor']);
      return output.split('\n').find((line) => / Events /.test(line));
    };
    for (let tries = 1; tries <= 3; tries += 1) {
      expect(await eventsLine()).toMatch(/^ok /);
      const failing = () => Promise.reject(new Error('no table'));
      expect((await chairside.events.deliver(failing))._unsafeUnwrap().failed).toBe(1);
      clock.advance(2 * minuteMs);
    }
    expect(await eventsLine()).toMatch(/^warning .*tried 3 times/);
    clock.advance(3 * 24 * hourMs);
    expect(await eventsLine()).toMatch(/^warning /);
    expect(await eventsLine(async () => {})).toMatch(/^error .*the oldest for 3 d/);
  });

  it.each([
    ['listEntries', 'settlements'],
    ['listPayouts', 'payouts'],
  ] as const)('chairside doctor, where the key may not call %s: a warning', async (call, list) => {
    const { chairside, clock } = await openHealthyShop(createMapStore());
    const { store, processor } = chairside.ports;
    const denied = () =>
      errAsync({ kind: 'unavailable', outcome: 'notApplied', answered: false } as const);
    const settlements = processor.settlements && { ...processor.settlements, [call]: denied };
    const denying = createChairside({ store, clock, processor: { ...processor, settlements } });
    const foundAfter = async (hours: number, by: Chairside) => {
      for (let hour = 0; hour < hours; hour += 1) {
        clock.advance(hourMs);
        expect((await by.reconcile()).isOk()).toBe(true);
      }
      const opened = { chairside: by, isReadOnly: false, close: async () => {} };
      return (await runCommand(opened, ['doctor'])).output.replaceAll(/\s+/g, ' ');
    };
    // Its payout is listed again for two weeks.
    expect(await foundAfter(7 * 24, chairside)).not.toContain('Lists of');
    expect(await foundAfter(3, denying)).toContain(
      `warning Lists of acct_shop The processor's lists of ${list} were read up to`,
    );
  });

  it('chairside doctor, where the database goes away meanwhile: the part says so', async () => {
    const map = createMapStore();
    const gone = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    const cause = new Error('A stored text cannot be read');
    const corrupt = () => gone().mapErr((error) => ({ ...error, cause }));
    const opened = openedOn({
      ...map,
      reviews: { ...map.reviews, list: gone },
      events: { ...map.events, listDead: corrupt },
    });
    const { status, output } = await runCommand({ ...opened, close: async () => {} }, ['doctor']);
    expect(status).toBe(1);
    expect(output).toMatch(/error +Reviews +The database does not answer\./);
    const reason = 'The database cannot be read: A stored text cannot be read.';
    expect(output).toMatch(new RegExp(`error +Events +${reason}`));
    const { errors } = await runCommand(opened, ['events']);
    expect(errors).toBe(`chairside: ${reason}\n`);
  });

  it('chairside doctor, with a valid key of another mode: the database and the key are named', async () => {
    const store = createMapStore();
    const fake = createFakeProcessor();
    const ofMode = (mode: 'live' | 'test') =>
      createChairside({ store, processor: { ...fake, world: { processor: 'stripe', mode } } });
    expect((await ofMode('live').upkeep()).isOk()).toBe(true);
    const opened = { chairside: ofMode('test'), isReadOnly: false, close: async () => {} };
    const { status, output } = await runCommand(opened, ['doctor']);
    expect(status).toBe(1);
    expect(output.replaceAll(/\s+/g, ' ')).toContain(
      'error Key The database belongs to stripe live, installation chairside, and this process to stripe test, installation chairside.',
    );
  });

  it('a defect, without its stack', async () => {
    const thrown = async () => {
      throw new Error('a defect\n    at somewhere');
    };
    const ran = await runCommand(undefined, ['doctor'], { open: thrown });
    expect(ran).toEqual({ status: 2, output: '', errors: 'chairside: a defect\n' });
  });
});

it('a visit has the excess that the core would give back, without the tip of a dispute', async () => {
  const processor = createFakeProcessor();
  const chairside = createChairside({ store: createMapStore(), processor, tips: {} });
  const { putAppointment, putBusiness } = chairside.records;
  expect((await putBusiness(aBusiness())).isOk()).toBe(true);
  expect((await putAppointment(anAppointment({ amountDueMinor: 10_000n }))).isOk()).toBe(true);
  const ada = { subject: 'ada', barberId: 'barber-1' };
  const pay = async (amount: string, tip: string) => {
    const asked = { appointmentId: 'appointment-1', idempotencyKey: `open ${amount}` };
    const body = { amount, tip };
    const opened = (
      await chairside.createContactlessPayment(ada, { ...asked, body })
    )._unsafeUnwrap();
    const { externalPaymentReference } = processor
      .presentCard(opened.clientSecret, 'visa_credit')
      ._unsafeUnwrap();
    const taken = { contactlessPaymentId: opened.id, idempotencyKey: `take ${amount}` };
    const captured = { ...taken, body: { externalPaymentReference } };
    expect((await chairside.captureContactlessPayment(ada, captured)).isOk()).toBe(true);
    return externalPaymentReference.id;
  };
  const contested = await pay('60.00', '10.00');
  await pay('50.00', '0.00');
  expect(processor.dispute(contested, 6000n).isOk()).toBe(true);
  for (const event of processor.takeEvents()._unsafeUnwrap()) {
    expect((await chairside.receiveProcessorEvent(event)).isOk()).toBe(true);
  }
  expect((await putAppointment(anAppointment({ amountDueMinor: 4500n }))).isOk()).toBe(true);
  const manager = { subject: 'root', systemAdministrator: true };
  const charges = await chairside.listCharges(manager, { appointmentId: 'appointment-1' });
  expect(charges._unsafeUnwrap().excess).toBe('5.00');
  const shown = ['appointment', 'appointment-1', '--json'];
  const kept = { isReadOnly: false, close: async () => {} };
  const { output } = await runCommand({ chairside, ...kept }, shown);
  expect(output).toMatch(/"returnedMinor":\s*"5000"[^}]*"excessMinor":\s*"500"/);
  const { store } = chairside.ports;
  const forgotten = { ...store, appointments: { get: () => okAsync(undefined) } };
  const gone = { ...chairside, ports: { ...chairside.ports, store: forgotten } };
  const opened = { chairside: gone, ...kept };
  const paid = await runCommand(opened, ['appointment', 'appointment-1']);
  expect(paid.status).toBe(0);
  expect(paid.output).toContain('The host does not know it');
  expect(paid.output).not.toMatch(/Due in all|Left to pay|Too much/);
  const read = JSON.parse((await runCommand(opened, shown)).output);
  expect(read.balance).toMatchObject({ dueMinor: null, leftMinor: null, excessMinor: '0' });
});

it('a payment whose customer was erased shows no difference', async () => {
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const chairside = createChairside({ store: createMapStore(), processor, clock });
  expect((await chairside.records.putBusiness(aBusiness())).isOk()).toBe(true);
  const visit = anAppointment({ customerId: 'me' });
  expect((await chairside.records.putAppointment(visit)).isOk()).toBe(true);
  const ada = { subject: 'ada', barberId: 'barber-1' };
  const asked = { appointmentId: visit.id, idempotencyKey: 'one' };
  const { id, clientSecret } = (
    await chairside.createContactlessPayment(ada, asked)
  )._unsafeUnwrap();
  const { externalPaymentReference } = processor
    .presentCard(clientSecret, 'visa_credit')
    ._unsafeUnwrap();
  const capture = { contactlessPaymentId: id, idempotencyKey: 'two' };
  const body = { externalPaymentReference };
  expect((await chairside.captureContactlessPayment(ada, { ...capture, body })).isOk()).toBe(true);
  // Keys are kept for 72 hours.
  clock.advance(96 * hourMs);
  expect((await chairside.upkeep({ deliver: async () => {} })).isOk()).toBe(true);
  const erase = { customerId: 'me', appointmentIds: [visit.id] };
  expect((await chairside.eraseCustomer(erase)).isOk()).toBe(true);
  const opened = { chairside, isReadOnly: false, close: async () => {} };
  const { status, output } = await runCommand(opened, ['payment', id]);
  expect(output).not.toContain('differs');
  expect(status).toBe(0);
});

describe('at a terminal', () => {
  it.each(['n', '', 'no, wait'])('nothing is changed after %j', async (typed) => {
    const opened = openedOn(createMapStore());
    const ran = await runCommand(opened, ['upkeep'], { typed: `${typed}\n` });
    expect([ran.status, ran.output]).toEqual([2, '']);
    expect(ran.errors).toContain('Run upkeep? It finishes payments at the processor');
    expect(ran.errors).toContain('chairside: Nothing was changed.');
  });

  it.each([
    ['stdout', 'errors'],
    ['stderr', 'output'],
  ] as const)('a person is asked too while %s goes to a file', async (piped, asked) => {
    const opened = openedOn(createMapStore());
    const ran = await runCommand(opened, ['upkeep'], { typed: 'n\n', piped });
    expect([ran.status, ran[asked]]).toEqual([2, expect.stringContaining('Run upkeep?')]);
  });

  it.each(['y', 'yes'])('it is changed after %j', async (typed) => {
    const opened = openedOn(createMapStore());
    const ran = await runCommand(opened, ['upkeep'], { typed: `${typed}\n` });
    expect(ran.status).toBe(0);
    expect(ran.output).toContain('0 checked, 0 events delivered');
    expect(ran.output).toContain('the configuration has no `deliver`');
  });

  it('no text of a record or an argument writes to the terminal', async () => {
    const opened: Opened = { ...openedOn(createMapStore()), close: async () => {} };
    const { records } = opened.chairside;
    const hostile = 'A\u001b]52;c;eA==\u0007\u009b2J\u202e\nState  captured\u{e0001}';
    const harmless =
      'A\\u001b]52;c;eA==\\u0007\\u009b2J\\u202e\\u000aState  captured\\udb40\\udc01';
    const visit = anAppointment();
    const barber = { ...visit.barber, givenName: hostile };
    expect((await records.putBusiness(aBusiness())).isOk()).toBe(true);
    expect((await records.putAppointment({ ...visit, barber })).isOk()).toBe(true);
    const asked = { appointmentId: visit.id, idempotencyKey: 'one' };
    const ada = { subject: hostile, barberId: visit.barber.id };
    const created = await opened.chairside.createContactlessPayment(ada, asked);
    const seen = ['payment', created._unsafeUnwrap().id];
    const joined = (text: string) => text.replaceAll(/\s+/g, '');
    const forbidden = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
    const shown = await runCommand(opened, seen, { typed: '' });
    expect(joined(shown.output)).toContain(joined(harmless));
    const asJson = await runCommand(opened, [...seen, '--json'], { typed: '' });
    expect(JSON.stringify(JSON.parse(asJson.output))).toContain(JSON.stringify(hostile));
    const resolving = ['reviews', 'resolve', hostile, '--note', 'done'];
    const question = await runCommand(opened, resolving, { typed: 'n\n' });
    expect(question.errors).toContain(`Close the review ${harmless}? [y/N]`);
    const unknown = await runCommand(opened, ['payment', hostile], { typed: '' });
    expect(unknown.errors).toBe(`chairside: There is no payment ${harmless}.\n`);
    expect(shown.output + asJson.output + unknown.errors).not.toMatch(forbidden);
  });

  it('no text in a CSV writes to the terminal, and a file gets its bytes', async () => {
    const { chairside } = openedOn(createMapStore());
    const listPayouts = () => okAsync([{ ...failedPayout, failure: 'no\u001b[2J' }]);
    const open = { chairside: { ...chairside, listPayouts }, isReadOnly: false };
    const csvOf = async (more = {}) =>
      (await runCommand(open, ['payouts', '--business', 'marlow', '--csv'], more)).output;
    const csv = await csvOf();
    expect(csv).toContain('no\u001b[2J');
    expect(await csvOf({ typed: '' })).toBe(csv.replace('\u001b', '\\u001b'));
  });

  it('nobody is asked who only looks, or says --yes', async () => {
    for (const args of [['reviews'], ['upkeep', '--yes']]) {
      const opened = openedOn(createMapStore());
      const { status, errors } = await runCommand(opened, args, { typed: '' });
      expect({ status, errors }).toEqual({ status: 0, errors: '' });
    }
  });

  it('a part that takes longer than a second is named, and the line is removed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const map = createMapStore();
      let answer: () => void = () => undefined;
      const late = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const opened: Opened = { ...openedOn(map), close: () => late };
      const open = async () => {
        await late;
        const { ok } = await import('@chairside/core');
        return ok(opened);
      };
      const running = runCommand(undefined, ['reviews'], { open, typed: '' });
      await vi.advanceTimersByTimeAsync(1100);
      answer();
      const { errors } = await running;
      expect(errors).toBe('… opening\r\u001b[K');
    } finally {
      vi.useRealTimers();
    }
  });

  it('colours mark the same words, and a narrow terminal gets narrow lines', async () => {
    const shop = await openTroubledShop(await stores.sqlite());
    const plain = await runCommand(shop.opened, ['doctor']);
    const coloured = await runCommand(shop.opened, ['doctor'], { hasColours: true });
    expect(coloured.output).not.toBe(plain.output);
    expect(stripVTControlCharacters(coloured.output)).toBe(plain.output);
    for (const columns of [60, 80]) {
      const narrow = await runCommand(shop.opened, ['doctor'], { columns });
      const longest = Math.max(...narrow.output.split('\n').map((line) => [...line].length));
      expect(longest).toBeLessThanOrEqual(columns);
    }
  });
});

describe('a script', () => {
  it('gets one JSON document of each command, and no secret', async () => {
    const shop = await openTroubledShop(await stores.sqlite());
    const { store } = shop.chairside.ports;
    const { ids } = shop;
    const lines = [
      ['doctor'],
      ...Object.values(ids)
        .filter((id) => id !== ids.onlyAtProcessor)
        .map((id) => ['payment', id]),
      ['appointment', 'haircut'],
      ['reviews'],
      ['events'],
      ['statement', '--business', 'marlow', '--day', '2026-11-02', '--zone', 'Europe/Berlin'],
      ['payouts', '--business', 'marlow'],
      ['upkeep'],
    ];
    const secrets: string[] = [];
    for (const id of Object.values(ids)) {
      const found = (await store.payments.get(id))._unsafeUnwrap();
      if (found?.clientSecret) secrets.push(found.clientSecret);
    }
    expect(secrets.length).toBeGreaterThan(0);
    for (const line of lines) {
      const asJson = await runCommand(shop.opened, [...line, '--json']);
      const forPeople = await runCommand(shop.opened, line);
      expect(Object.keys(JSON.parse(asJson.output)).length).toBeGreaterThan(0);
      expect(asJson.errors + forPeople.errors).toBe('');
      for (const secret of secrets) {
        expect(asJson.output + forPeople.output).not.toContain(secret);
      }
      // A card's number, whole or with its middle alone.
      expect(asJson.output + forPeople.output).not.toMatch(/(?<![\w-])\d{13,19}(?!\w)/);
    }
  });

  it('is told what is known of a payout that failed', async () => {
    const store = createMapStore();
    const payout = aPayout({ state: 'failed', failure: 'account_closed' });
    const { account, reference, createdAt: openedAt } = payout;
    const about = { id: 'rev_1', version: 1, reason: 'payoutFailed' } as const;
    const review = { ...about, account, reference, openedAt };
    const changes = [
      { kind: 'putPayout', payout },
      { kind: 'insertReview', review },
    ] as const;
    expect((await store.commit({ id: 'payout', at: openedAt, changes })).isOk()).toBe(true);
    const { status, output } = await runCommand(openedOn(store), ['reviews']);
    expect(status).toBe(1);
    for (const said of [reference, '44.12 EUR, failed: account_closed', 'bank account']) {
      expect(output).toContain(said);
    }
  });

  it('is told who a closed day and its payouts need', async () => {
    const openShop = async () => {
      const opened = openedOn(createMapStore());
      const shop = { id: 'marlow', name: 'Marlow' };
      expect((await opened.chairside.records.putBusiness(shop)).isOk()).toBe(true);
      return opened;
    };
    for (const [payout, needed] of [
      [failedPayout, 1],
      [{ ...failedPayout, paidAgainBy: 'po_2' }, 0],
      [{ ...failedPayout, state: 'paid', unexplained: '0.01' }, 1],
    ] as const) {
      const { chairside, ...opened } = await openShop();
      const listPayouts = () => okAsync([payout]);
      const listing = { ...opened, chairside: { ...chairside, listPayouts } };
      const { status } = await runCommand(listing, ['payouts', '--business', 'marlow']);
      expect(status).toBe(needed);
    }
    const day = ['statement', '--business', 'marlow', '--day', '2026-11-02', '--zone', 'UTC'];
    for (const [reason, needed] of [
      ['payoutFailed', 1],
      ['otherDay', 0],
      ['notListedYet', 0],
    ] as const) {
      const difference = { reason, since: '', currency: 'eur', ours: '1.00', theirs: '0.00' };
      const { chairside, ...opened } = await openShop();
      const getStatement: typeof chairside.getStatement = (...asked) =>
        chairside.getStatement(...asked).map((found) => ({ ...found, differences: [difference] }));
      const differing = { ...opened, chairside: { ...chairside, getStatement } };
      expect((await runCommand(differing, [...day, '--json'])).status, reason).toBe(needed);
    }
  });

  it('is told of a day that begins later', async () => {
    const { chairside, ...opened } = openedOn(createMapStore());
    const shop = { id: 'marlow', name: 'Marlow' };
    expect((await chairside.records.putBusiness(shop)).isOk()).toBe(true);
    const day = ['--business', 'marlow', '--day', '2026-11-02', '--zone', 'UTC'];
    const asked = ['statement', ...day, '--day-starts-at', '04:00', '--json'];
    const { output } = await runCommand({ ...opened, chairside }, asked);
    expect(JSON.parse(output)).toMatchObject({ from: '2026-11-02T04:00:00.000Z' });
  });

  it('may skip an event that its handler never takes', async () => {
    const shop = await openTroubledShop(await stores.sqlite());
    const skip = ['events', 'skip', shop.ids.refunded, '--yes'];
    const { status, output } = await runCommand(shop.opened, skip);
    expect([status, output]).toEqual([0, expect.stringContaining('It is dropped.')]);
    expect((await runCommand(shop.opened, ['events'])).status).toBe(0);
    expect((await runCommand(shop.opened, skip)).status).toBe(2);
  });

  it('may replay events, and go on where the handler rejected one', async () => {
    const shop = await openTroubledShop(await stores.sqlite());
    const given: string[] = [];
    const taking = (refused?: string): Opened => ({
      ...shop.opened,
      deliver: async ({ id }) => {
        if (refused !== undefined && given.length > 0) throw new Error(refused);
        given.push(id);
      },
    });
    const replay = ['events', 'replay', '--since'];
    const line = [...replay, '2026-01-01T00:00:00Z', '--yes'];
    const stopped = await runCommand(taking('not now'), line);
    expect([stopped.status, stopped.errors]).toEqual([2, expect.stringContaining('not now.')]);
    const { status, output } = await runCommand(taking(), line);
    expect([status, output]).toEqual([0, expect.stringContaining('since 2026-01-01 00:00:00 UTC')]);
    expect(given[0]).toBe(given[1]);
    expect(new Set(given).size).toBe(given.length - 1);
    const all = given.length;
    const rest = await runCommand(taking(), [...line, '--after', 'tenders/']);
    expect(rest.status).toBe(0);
    expect(given.length).toBeLessThan(2 * all - 1);
    const asked = await runCommand(taking(), [...replay, '2026-01-01T00:00:00Z'], { typed: 'n\n' });
    expect(asked.errors).toContain('all events since 2026-01-01 00:00:00 UTC once more?');
    for (const time of [
      'now',
      '11.05.2026',
      '2026-11-24',
      '2026-11-24T08:00',
      '2026-11-31T08:00:00Z',
    ]) {
      const wrong = await runCommand(taking(), [...replay, time, '--yes']);
      expect([wrong.status, wrong.errors]).toEqual([2, expect.stringContaining('--since takes')]);
    }
  });

  it('may retry all events that an outage of its handler made dead', async () => {
    const store = createMapStore();
    const all = ['one', 'two', 'three'].map((subject) => anEvent({ subject }));
    const changes = all.flatMap((event): readonly Change[] => [
      { kind: 'appendEvent', event },
      { kind: 'postponeEvent', subject: event.subject, version: event.version },
    ]);
    (await store.commit({ id: 'dead', at: someTime, changes }))._unsafeUnwrap();
    const opened = { ...openedOn(store), close: async () => {} };
    const listed = await runCommand(opened, ['events']);
    expect(listed.output).toContain('→ chairside events retry --all\n');
    const { status, output } = await runCommand(opened, ['events', 'retry', '--all', '--json']);
    expect([status, output]).toEqual([0, '{\n  "retried": 3\n}\n']);
    expect((await store.events.listDead(9))._unsafeUnwrap()).toEqual([]);
    const both = await runCommand(opened, ['events', 'retry', '--all', 'one']);
    expect(both.errors).toContain('Too many arguments');
  });

  it('ends upkeep although the handler of an event hangs', async () => {
    const ended = new AbortController();
    const store = createMapStore();
    const changes = [{ kind: 'appendEvent', event: anEvent() }] as const;
    (await store.commit({ id: 'one', at: someTime, changes }))._unsafeUnwrap();
    const opened = openedOn(store);
    const deliver = () => {
      ended.abort();
      return new Promise<never>(() => {});
    };
    const args = ['upkeep', '--watch', '--json'];
    const ran = await runCommand({ ...opened, deliver }, args, { signal: ended.signal });
    expect([ran.status, ran.output]).toEqual([0, expect.stringContaining('"failed": 1')]);
  });

  it('may leave upkeep running, with a line for each run', async () => {
    const ended = new AbortController();
    const opened = openedOn(createMapStore());
    const { upkeep } = opened.chairside;
    let runs = 0;
    const counted: Opened = {
      ...opened,
      chairside: {
        ...opened.chairside,
        upkeep(input) {
          runs += 1;
          ended.abort();
          return upkeep(input);
        },
      },
    };
    const args = ['upkeep', '--watch', '--json'];
    const { status, output } = await runCommand(counted, args, { signal: ended.signal });
    expect([status, runs]).toEqual([0, 1]);
    expect(output).toContain('"looked": 0');
  });
});

describe('after the database was restored', () => {
  const failures = {
    down: { kind: 'unavailable', outcome: 'notApplied', answered: false },
    limited: { kind: 'rateLimited' },
    gone: { kind: 'notSetUp' },
  } as const;

  async function givenRestored() {
    const clock = createManualClock();
    const fake = createFakeProcessor({ clock });
    const store = createMapStore();
    let failure: keyof typeof failures | undefined;
    const processor: Processor = {
      ...fake,
      listPayments: (asked) =>
        failure === undefined ? fake.listPayments(asked) : errAsync(failures[failure]),
    };
    const shop = (restored: boolean) =>
      createChairside({ store, processor, clock, rateLimits: 'off', restored });
    const before = shop(false);
    (await before.records.putBusiness(aBusiness()))._unsafeUnwrap();
    (await before.records.putAppointment(anAppointment()))._unsafeUnwrap();
    const barber = { subject: 'ada', barberId: 'barber-1' };
    const visit = { appointmentId: 'appointment-1', idempotencyKey: 'one' };
    (await before.createContactlessPayment(barber, visit))._unsafeUnwrap();
    const run = async (chairside: Chairside, ...args: readonly string[]) => {
      const deliver = async () => {};
      const opened = { chairside, deliver, isReadOnly: false, close: async () => {} };
      const { status, output } = await runCommand(opened, args);
      return { status, output: output.replaceAll(/\s+/g, ' ') };
    };
    const fail = (how?: keyof typeof failures) => {
      failure = how;
    };
    return { clock, shop, run, fail };
  }

  it.each([
    ['down', 'Its payments were not all read since the database was restored'],
    ['limited', 'Its payments were not all read since the database was restored'],
    ['gone', 'The processor refuses to list its payments, so its shops stay closed.'],
  ] as const)(
    'upkeep and doctor say that shops are closed, with a processor that is %s',
    async (how, why) => {
      const { clock, shop, run, fail } = await givenRestored();
      const server = shop(true);
      fail(how);
      const ran = await run(server, 'upkeep', '--yes');
      expect(ran.status).toBe(1);
      expect(ran.output).toContain(`Restore acct_1: ${why}`);
      fail();
      const looked = await run(server, 'doctor');
      expect(looked.status).toBe(1);
      expect(looked.output).toContain(`error Restore acct_1 ${why}`);
      clock.advance(11 * minuteMs);
      expect((await run(server, 'upkeep', '--yes')).status).toBe(0);
      for (const chairside of [server, shop(false)]) {
        const { status, output } = await run(chairside, 'doctor');
        expect(status).toBe(0);
        expect(output).not.toContain('Restore');
      }
    },
  );

  it('a configuration without `restored` says what opens the shops', async () => {
    const { clock, shop, run } = await givenRestored();
    (await shop(true).reconcile())._unsafeUnwrap();
    clock.advance(hourMs);
    // The servers were started once more.
    (await shop(true).listReviews())._unsafeUnwrap();
    const { status, output } = await run(shop(false), 'upkeep', '--yes');
    expect(status).toBe(1);
    expect(output).toContain('→ Set `restored: true` in this configuration');
    expect((await run(shop(true), 'upkeep', '--yes')).status).toBe(0);
    expect((await run(shop(false), 'upkeep', '--yes')).status).toBe(0);
  });
});
