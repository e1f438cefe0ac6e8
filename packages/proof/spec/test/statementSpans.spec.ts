import { hourMs, type InputOf, minuteMs, type StatementView } from '@chairside/core';
import { expect, it } from 'vitest';
import { dayAt, dayMs, pass, refund, timeZone } from '../src/day.ts';
import { host } from '../src/elsewhere.ts';
import { givenAppointment, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** Several days of a statement, late shifts, and what a line names. */
describeEverywhere('the days of a statement', (makeWorld, { store, transport }) => {
  const once = it.skipIf(store !== 'map' || transport !== 'in process');

  type Asked = Omit<InputOf<'getStatement'>, 'businessId' | 'timeZone'>;
  const ask = ({ chairside }: World, input: Asked) =>
    chairside.getStatement(host, { businessId: 'shop', timeZone, ...input });
  const get = async (world: World, input: Asked): Promise<StatementView> =>
    (await ask(world, input))._unsafeUnwrap();

  it('add up to one statement, with the day of each line (D50)', async () => {
    const world = await makeWorld();
    const days: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { payment } = await givenCaptured(world);
      days.push(dayAt(world.clock.now()));
      world.clock.advance(dayMs);
      await refund(world, payment.id, '5.00');
    }
    await pass(world, 6 * dayMs);
    const [day = '', , lastDay = ''] = days;
    const whole = await get(world, { day, lastDay });
    expect(whole).toMatchObject({
      day,
      lastDay,
      state: 'closed',
      differences: [],
      shop: [{ payments: 3, captured: '135.00', refunded: '10.00' }],
      barbers: [{ barberId: 'ada', captured: '135.00' }],
    });
    const parts = await Promise.all(days.map((one) => get(world, { day: one })));
    expect(parts.flatMap(({ lines }) => lines)).toEqual(whole.lines);
    expect(parts.map(({ from }) => from)).toContain(whole.from);
    expect(parts.at(-1)?.until).toBe(whole.until);
    const settled = parts.flatMap(({ shop }) => shop.map((sums) => Number(sums.settled)));
    expect(Number(whole.shop[0]?.settled)).toBeCloseTo(settled.reduce((sum, one) => sum + one, 0));
    // The figure of each payout is of all days.
    const paid = new Map<string, number>();
    for (const { id, ofThisDay } of parts.flatMap(({ payouts }) => payouts)) {
      paid.set(id, (paid.get(id) ?? 0) + Number(ofThisDay));
    }
    for (const { id, ofThisDay } of whole.payouts) {
      expect(Number(ofThisDay)).toBeCloseTo(paid.get(id) ?? 0);
    }
    const open = await get(world, { day, lastDay: dayAt(world.clock.now()) });
    expect(open.state).toBe('open');
  });

  it('begin at four for a late shift: 01:30 is of the evening before (D50)', async () => {
    const world = await makeWorld();
    const { clock } = world;
    // 01:30 at the shop.
    clock.advance(Date.UTC(2026, 10, 7, 0, 30) - clock.now());
    const { payment } = await givenCaptured(world);
    await pass(world, 3 * dayMs);
    const late = { day: '2026-11-06', dayStartsAt: '04:00' };
    const friday = await get(world, late);
    expect(friday).toMatchObject({
      state: 'closed',
      from: '2026-11-06T03:00:00.000Z',
      until: '2026-11-07T03:00:00.000Z',
      lines: [{ day: '2026-11-06', contactlessPaymentId: payment.id }],
    });
    expect((await get(world, { ...late, day: '2026-11-07' })).lines).toEqual([]);
    expect((await get(world, { day: '2026-11-06' })).lines).toEqual([]);
    // On the day of the change, the day begins where the day before ended.
    const changed = { day: '2026-11-07', dayStartsAt: '04:00', dayStartedAt: '00:00' };
    const first = await get(world, changed);
    expect(first.lines).toHaveLength(1);
    expect(Date.parse(first.until) - Date.parse(first.from)).toBe(28 * hourMs);
  });

  it('name the appointment, the place and the card of each line', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const { payment } = await givenCaptured(world, { appointmentId });
    world.clock.advance(2 * dayMs);
    await refund(world, payment.id, '5.00');
    const lastDay = dayAt(world.clock.now());
    const named = {
      appointmentId,
      barberId: 'ada',
      barber: 'Ada Marlow',
      locationId: 'old-town',
      location: 'Old Town',
      cardLastFour: payment.card?.maskedPersonalAccountNumber.slice(1),
    };
    expect((await get(world, { day: lastDay })).lines).toMatchObject([
      { kind: 'refund', ...named },
    ]);
    const day = dayAt(world.clock.now() - 2 * dayMs);
    expect((await get(world, { day })).lines).toMatchObject([{ kind: 'payment', ...named }]);
  });

  it('are searched for a card and an amount in one call', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const small = await givenAppointment(world, { amountDue: '20.00' });
    await givenCaptured(world, { appointmentId: small });
    world.clock.advance(20 * dayMs);
    const lastDay = dayAt(world.clock.now());
    const day = dayAt(world.clock.now() - 30 * dayMs);
    const cardLastFour = payment.card?.maskedPersonalAccountNumber.slice(1) ?? '';
    const find = async (over: object) =>
      (
        await world.chairside.findStatementLines(host, {
          ...{ businessId: 'shop', day, lastDay, timeZone, cardLastFour },
          ...over,
        })
      ).match(
        (lines) => lines.map(({ contactlessPaymentId }) => contactlessPaymentId),
        ({ type }) => type,
      );
    expect(await find({ amount: '45.00' })).toEqual([payment.id]);
    expect(await find({})).toHaveLength(2);
    expect(await find({ cardLastFour: '0001' })).toEqual([]);
    for (const over of [{ cardLastFour: '242' }, { amount: '4.5e1' }, { amount: '=1' }]) {
      expect(await find(over)).toBe('badRequest');
    }
    // 32 days: the look-up reads no more than a statement does.
    expect(await find({ day: dayAt(world.clock.now() - 31 * dayMs) })).toBe('badRequest');
  });

  once('are at most 31, and an unknown option is told', async () => {
    const world = await makeWorld();
    const refused = async (input: Asked & { readonly startsAt?: string }) =>
      (await ask(world, input))._unsafeUnwrapErr();
    const attributes = (pointer: string) => ({ type: 'badRequest', attributes: { pointer } });
    const nested = (pointer: string) => ({ problems: [attributes(pointer)] });
    expect((await ask(world, { day: '2026-11-01', lastDay: '2026-12-01' })).isOk()).toBe(true);
    expect(await refused({ day: '2026-11-01', lastDay: '2026-12-02' })).toMatchObject(
      attributes('/lastDay'),
    );
    expect(await refused({ day: '2026-11-02', lastDay: '2026-11-01' })).toMatchObject(
      attributes('/lastDay'),
    );
    expect(await refused({ day: '2026-11-02', startsAt: '04:00' })).toMatchObject(
      nested('/startsAt'),
    );
    expect(await refused({ day: '2026-11-02', dayStartsAt: '4:00' })).toMatchObject(
      nested('/dayStartsAt'),
    );
  });

  once('of one zone and start have each payment once', async () => {
    const world = await makeWorld();
    const begun = world.clock.now();
    for (let count = 0; count < 60; count += 1) {
      await givenCaptured(world);
      world.clock.advance(70 * minuteMs);
    }
    const [day, lastDay] = [dayAt(begun - dayMs), dayAt(begun + 5 * dayMs)];
    for (const dayStartsAt of ['00:00', '04:00', '12:00']) {
      const { lines } = await get(world, { day, lastDay, dayStartsAt });
      expect(new Set(lines.map(({ id }) => id)).size).toBe(60);
      expect(lines).toHaveLength(60);
    }
  });
});
