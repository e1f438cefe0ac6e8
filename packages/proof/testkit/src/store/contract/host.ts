import type { Store } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { aBarber, anAppointment, aPayment, someTime } from '../../builders.ts';
import { answerOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** Records that a host may keep itself (D35). */
export function hostContract(suite: StoreSuite): void {
  const { store, nextId, given } = suite;

  it('has one default financial account for each business', async () => {
    const put = (id: string, over: object = {}) => given(write.financialAccount({ id, ...over }));
    const isDefault = async (id: string) =>
      answerOf(await store().financialAccounts.get(id))?.isDefault;
    await put('theirs', { businessId: 'other', isDefault: true });
    await put('1', { isDefault: true });
    await put('2', { isDefault: true });
    await put('2', { isDefault: true });
    expect(await isDefault('1')).toBe(false);
    expect(await isDefault('2')).toBe(true);
    expect(await isDefault('theirs')).toBe(true);
    await given({ kind: 'deleteFinancialAccount', businessId: 'business-1', id: '1' });
    expect(await isDefault('1')).toBeUndefined();
  });

  it('finds the appointment of a payment, as it is now', async ({ skip }) => {
    const found = async (id: string) => {
      const read = await store().appointments.getByPayment?.(id);
      return read === undefined ? skip('The store has no getByPayment') : answerOf(read);
    };
    const payment = aPayment();
    const { id } = payment.appointment;
    await given({ kind: 'insertPayment', payment });
    for (const other of ['a', 'z']) {
      await given(write.appointment({ id: other }));
    }
    expect(await found(payment.id)).toBeUndefined();
    for (const amountDueMinor of [5n, 7n]) {
      const appointment = anAppointment({ id, amountDueMinor, businessId: 'another' });
      await given({ kind: 'putAppointment', appointment });
      expect(await found(payment.id)).toStrictEqual(appointment);
    }
    expect(await found(id)).toBeUndefined();
  });

  it('finds the business of an appointment, as it is now', async ({ skip }) => {
    const found = async (id: string) => {
      const read = await store().businesses.getByAppointment?.(id);
      return read === undefined ? skip('The store has no getByAppointment') : answerOf(read)?.id;
    };
    for (const id of ['1', '2']) await given(write.business({ id }));
    for (const id of ['a', 'z']) {
      await given(write.appointment({ id, businessId: '1' }));
    }
    for (const businessId of ['1', '2', 'absent', '0']) {
      const appointment = anAppointment({ id: 'cut', businessId });
      await given({ kind: 'putAppointment', appointment });
      expect(await found('cut')).toBe(/[12]/.test(businessId) ? businessId : undefined);
    }
    expect(await found('1')).toBeUndefined();
  });

  it('lets a host replace a group by spreading', async () => {
    const mine: Store = { ...store(), barbers: { get: store().barbers.get } };
    await given(write.barber());
    expect(answerOf(await mine.barbers.get('barber-1'))).toStrictEqual(aBarber());
    answerOf(await mine.commit({ id: nextId(), at: someTime, changes: [] }));
  });
}
