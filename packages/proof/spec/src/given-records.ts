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

const barberOf = (kind: RecordKind) => (kind === 'foreign' ? 'ben' : 'ada');
const businessOf = async (shop: Shop, kind: RecordKind) =>
  kind === 'foreign' ? givenOtherShop(shop) : 'shop';

type Visit = NonNullable<Parameters<typeof givenAppointment>[1]>;

/** Puts an appointment, which the host removes once the rest is there, if it is to be deleted. */
async function visited<T>(
  shop: Shop,
  kind: RecordKind,
  visit: Visit,
  rest: (appointmentId: string) => Promise<T>,
): Promise<T> {
  const id = await givenAppointment(shop, visit);
  const made = await rest(id);
  if (kind === 'deleted') shop.removed.add(id);
  return made;
}

/** The request for a record that is there, or was; with the id of one that never was, if it is absent. */
const unlessAbsent =
  (given: Given, more: () => Request = () => ({})): Given =>
  async (shop, kind) =>
    kind === 'absent' ? { id: fresh('absent'), ...more() } : given(shop, kind);

/** The same with a key, and a body. */
const keyed = (given: Given, body?: unknown): Given => {
  const more = () => ({ key: fresh('key'), ...(body !== undefined && { body }) });
  return unlessAbsent(async (shop, kind) => ({ ...more(), ...(await given(shop, kind)) }), more);
};

export const anAppointment = keyed((shop, kind) =>
  visited(shop, kind, { barber: barberOf(kind) }, async (id) => ({ id })),
);

export const aPayment = unlessAbsent((shop, kind) => {
  const as = barberOf(kind);
  return visited(shop, kind, { barber: as }, async (appointmentId) => {
    return { id: (await givenPayment(shop, { appointmentId, as })).id };
  });
});

export const aPresentedPayment: Given = async (shop, kind) => {
  const as = barberOf(kind);
  return visited(shop, kind, { barber: as }, async (appointmentId) => {
    const { payment, reference } = await givenPresented(shop, { appointmentId, as });
    return {
      id: kind === 'absent' ? fresh('absent') : payment.id,
      key: fresh('key'),
      body: { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } },
    };
  });
};

/** A captured payment of the owner's shop, or of another one, with a refund. All callers share it. */
async function aRefunded(shop: Shop, kind: RecordKind): Promise<{ id: string; id2: string }> {
  const made = shop.refunded.get(kind);
  if (made !== undefined) return made;
  const business = await businessOf(shop, kind);
  const ids = await visited(shop, kind, { business }, async (appointmentId) => {
    const { payment } = await givenCaptured(shop, { appointmentId });
    const asked = { id: payment.id, key: fresh('key'), body: { amount: '1.00' } };
    const refunded = refund(await shop.send('refundPayment', 'administrator', asked), 201);
    return { id: payment.id, id2: refunded.id };
  });
  shop.refunded.set(kind, ids);
  return ids;
}

export const aPaymentWithRefunds = unlessAbsent(async (shop, kind) => ({
  id: (await aRefunded(shop, kind)).id,
}));

export const aPaymentToRefund = keyed(aPaymentWithRefunds, { amount: '1.00' });

export const aRefund: Given = async (shop, kind) =>
  kind === 'absent'
    ? { id: (await aRefunded(shop, 'own')).id, id2: fresh('absent') }
    : aRefunded(shop, kind);

const shareBody = (appointmentId: string) => ({ shares: [{ appointmentId, amount: '45.00' }] });

/** A captured payment, and a share for another visit, because a removed one gets no part. */
export const aPaymentToShare = keyed(async (shop, kind) => {
  const business = await businessOf(shop, kind);
  return visited(shop, kind, { business }, async (appointmentId) => {
    const { payment } = await givenCaptured(shop, { appointmentId });
    return { id: payment.id, body: shareBody(await givenAppointment(shop, { business })) };
  });
}, shareBody('none'));

/** An appointment of the owner's shop, or of another one, with a method of its customer. */
async function booked<T>(
  shop: Shop,
  kind: RecordKind,
  rest: (id: string, method: string) => Promise<T>,
): Promise<T> {
  const business = await businessOf(shop, kind);
  const method = await givenMethod(shop);
  const terms = { customerId: 'customer' };
  return visited(shop, kind, { business, terms }, (id) => rest(id, method));
}

export const anAppointmentToCharge = keyed(
  (shop, kind) => booked(shop, kind, async (id, method) => ({ id, body: chargeBody(method) })),
  chargeBody('none'),
);

export const aCharge = unlessAbsent((shop, kind) =>
  booked(shop, kind, async (id, method) => {
    const charged = await charge(shop, id, method, { as: 'administrator' });
    return { id: JSON.parse(charged.text).id };
  }),
);

/** A visit to Ada at the owner's shop, or to Ben at another one. */
export const anAppointmentWithTenders = unlessAbsent(async (shop, kind) => {
  const visit = { barber: barberOf(kind), business: await businessOf(shop, kind) };
  return visited(shop, kind, visit, async (id) => ({ id }));
});

