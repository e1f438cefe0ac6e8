import { emptyLedger } from '@chairside/core';
import { expect, it } from 'vitest';
import { aKeyRecord, anAppointmentReference, aPayment, someTime } from '../../builders.ts';
import { answerOf, type StoreSuite } from './suite.ts';

/** Each name means exactly one record, and its content is unchanged. */
export function identityContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  it('returns undefined, zero or an empty list for unknown records', async () => {
    expect(answerOf(await store().payments.get('no'))).toBeUndefined();
    expect(answerOf(await store().keys.get('no', 'no'))).toBeUndefined();
    expect(answerOf(await store().terminals.get('no'))).toBeUndefined();
    expect(answerOf(await store().terminals.getByDeviceIdentifier('no'))).toBeUndefined();
    expect(answerOf(await store().appointments.get('no'))).toBeUndefined();
    expect(answerOf(await store().barbers.get('no'))).toBeUndefined();
    expect(answerOf(await store().businesses.get('no'))).toBeUndefined();
    expect(answerOf(await store().setups.get('no'))).toBeUndefined();
    expect(answerOf(await store().financialAccounts.get('no'))).toBeUndefined();
    expect(answerOf(await store().schedules.get('no'))).toBeUndefined();
    expect(answerOf(await store().payoutPreferences.get('no'))).toBeUndefined();
    expect(answerOf(await store().refunds.get('no'))).toBeUndefined();
    expect(answerOf(await store().refunds.listByPayment('no', 10))).toStrictEqual([]);
    expect(answerOf(await store().refunds.listDue(someTime, 10))).toStrictEqual([]);
    expect(answerOf(await store().disputes.get('no'))).toBeUndefined();
    expect(answerOf(await store().disputes.listByPayment('no', 10))).toStrictEqual([]);
    expect(answerOf(await store().disputes.list('open', 10))).toStrictEqual([]);
    expect(answerOf(await store().reviews.get('no'))).toBeUndefined();
    expect(answerOf(await store().reviews.list('open', 10))).toStrictEqual([]);
    expect(answerOf(await store().reviews.list('resolved', 10))).toStrictEqual([]);
    expect(answerOf(await store().reviews.listOpenOf('no', 'unsettled', 10))).toStrictEqual([]);
    expect(answerOf(await store().moneyBacks.has('no', 'refund', 'no'))).toBe(false);
    expect(answerOf(await store().setups.listByCustomer('no', 10))).toStrictEqual([]);
    expect(answerOf(await store().processorEvents.has('no'))).toBe(false);
    expect(answerOf(await store().events.listDue(someTime, 10))).toStrictEqual([]);
    expect(answerOf(await store().events.listDead(10))).toStrictEqual([]);
    expect(answerOf(await store().setups.listDue(someTime, 10))).toStrictEqual([]);
    expect(answerOf(await store().sweeps.listStale(someTime, 10))).toStrictEqual([]);
    expect(answerOf(await store().ledgers.get('no'))).toStrictEqual(emptyLedger('no'));
    expect(answerOf(await store().payments.listByAppointment('no', 10))).toStrictEqual([]);
    expect(answerOf(await store().payments.listDue(someTime, 10))).toStrictEqual([]);
    expect(answerOf(await store().terminals.listByBarber('no', 10))).toStrictEqual([]);
    expect(answerOf(await store().wasCommitted('no'))).toBe(false);
  });

  it('accepts ids of 255 code points', async () => {
    const id = '\u{1F600}'.repeat(255);
    const record = aKeyRecord({ subject: id, key: id, resourceId: id });
    await insert(aPayment({ id, appointment: anAppointmentReference({ id }) }));
    await given({ kind: 'insertKey', record });
    expect(answerOf(await store().payments.get(id))?.id).toBe(id);
    expect(answerOf(await store().payments.listByAppointment(id, 1))[0]?.id).toBe(id);
    expect(answerOf(await store().keys.get(id, id))).toStrictEqual(record);
  });

  it('keeps a record when the caller changes its value later', async () => {
    const spokenLanguages = ['de'];
    const appointment = anAppointmentReference({
      barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow', spokenLanguages },
    });
    await insert(aPayment({ appointment }));
    spokenLanguages.push('fr');
    const kept = answerOf(await store().payments.get('cpm_1'));
    expect(kept?.appointment.barber.spokenLanguages).toStrictEqual(['de']);
  });
}
