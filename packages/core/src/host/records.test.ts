import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { now, problem } from '../../test/support.ts';
import { bind } from '../frame/operation.ts';
import type { Appointment } from './host.ts';
import { records } from './records.ts';

const appointment: Appointment = {
  id: 'appointment-1',
  businessId: 'business-1',
  amountDueMinor: 4537n,
  occursOn: '2026-11-21T09:00:00.000Z',
  timeZone: 'Europe/Berlin',
  barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow' },
  location: { id: 'location-1', name: 'Old Town', shopName: 'Marlow & Sons' },
};

/** The written record, or the problem's type and places. */
async function put(over: object) {
  const { ports, commits } = testPorts();
  // cast: hosts without types may pass it
  const record = { ...appointment, ...over } as Appointment;
  const result = await bind(ports, records).records.putAppointment(record);
  if (result.isOk()) return commits.flatMap(({ changes }) => changes);
  expect(commits).toEqual([]);
  const { type, attributes, problems } = result.error;
  const { pointer } = attributes ?? problems?.[0]?.attributes ?? {};
  return [type, pointer];
}

describe('an appointment', () => {
  it('is kept unchanged (D35)', async () => {
    expect(await put({})).toEqual([{ kind: 'putAppointment', appointment }]);
  });

  it('may have no amount due, a negative one, no time zone, and undefined members', async () => {
    const amounts = [0n, -100n, 999_999_999_999_999n];
    const over = { timeZone: undefined, barber: { ...appointment.barber, biography: undefined } };
    for (const amountDueMinor of amounts) {
      const { timeZone: _none, ...kept } = appointment;
      expect(await put({ ...over, amountDueMinor })).toEqual([
        { kind: 'putAppointment', appointment: { ...kept, amountDueMinor } },
      ]);
    }
    expect(await put({ timeZone: null })).toMatchObject([{ appointment: { timeZone: null } }]);
  });

  it.each([
    [{ amountDueMinor: 10n ** 15n }, 'unprocessableEntity', '/amountDueMinor'],
    [{ noShowFeeMinor: 10n ** 15n }, 'unprocessableEntity', '/noShowFeeMinor'],
    [{ occursOn: '2026-02-31T09:00:00.000Z' }, 'badRequest', '/occursOn'],
    [{ timeZone: 'Mars/Olympus' }, 'unprocessableEntity', '/timeZone'],
  ])('is rejected with %o: %s at %s', async (over, type, pointer) => {
    expect(await put(over)).toEqual([type, pointer]);
  });

  it.each([
    { amountDueMinor: '45.37' },
    { amountDueMinor: 4537 },
    { id: '' },
    { businessId: 'x'.repeat(256) },
    { occursOn: 'today' },
    { barber: undefined },
    { location: { id: 'location-1' } },
  ])('is malformed with %o', async (over) => {
    expect((await put(over))[0]).toBe('badRequest');
  });

  it('names its malformed place by JSON Pointer', async () => {
    expect(await put({ amountDueMinor: 45.37 })).toEqual(['badRequest', '/amountDueMinor']);
    expect(await put({ barber: { id: '' } })).toEqual(['badRequest', '/barber/id']);
  });

  it('rejects text that some store cannot keep', async () => {
    const location = { ...appointment.location, name: '\0' };
    expect((await put({ location }))[0]).toBe('badRequest');
  });
});

describe('a barber', () => {
  it('is kept without unknown members', async () => {
    const { ports, commits } = testPorts();
    const barber = { id: 'barber-1', businessId: 'business-1' };
    const given = { ...barber, nickname: 'Ad' };
    expect((await bind(ports, records).records.putBarber(given)).isOk()).toBe(true);
    expect(commits).toEqual([
      { id: expect.any(String), at: now, changes: [{ kind: 'putBarber', barber }] },
    ]);
  });
});

describe('a business', () => {
  const named = { id: 'business-1', name: 'Marlow & Sons' };

  it.each([
    named,
    { ...named, processorAccount: { id: 'acct_1', currency: 'eur' } },
    { ...named, processorAccount: { id: 'acct_1', currency: 'usd', terminalLocation: 'tml_1' } },
    { ...named, applicationFee: { basisPoints: 290 } },
    { ...named, applicationFee: { fixedMinor: 10n ** 15n - 1n, currency: 'eur' } },
  ])('is kept: %o', async (business) => {
    const { ports, commits } = testPorts();
    expect((await bind(ports, records).records.putBusiness(business)).isOk()).toBe(true);
    expect(commits[0]?.changes[0]).toEqual({ kind: 'putBusiness', business });
  });

  it.each([{ fixedMinor: 30n }, { fixedMinor: 10n ** 15n, currency: 'eur' }])(
    'without an account cannot take the fee %o (D46)',
    async (applicationFee) => {
      const { ports } = testPorts();
      const put = bind(ports, records).records.putBusiness({ ...named, applicationFee });
      expect(problem(await put)).toMatchObject({
        type: 'unprocessableEntity',
        attributes: { pointer: '/applicationFee' },
      });
    },
  );

  it.each(['jpy', 'kwd', 'EUR', 'euro'])('has no account in %s (D18)', async (currency) => {
    const { ports, commits } = testPorts();
    const business = { ...named, processorAccount: { id: 'acct_1', currency } };
    expect(problem(await bind(ports, records).records.putBusiness(business))).toMatchObject({
      type: 'unprocessableEntity',
      attributes: { pointer: '/processorAccount/currency' },
    });
    expect(commits).toEqual([]);
  });
});
