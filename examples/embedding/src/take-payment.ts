import { createChairside, ok, safeTry } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import { ada, haircut, login, shop } from './records.ts';

export const takePayment = () =>
  safeTry(async function* () {
    const store = yield* openSqliteStore(':memory:'); // or the path of a file
    const processor = createFakeProcessor();
    const chairside = createChairside({ store, processor });

    yield* chairside.records.putBusiness(shop);
    yield* chairside.records.putBarber(ada);
    yield* chairside.records.putAppointment(haircut);

    const opened = yield* chairside.createContactlessPayment(login, {
      appointmentId: haircut.id,
      idempotencyKey: 'open-1',
    });
    const { externalPaymentReference } = yield* processor.presentCard(
      opened.clientSecret,
      'visa_credit',
    );
    const paid = yield* chairside.captureContactlessPayment(login, {
      contactlessPaymentId: opened.id,
      idempotencyKey: 'capture-1',
      body: { externalPaymentReference },
    });
    return ok(paid); // { state: 'captured', amount: '45.00', card: { … }, … }
  });
