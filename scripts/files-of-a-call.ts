// Prints the core's files that a create, a capture, a refund and a charge run through, by V8's coverage.
import { Session } from 'node:inspector/promises';
import { createChairside, type ResultAsync, Unvalidated } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { aBusiness, anAppointment, createMapStore } from '@chairside/testkit';

const processor = createFakeProcessor();
const chairside = createChairside({ store: createMapStore(), processor });
const who = { subject: 'me', barberId: 'barber-1', customerId: 'me', businessIds: ['business-1'] };
const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true });

async function trace<T>(name: string, call: ResultAsync<T, unknown>): Promise<T> {
  const value = (await call)._unsafeUnwrap();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ ranges: [at] }) => at && at.startOffset > 0 && at.count > 0),
  );
  const files = ran.flatMap(({ url }) => url.split('/packages/core/src/')[1] ?? []);
  const folders = new Set(files.map((file) => file.replace(/[^/]*$/, '')));
  console.log(`${name}: ${files.length} files, ${folders.size} folders`, files.sort());
  return value;
}

await trace('a record', chairside.records.putBusiness(aBusiness()));
await trace('another', chairside.records.putAppointment(anAppointment({ customerId: 'me' })));
const visit = { appointmentId: 'appointment-1', idempotencyKey: 'one', body: { amount: '10.00' } };
const { id, clientSecret } = await trace('create', chairside.createContactlessPayment(who, visit));
const { status: _, ...body } = processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
const pay = { contactlessPaymentId: id, idempotencyKey: 'two' };
await trace('capture', chairside.captureContactlessPayment(who, { ...pay, body }));
await trace('refund', chairside.refundPayment(who, { ...pay, idempotencyKey: 'three' }));
const saving = chairside.preparePaymentMethod(who, { body: { savePaymentMethod: true } });
const { paymentMethodSetupId, clientSecret: secret } = await trace('setup', saving);
processor.completeSetup(secret)._unsafeUnwrap();
const agreed = { purpose: 'deposit', agreedAt: '2026-11-02T09:00:00.000Z', agreementRef: 'terms' };
const deposit = new Unvalidated({ ...agreed, amount: '5.00', paymentMethodSetupId });
const asked = { ...visit, idempotencyKey: 'four', body: deposit };
await trace('charge', chairside.chargePaymentMethod(who, asked));