/** The same, with a body for a tender. */
export const aVisit = keyed(anAppointmentWithTenders, { kind: 'cash', amount: '20.00' });

/** Recorded at such a visit. */
export const aTender = unlessAbsent(async (shop, kind) => {
  const visit = { barber: barberOf(kind), business: await businessOf(shop, kind) };
  return visited(shop, kind, visit, async (appointmentId) => {
    return { id: (await givenTender(shop, appointmentId, '20.00', { as: 'administrator' })).id };
  });
});

export const aTenderToReturn = keyed(aTender);

/** Its bank wants the customer to authenticate, so that it was canceled. */
export const aRefusedCharge = unlessAbsent(async (shop, kind) => {
  const business = await businessOf(shop, kind);
  const method = await givenMethod(shop, { card: 'needs_customer' });
  const terms = { customerId: 'customer' };
  return visited(shop, kind, { barber: barberOf(kind), business, terms }, async (id) => {
    await charge(shop, id, method, { as: 'administrator' });
    const listed = await shop.send('listCharges', 'administrator', { id });
    return { id: JSON.parse(listed.text).items[0].id };
  });
});

export const aTerminal = unlessAbsent(async (shop, kind) => {
  const as = barberOf(kind);
  const { id } = terminal(await register(shop, { as }), 201);
  if (kind === 'deleted') await shop.send('deleteTerminal', as, { id });
  return { id };
});

export const anAccount: Given = async (shop, kind) => {
  const id = kind === 'foreign' ? 'newShop' : 'shop';
  if (kind === 'absent') return { id, id2: fresh('absent') };
  const id2 = await givenAccount(shop, { businessId: id });
  if (kind === 'deleted') await shop.send('removeFinancialAccount', 'owner', { id, id2 });
  return { id, id2 };
};

export const aSchedule: Given = async (shop, kind) => {
  const id = barberOf(kind);
  if (kind === 'absent') return { id, id2: fresh('absent') };
  const id2 = await givenSchedule(shop, id);
  if (kind === 'deleted') await shop.send('deleteBarberSchedule', 'ada', { id, id2 });
  return { id, id2 };
};

/** Removes a business at the host, or puts it back. */
function removeIfDeleted({ removed }: Shop, kind: RecordKind, id: string): Request {
  if (kind === 'deleted') removed.add(id);
  else removed.delete(id);
  return { id };
}

export const payoutPreferences = unlessAbsent(async (shop, kind) => {
  const id = kind === 'foreign' ? 'newShop' : 'shop';
  await givenPayoutPreferences(shop, id);
  return removeIfDeleted(shop, kind, id);
});

export const aBusiness = unlessAbsent(async (shop, kind) =>
  removeIfDeleted(shop, kind, await businessOf(shop, kind)),
);

/** Of Ada at the owner's shop, or of Ben at another one. */
export const managed = (give: typeof givenPayment | typeof givenCapturedPayment): Given =>
  unlessAbsent(async (shop, kind) => {
    const as = barberOf(kind);
    const visit = { barber: as, business: await businessOf(shop, kind) };
    return visited(shop, kind, visit, async (appointmentId) => {
      return { id: (await give(shop, { appointmentId, as })).id };
    });
  });

export async function givenCapturedPayment(...given: Parameters<typeof givenCaptured>) {
  return (await givenCaptured(...given)).payment;
}

export const anAppointmentOfShop = unlessAbsent(async (shop, kind) => {
  const business = await businessOf(shop, kind);
  return visited(shop, kind, { business }, async (id) => ({ id }));
});

/** 45.00 were paid, and 40.00 are due. */
export const anOverpaidAppointment = unlessAbsent(async (shop, kind) => {
  const business = await businessOf(shop, kind);
  return visited(shop, kind, { business }, async (id) => {
    await givenCaptured(shop, { appointmentId: id });
    return { id: await givenAppointment(shop, { id, business, amountDue: '40.00' }) };
  });
});

/** A phone that is registered for the owner's shop, or for Cleo's. */
export const aDevice = unlessAbsent(async (shop, kind) => {
  const deviceIdentifier = fresh('phone');
  const as = kind === 'foreign' ? 'cleo' : 'ada';
  const { id } = terminal(await register(shop, { as, deviceIdentifier }), 201);
  if (kind === 'deleted') await shop.send('deleteTerminal', as, { id });
  return { id: deviceIdentifier };
});

export const aSetup = unlessAbsent(async (shop, kind) => {
  const as = kind === 'foreign' ? 'otherCustomer' : 'customer';
  const body = { savePaymentMethod: true };
  const { paymentMethodSetupId } = setup(await shop.send('preparePaymentMethod', as, { body }));
  if (kind === 'deleted') {
    shop.clock.advance(2 * hourMs);
    (await shop.chairside.reconcile())._unsafeUnwrap();
    (await shop.chairside.eraseCustomer({ customerId: 'customer' }))._unsafeUnwrap();
  }
  return { id: paymentMethodSetupId };
});
