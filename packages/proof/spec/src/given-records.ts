import { hourMs } from '@chairside/core';
import type { RecordKind } from './access.ts';
import { refund, setup, terminal } from './answer.ts';
import { givenAccount, givenOtherShop, givenPayoutPreferences, givenSchedule } from './business.ts';
import { charge, chargeBody, givenMethod } from './charges.ts';
import type { Request } from './operations.ts';
import {
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  register,
} from './shop.ts';
import { givenTender } from './tenders.ts';
import type { World } from './world.ts';

// The records of a request, of each kind, and the request.

/** A world whose host can remove records that Chairside's own store never removes. */
export interface Shop extends World {
  readonly removed: Set<string>;
  readonly refunded: Map<RecordKind, { id: string; id2: string }>;
}

export type Given = (shop: Shop, kind: RecordKind) => Promise<Request>;

export const anAppointment: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent'), key: fresh('key') };
  const barber = kind === 'foreign' ? 'ben' : 'ada';
  const id = await givenAppointment(shop, { barber });
  if (kind === 'deleted') shop.removed.add(id);
  return { id, key: fresh('key') };
};

export const aPayment: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const as = kind === 'foreign' ? 'ben' : 'ada';
  const appointmentId = await givenAppointment(shop, { barber: as });
  const { id } = await givenPayment(shop, { appointmentId, as });
  if (kind === 'deleted') shop.removed.add(appointmentId);
  return { id };
};

export const aPresentedPayment: Given = async (shop, kind) => {
  const as = kind === 'foreign' ? 'ben' : 'ada';
  const appointmentId = await givenAppointment(shop, { barber: as });
  const { payment, reference } = await givenPresented(shop, { appointmentId, as });
  if (kind === 'deleted') shop.removed.add(appointmentId);
  return {
    id: kind === 'absent' ? fresh('absent') : payment.id,
    key: fresh('key'),
    body: { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } },
  };
};

/** A captured payment of the owner's shop, or of another one, with a refund. All callers share it. */
async function aRefunded(shop: Shop, kind: RecordKind): Promise<{ id: string; id2: string }> {
  const made = shop.refunded.get(kind);
  if (made !== undefined) return made;
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const appointmentId = await givenAppointment(shop, { business });
  const { payment } = await givenCaptured(shop, { appointmentId });
  const asked = { id: payment.id, key: fresh('key'), body: { amount: '1.00' } };
  const refunded = refund(await shop.send('refundPayment', 'administrator', asked), 201);
  if (kind === 'deleted') shop.removed.add(appointmentId);
  const ids = { id: payment.id, id2: refunded.id };
  shop.refunded.set(kind, ids);
  return ids;
}

export const aPaymentToRefund: Given = async (shop, kind) => ({
  id: kind === 'absent' ? fresh('absent') : (await aRefunded(shop, kind)).id,
  key: fresh('key'),
  body: { amount: '1.00' },
});

/** A captured payment, and a share for another visit, because a removed one gets no part. */
export const aPaymentToShare: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent'), key: fresh('key'), body: shareBody('none') };
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const paidAt = await givenAppointment(shop, { business });
  const { payment } = await givenCaptured(shop, { appointmentId: paidAt });
  const visit = await givenAppointment(shop, { business });
  if (kind === 'deleted') shop.removed.add(paidAt);
  return { id: payment.id, key: fresh('key'), body: shareBody(visit) };
};

function shareBody(appointmentId: string) {
  return { shares: [{ appointmentId, amount: '45.00' }] };
}

export const aPaymentWithRefunds: Given = async (shop, kind) => ({
  id: kind === 'absent' ? fresh('absent') : (await aRefunded(shop, kind)).id,
});

export const aRefund: Given = async (shop, kind) =>
  kind === 'absent'
    ? { id: (await aRefunded(shop, 'own')).id, id2: fresh('absent') }
    : aRefunded(shop, kind);

/** An appointment of the owner's shop, or of another one, with a method of its customer. */
async function aBooked(shop: Shop, kind: RecordKind): Promise<{ id: string; method: string }> {
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const method = await givenMethod(shop);
  const id = await givenAppointment(shop, { business, terms: { customerId: 'customer' } });
  return { id, method };
}

export const anAppointmentToCharge: Given = async (shop, kind) => {
  if (kind === 'absent')
    return { id: fresh('absent'), key: fresh('key'), body: chargeBody('none') };
  const { id, method } = await aBooked(shop, kind);
  if (kind === 'deleted') shop.removed.add(id);
  return {
    id,
    key: fresh('key'),
    body: chargeBody(method),
  };
};

export const aCharge: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const booked = await aBooked(shop, kind);
  const charged = await charge(shop, booked.id, booked.method, { as: 'administrator' });
  if (kind === 'deleted') shop.removed.add(booked.id);
  return { id: JSON.parse(charged.text).id };
};

/** A visit to Ada at the owner's shop, or to Ben at another one, with a body for a tender. */
export const aVisit: Given = async (shop, kind) => {
  const body = { kind: 'cash', amount: '20.00' };
  if (kind === 'absent') return { id: fresh('absent'), key: fresh('key'), body };
  const barber = kind === 'foreign' ? 'ben' : 'ada';
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const id = await givenAppointment(shop, { barber, business });
  if (kind === 'deleted') shop.removed.add(id);
  return { id, key: fresh('key'), body };
};

