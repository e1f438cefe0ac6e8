import {
  type Appointment,
  type AuthContext,
  type Business,
  createChairside,
  okAsync,
  type Store,
} from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { anAppointment, createManualClock, createMapStore } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';

const business: Business = {
  id: 'shop',
  name: 'Marlow & Sons',
  processorAccount: { id: 'acct_shop', currency: 'eur' },
};

/** A shop that keeps its appointments and businesses in a database of its own. */
function openHost(groups: Partial<Pick<Store, 'appointments' | 'businesses'>>) {
  const clock = createManualClock();
  const store: Store = {
    ...createMapStore(),
    businesses: { get: () => okAsync(business) },
    ...groups,
  };
  return createChairside({ store, processor: createFakeProcessor({ clock }), clock });
}

const haircut: Appointment = anAppointment({ id: 'haircut', businessId: 'shop' });
const barber: AuthContext = {
  subject: 'ada',
  barberId: haircut.reference.barber.id,
  entitlements: ['contactlessPayments'],
};

async function open(chairside: ReturnType<typeof openHost>, appointmentId: string) {
  const opened = await chairside.createContactlessPayment(barber, {
    appointmentId,
    idempotencyKey: appointmentId,
  });
  return opened.isOk() ? opened.value.amount : opened.error.type;
}

describe("appointments in the host's own database", () => {
  it('are opened under their one id', async () => {
    const chairside = openHost({ appointments: { get: () => okAsync(haircut) } });
    expect(await open(chairside, 'haircut')).toBe('45.00');
  });

  it('are not opened under another: what is paid would be counted twice (D74)', async () => {
    const chairside = openHost({ appointments: { get: () => okAsync(haircut) } });
    expect(await open(chairside, 'HAIRCUT')).toBe('notFound');
    const listed = await chairside.listContactlessPayments(barber, { appointmentId: 'HAIRCUT' });
    expect(listed._unsafeUnwrapErr().type).toBe('notFound');
  });

  it('are not opened where the reference names another', async () => {
    const get = (id: string) =>
      okAsync({ ...haircut, reference: { ...haircut.reference, id: `slug-${id}` } });
    expect(await open(openHost({ appointments: { get } }), 'haircut')).toBe('notFound');
  });

  it('are not there where the database says null', async () => {
    // cast: what a host without types may answer
    const get = () => okAsync(null as unknown as undefined);
    expect(await open(openHost({ appointments: { get } }), 'haircut')).toBe('notFound');
  });

  it.each([10n ** 15n, 10n ** 20n])(
    'that owe %d are owed by nobody (D2)',
    async (amountDueMinor) => {
      const get = () => okAsync({ ...haircut, amountDueMinor });
      expect(await open(openHost({ appointments: { get } }), 'haircut')).toBe(
        'unprocessableEntity',
      );
    },
  );
});

describe("businesses in the host's own database", () => {
  it('are not set up in a currency without two decimals (D18)', async () => {
    const yen = { ...business, processorAccount: { id: 'acct_shop', currency: 'jpy' } };
    const chairside = openHost({
      appointments: { get: () => okAsync(haircut) },
      businesses: { get: () => okAsync(yen) },
    });
    expect(await open(chairside, 'haircut')).toBe('paymentProviderNotSetup');

    const { id: barberId } = haircut.reference.barber;
    const put = await chairside.records.putBarber({ id: barberId, businessId: 'shop' });
    expect(put.isOk()).toBe(true);
    const body = { platform: 'ios', deviceIdentifier: 'phone', deviceModel: 'iPhone14,5' } as const;
    const { id } = (await chairside.registerTerminal(barber, { body }))._unsafeUnwrap();
    const token = await chairside.createTerminalConnectionToken(barber, { terminalId: id });
    expect(token._unsafeUnwrapErr().type).toBe('paymentProviderNotSetup');
  });
});
