import { type Chairside, parseMoney } from '@chairside/core';
import { expect, it } from 'vitest';
import { payment, problem, reason } from '../src/answer.ts';
import { charge, givenMethod } from '../src/charges.ts';
import { create, fresh, givenCaptured, ledgerOf } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

interface Visit {
  readonly amountDue?: string;
  readonly customerId?: string;
  readonly occursOn?: string;
  readonly sameVisit?: boolean;
}

const first = '2026-11-02T10:00:00.000Z';
const later = '2026-11-09T10:00:00.000Z';

async function putVisit(
  { chairside }: { readonly chairside: Chairside },
  id: string,
  { amountDue = '60.00', occursOn = later, ...more }: Visit,
): Promise<void> {
  const put = await chairside.records.putAppointment({
    id,
    businessId: 'shop',
    amountDueMinor: parseMoney(amountDue)._unsafeUnwrap(),
    occursOn,
    timeZone: 'Europe/Berlin',
    barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    ...more,
  });
  expect(put.isOk()).toBe(true);
}

/** A visit of 45.00 that this customer has paid. */
async function givenPaid(world: World, customerId?: string): Promise<string> {
  const id = fresh('visit');
  await putVisit(world, id, {
    amountDue: '45.00',
    occursOn: first,
    ...(customerId !== undefined && { customerId }),
  });
  await givenCaptured(world, { appointmentId: id });
  return id;
}

describeEverywhere('an appointment whose id is used again', (makeWorld) => {
  it('is refused for another customer on another day, who would pay only the rest (D209)', async () => {
    const world = await makeWorld();
    const id = await givenPaid(world, 'mia');
    await putVisit(world, id, { customerId: 'customer' });
    const refused = problem(await create(world, id), 'conflict');
    expect(reason(refused)).toBe('appointmentReused');
    expect(refused.recovery).toEqual({ outcome: 'notApplied', retry: 'doNotRetry' });
    const method = await givenMethod(world);
    const charged = problem(await charge(world, id, method), 'conflict');
    expect(reason(charged)).toBe('appointmentReused');
    expect((await ledgerOf(world, id)).openPayments).toBe(0);
  });

  it.each<[string, string | undefined, Visit]>([
    ['of the same customer', 'mia', { customerId: 'mia' }],
    ['on the same day', 'mia', { customerId: 'noa', occursOn: '2026-11-02T22:59:00.000Z' }],
    ['whose customer is not known any more', 'mia', {}],
    ['whose first customer was not known', undefined, { customerId: 'noa' }],
    ['that the host calls the same', 'mia', { customerId: 'noa', sameVisit: true }],
  ])('is not refused for a visit %s (D209)', async (_, customerId, visit) => {
    const world = await makeWorld();
    const id = await givenPaid(world, customerId);
    await putVisit(world, id, visit);
    expect(payment(await create(world, id), 201).amount).toBe('15.00');
  });

  it('is another day by the time zone of the visit', async () => {
    const world = await makeWorld();
    const id = await givenPaid(world, 'mia');
    // 00:00 in Berlin.
    await putVisit(world, id, { customerId: 'noa', occursOn: '2026-11-02T23:00:00.000Z' });
    expect(reason(problem(await create(world, id), 'conflict'))).toBe('appointmentReused');
  });
});

describeEverywhere('a visit whose price is open', (makeWorld) => {
  it('has nothing due yet, and is paid only once something was', async () => {
    const world = await makeWorld();
    const id = fresh('visit');
    await putVisit(world, id, { amountDue: '0.00' });
    const open = problem(await create(world, id), 'appointmentAlreadyPaid');
    expect(reason(open)).toBe('nothingDue');
    await putVisit(world, id, { amountDue: '30.00' });
    await givenCaptured(world, { appointmentId: id });
    await putVisit(world, id, { amountDue: '0.00' });
    const paid = problem(await create(world, id), 'appointmentAlreadyPaid');
    expect(reason(paid)).toBeUndefined();
  });
});