export const anAppointmentWithTenders: Given = async (shop, kind) => {
  const { id = '' } = await aVisit(shop, kind);
  return { id };
};

/** Recorded at such a visit. */
export const aTender: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const visit = await aVisit(shop, kind === 'deleted' ? 'own' : kind);
  const { id } = await givenTender(shop, visit.id ?? '', '20.00', { as: 'administrator' });
  if (kind === 'deleted') shop.removed.add(visit.id ?? '');
  return { id };
};

export const aTenderToReturn: Given = async (shop, kind) => ({
  ...(await aTender(shop, kind)),
  key: fresh('key'),
});

/** Its bank wants the customer to authenticate, so that it was canceled. */
export const aRefusedCharge: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const as = kind === 'foreign' ? 'ben' : 'ada';
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const method = await givenMethod(shop, { card: 'needs_customer' });
  const terms = { customerId: 'customer' };
  const appointmentId = await givenAppointment(shop, { barber: as, business, terms });
  await charge(shop, appointmentId, method, { as: 'administrator' });
  const listed = await shop.send('listCharges', 'administrator', { id: appointmentId });
  if (kind === 'deleted') shop.removed.add(appointmentId);
  return { id: JSON.parse(listed.text).items[0].id };
};

export const aTerminal: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const as = kind === 'foreign' ? 'ben' : 'ada';
  const { id } = terminal(await register(shop, { as }), 201);
  if (kind === 'deleted') await shop.send('deleteTerminal', as, { id });
  return { id };
};

export const anAccount: Given = async (shop, kind) => {
  const id = kind === 'foreign' ? 'newShop' : 'shop';
  if (kind === 'absent') return { id, id2: fresh('absent') };
  const id2 = await givenAccount(shop, { businessId: id });
  if (kind === 'deleted') await shop.send('removeFinancialAccount', 'owner', { id, id2 });
  return { id, id2 };
};

export const aSchedule: Given = async (shop, kind) => {
  const id = kind === 'foreign' ? 'ben' : 'ada';
  if (kind === 'absent') return { id, id2: fresh('absent') };
  const id2 = await givenSchedule(shop, id);
  if (kind === 'deleted') await shop.send('deleteBarberSchedule', 'ada', { id, id2 });
  return { id, id2 };
};

export const payoutPreferences: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const id = kind === 'foreign' ? 'newShop' : 'shop';
  await givenPayoutPreferences(shop, id);
  if (kind === 'deleted') shop.removed.add(id);
  else shop.removed.delete(id);
  return { id };
};

/** Of Ada at the owner's shop, or of Ben at another one. */
export const managed =
  (give: typeof givenPayment | typeof givenCapturedPayment): Given =>
  async (shop, kind) => {
    if (kind === 'absent') return { id: fresh('absent') };
    const as = kind === 'foreign' ? 'ben' : 'ada';
    const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
    const appointmentId = await givenAppointment(shop, { barber: as, business });
    const { id } = await give(shop, { appointmentId, as });
    if (kind === 'deleted') shop.removed.add(appointmentId);
    return { id };
  };

export async function givenCapturedPayment(...given: Parameters<typeof givenCaptured>) {
  return (await givenCaptured(...given)).payment;
}

export const anAppointmentOfShop: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const id = await givenAppointment(shop, { business });
  if (kind === 'deleted') shop.removed.add(id);
  return { id };
};

/** 45.00 were paid, and 40.00 are due. */
export const anOverpaidAppointment: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const id = await givenAppointment(shop, { business });
  await givenCaptured(shop, { appointmentId: id });
  await givenAppointment(shop, { id, business, amountDue: '40.00' });
  if (kind === 'deleted') shop.removed.add(id);
  return { id };
};

export const aBusiness: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const id = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  if (kind === 'deleted') shop.removed.add(id);
  else shop.removed.delete(id);
  return { id };
};

/** A phone that is registered for the owner's shop, or for Cleo's. */
export const aDevice: Given = async (shop, kind) => {
  const deviceIdentifier = fresh('phone');
  if (kind === 'absent') return { id: deviceIdentifier };
  const as = kind === 'foreign' ? 'cleo' : 'ada';
  const { id } = terminal(await register(shop, { as, deviceIdentifier }), 201);
  if (kind === 'deleted') await shop.send('deleteTerminal', as, { id });
  return { id: deviceIdentifier };
};

export const aSetup: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const as = kind === 'foreign' ? 'otherCustomer' : 'customer';
  const body = { savePaymentMethod: true };
  const { paymentMethodSetupId } = setup(await shop.send('preparePaymentMethod', as, { body }));
  if (kind === 'deleted') {
    shop.clock.advance(2 * hourMs);
    (await shop.chairside.reconcile())._unsafeUnwrap();
    (await shop.chairside.eraseCustomer({ customerId: 'customer' }))._unsafeUnwrap();
  }
  return { id: paymentMethodSetupId };
};
