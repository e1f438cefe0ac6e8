import { expect, it } from 'vitest';
import { aKeyRecord, anAppointmentReference, aPayment } from '../../builders.ts';
import { readsOfNothing } from './records.ts';
import { answerOf, type StoreSuite } from './suite.ts';

/** Each name means exactly one record, and its content is unchanged. */
export function identityContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  it('returns undefined, zero or an empty list for unknown records', async () => {
    for (const [read, found] of readsOfNothing(store())) {
      expect(answerOf<unknown, unknown>(await read)).toStrictEqual(found);
    }
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
