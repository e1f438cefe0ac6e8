import type { StatementView } from '@chairside/core';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { type Answer, payment } from '../../src/answer.ts';
import { dayAt, dayMs, pass, statement, timeZone } from '../../src/day.ts';
import { host } from '../../src/elsewhere.ts';
import { capture, create, fresh, givenAppointment, present } from '../../src/shop.ts';
import { giveBack, pay } from '../../src/tenders.ts';
import { describeEverywhere, type World } from '../../src/world.ts';

// A shop takes cash beside cards in the days around a change of its clocks. The test keeps books of its own, of
// nothing but the answers, and compares each statement with them.

const kinds = ['cash', 'voucher', 'bankTransfer', 'other'] as const;
const acts = ['pay', 'pay', 'pay', 'giveBack', 'void', 'card', 'refund'] as const;
const step = fc.record({
  act: fc.constantFrom(...acts),
  cents: fc.integer({ min: 1, max: 3000 }),
  kind: fc.constantFrom(...kinds),
  visit: fc.nat({ max: 5 }),
  minutes: fc.integer({ min: 0, max: 200 }),
});
const history = fc.record({
  start: fc.constantFrom(Date.UTC(2027, 2, 27, 12), Date.UTC(2027, 9, 30, 12)),
  steps: fc.array(step, { minLength: 20, maxLength: 40 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** In cents. */
interface Booked {
  readonly day: string;
  readonly barberId: 'ada' | 'ben';
  readonly kind: (typeof kinds)[number] | 'card';
  readonly taken: number;
  readonly returned: number;
}

interface Taken extends Pick<Booked, 'kind'> {
  readonly id: string;
  readonly cents: number;
}
const none: Taken = { id: '', kind: 'cash', cents: 0 };

async function live(world: World, { start, steps }: History): Promise<readonly Booked[]> {
  const { clock, send } = world;
  clock.advance(start - clock.now());
  const booked: Booked[] = [];
  const visits = await Promise.all(
    ['ada', 'ben', 'ada', 'ben', 'ada', 'ben'].map(async (barber) => ({
      as: barber === 'ada' ? ('ada' as const) : ('ben' as const),
      id: await givenAppointment(world, { barber }),
      tenders: [none],
      card: '',
    })),
  );
  for (const { act, cents, kind, visit: nth, minutes } of steps) {
    clock.advance(minutes * 60_000);
    const visit = visits[nth];
    if (visit === undefined) continue;
    const { id, as } = visit;
    const amount = money(cents);
    const last = visit.tenders.at(-1) ?? none;
    const book = (answer: Answer, of: Booked['kind'], taken: number, returned = 0) => {
      expect([200, 201, 409], answer.text).toContain(answer.status);
      if (answer.status === 409) return undefined;
      booked.push({ day: dayAt(clock.now()), barberId: as, kind: of, taken, returned });
      return JSON.parse(answer.text).id;
    };
    if (act === 'pay') {
      const made = book(await pay(world, id, amount, { kind, as }), kind, cents);
      if (made !== undefined) visit.tenders.push({ id: made, kind, cents });
    } else if (act === 'card') {
      const opened = await create(world, id, { as });
      if (opened.status === 409) continue;
      const { id: card, amount: whole } = payment(opened, 201);
      const reference = await present(world, payment(opened, 201));
      visit.card = book(await capture(world, card, reference, { as }), 'card', minor(whole));
    } else if (act === 'refund' && visit.card !== '') {
      const asked = { id: visit.card, key: fresh('refund'), body: { amount } };
      book(await send('refundPayment', 'owner', asked), 'card', 0, cents);
    } else if (act === 'giveBack' && last.id !== '') {
      book(await giveBack(world, last.id, amount, { as }), last.kind, 0, cents);
    } else if (act === 'void' && last.id !== '') {
      const answer = await send('voidTender', as, { id: last.id });
      if (book(answer, last.kind, -last.cents) !== undefined) visit.tenders.pop();
    }
  }
  await pass(world, 2 * dayMs);
  return booked;
}

/** The figures of a row of a statement, by the books of the test. */
function expected(booked: readonly Booked[]) {
  const sum = (all: readonly Booked[], of: 'taken' | 'returned') =>
    all.reduce((total, one) => total + one[of], 0);
  const cards = booked.filter(({ kind }) => kind === 'card');
  const others = booked.filter(({ kind }) => kind !== 'card');
  const tendered = sum(others, 'taken') - sum(others, 'returned');
  return {
    captured: money(sum(cards, 'taken')),
    refunded: money(sum(cards, 'returned')),
    ...(others.length > 0 && {
      tenders: kinds.flatMap((kind) => {
        const own = others.filter((one) => one.kind === kind);
        const taken = money(sum(own, 'taken'));
        return own.length === 0 ? [] : [{ kind, taken, returned: money(sum(own, 'returned')) }];
      }),
      tendered: money(tendered),
      takings: money(tendered + sum(cards, 'taken') - sum(cards, 'returned')),
    }),
  };
}

function compare(found: StatementView, booked: readonly Booked[]): void {
  const { shop, barbers, differences, lines, tenders = [] } = found;
  const rowOf = (row: StatementView['shop'][number]) => {
    const { captured, refunded, tenders: byKind, tendered, takings } = row;
    const cash = byKind !== undefined && { tenders: byKind, tendered, takings };
    return { captured, refunded, ...cash };
  };
  expect(shop.map(rowOf)).toEqual(booked.length === 0 ? [] : [expected(booked)]);
  for (const barberId of ['ada', 'ben'] as const) {
    const own = booked.filter((one) => one.barberId === barberId);
    const rows = barbers.filter((one) => one.barberId === barberId).map(rowOf);
    expect(rows).toEqual(own.length === 0 ? [] : [expected(own)]);
  }
  // The processor's side has the cards alone.
  const cards = booked.filter(({ kind }) => kind === 'card');
  expect([lines.length, tenders.length]).toEqual([cards.length, booked.length - cards.length]);
  expect(differences).toEqual([]);
  for (const row of shop) {
    const net = minor(row.captured) - minor(row.refunded) - minor(row.processorFees);
    expect(minor(row.settled)).toBe(net);
  }
}

const money = (cents: number) => (cents / 100).toFixed(2);
const minor = (amount = '0.00') => Math.round(Number(amount) * 100);

describeEverywhere('cash beside the card', ({ it, makeWorld, isFirst }) => {
  it('is in the books of its day, its barber and its kind, apart from the cards (D202)', async () => {
    const kept = async (plan: History) => {
      const world = await makeWorld();
      const booked = await live(world, plan);
      const days = Array.from({ length: 9 }, (_, nth) => dayAt(plan.start + nth * dayMs));
      for (const day of days) {
        const found = await statement(world, day);
        compare(
          found,
          booked.filter((one) => one.day === day),
        );
      }
      const [day = ''] = days;
      const span = { businessId: 'shop', day, lastDay: days.at(-1), timeZone };
      const all = await world.chairside.getStatement(host, span);
      compare(all._unsafeUnwrap(), booked);
    };
    const numRuns = isFirst ? 250 : 10;
    await fc.assert(fc.asyncProperty(history, kept), { numRuns });
  });
});
