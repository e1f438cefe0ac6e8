import { describe, expect, it } from 'vitest';
import { putAppointment, putBarber, putBusiness } from '../src/operations/records.ts';
import type { AppointmentRecord } from '../src/schemas/records.ts';
import { testPorts } from './ports.ts';
import { now, problem } from './support.ts';

const appointment: AppointmentRecord = {
  id: 'appointment-1',
  businessId: 'business-1',
  amountDue: '45.37',
  occursOn: '2026-11-21T09:00:00.000Z',
  timeZone: 'Europe/Berlin',
  barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow' },
  location: { id: 'location-1', name: 'Old Town', shopName: 'Marlow & Sons' },
};
const { id, businessId, amountDue: _amountDue, ...reference } = appointment;

/** What was written, or the problem's type and where it is. */
async function put(over: object) {
  const { ports, commits } = testPorts();
  // cast: a host without types may send anything
  const record = { ...appointment, ...over } as AppointmentRecord;
  const result = await putAppointment(ports, record);
  if (result.isOk()) return commits.flatMap(({ changes }) => changes);
  expect(commits).toEqual([]);
  const { type, attributes, problems } = result.error;
  const { pointer } = attributes ?? problems?.[0]?.attributes ?? {};
  return [type, pointer];
}

describe('an appointment', () => {
  it('is kept with what it shows, and its amount in minor units', async () => {
    const shown = { id, ...reference };
    expect(await put({})).toEqual([
      {
        kind: 'putAppointment',
        appointment: { id, businessId, amountDueMinor: 4537n, reference: shown },
      },
    ]);
  });

  it('may owe nothing, be owed, have no time zone, and members that are undefined', async () => {
    const amounts = ['0.00', '-1.00', '9999999999999.99'];
    const over = { timeZone: undefined, barber: { ...appointment.barber, biography: undefined } };
    for (const amountDue of amounts) {
      const { timeZone: _none, ...shown } = reference;
      expect(await put({ ...over, amountDue })).toEqual([
        {
          kind: 'putAppointment',
          appointment: {
            id,
            businessId,
            amountDueMinor: BigInt(amountDue.replace('.', '')),
            reference: { id, ...shown },
          },
        },
      ]);
    }
    expect(await put({ timeZone: null })).toMatchObject([
      { appointment: { reference: { timeZone: null } } },
    ]);
  });

  it.each([
    [{ amountDue: '10000000000000.00' }, 'unprocessableEntity', '/amountDue'],
    [{ occursOn: '2026-02-31T09:00:00.000Z' }, 'badRequest', '/occursOn'],
    [{ timeZone: 'Mars/Olympus' }, 'unprocessableEntity', '/timeZone'],
  ])('is refused with %o: %s at %s', async (over, type, pointer) => {
    expect(await put(over)).toEqual([type, pointer]);
  });

  it.each([
    { amountDue: '45.3' },
    { amountDue: 45.37 },
    { id: '' },
    { businessId: 'x'.repeat(256) },
    { occursOn: 'today' },
    { barber: undefined },
    { location: { id: 'location-1' } },
  ])('is malformed with %o', async (over) => {
    expect((await put(over))[0]).toBe('badRequest');
  });

  it('says by JSON Pointer where it is malformed', async () => {
    expect(await put({ amountDue: '45.3' })).toEqual(['badRequest', '/amountDue']);
    expect(await put({ barber: { id: '' } })).toEqual(['badRequest', '/barber/id']);
  });

  it('has no text that some store cannot keep', async () => {
    const location = { ...appointment.location, name: '\0' };
    expect((await put({ location }))[0]).toBe('badRequest');
  });
});

describe('a barber', () => {
  it('is kept, without what is not known of', async () => {
    const { ports, commits } = testPorts();
    const barber = { id: 'barber-1', businessId: 'business-1' };
    const given = { ...barber, nickname: 'Ad' };
    expect((await putBarber(ports, given)).isOk()).toBe(true);
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
  ])('is kept: %o', async (business) => {
    const { ports, commits } = testPorts();
    expect((await putBusiness(ports, business)).isOk()).toBe(true);
    expect(commits[0]?.changes).toEqual([{ kind: 'putBusiness', business }]);
  });

  it.each(['jpy', 'kwd', 'EUR', 'euro'])('has no account in %s', async (currency) => {
    const { ports, commits } = testPorts();
    const business = { ...named, processorAccount: { id: 'acct_1', currency } };
    expect(problem(await putBusiness(ports, business))).toMatchObject({
      type: 'unprocessableEntity',
      attributes: { pointer: '/processorAccount/currency' },
    });
    expect(commits).toEqual([]);
  });
});
