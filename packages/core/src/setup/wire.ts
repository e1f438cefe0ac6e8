import * as v from 'valibot';
import { documentTable } from '../storage/columns.ts';
import { formatTimestamp } from '../values/time.ts';
import { resourceIdSchema, timestampSchema, wireBody, wireObject } from '../values/wire.ts';
import type { MethodSetup, OpenedSetup } from './setup.ts';

const paymentMethodSetup = wireObject(
  "A session in which the processor's SDK collects a payment method.",
  {
    paymentMethodSetupId: [
      resourceIdSchema,
      'The id of the setup, for the creation of an appointment. It is no payment method.',
      'pms_01jd3zk8q0e5v9h2m7x4r6t1be',
    ],
    clientSecret: [
      v.string(),
      "The secret for the processor's SDK. Never log it.",
      'seti_1Q_secret_2Wd',
    ],
    expiresAt: [
      timestampSchema,
      'The time at which the session expires.',
      '2026-11-20T10:30:00.000Z',
    ],
    paymentMethodReuseAuthorized: [
      v.boolean(),
      'Whether the method can be reused for later appointments.',
      true,
    ],
  },
);
export const paymentMethodSetupSchema = paymentMethodSetup.schema;

export const preparePaymentMethodBody = wireBody('The kind of payment method to collect.', {
  savePaymentMethod: [
    v.boolean(),
    '`true` collects a method that can be reused. `false` collects one for a single appointment, and also accepts a digital wallet.',
    true,
  ],
});

/** A session that collects a customer's payment method, in the clients' view. */
export interface PaymentMethodSetup extends v.InferOutput<typeof paymentMethodSetupSchema> {}
/** Whether the method may be charged again. */
export interface PreparePaymentMethodBody
  extends v.InferInput<typeof preparePaymentMethodBody.schema> {}

export const paymentMethodSetupShapes = {
  PaymentMethodSetup: paymentMethodSetup,
  PreparePaymentMethod: preparePaymentMethodBody,
};

export const setupTable = documentTable<MethodSetup>({
  id: (s) => s.id,
  version: (s) => s.version,
  customer_id: (s) => s.customerId,
  created_at: (s) => s.createdAt,
  next_check_at: (s) => s.nextCheckAt,
});

/** Uses only fields that never change, so that a replay is identical byte for byte. */
export function viewSetup(setup: OpenedSetup): PaymentMethodSetup {
  return {
    paymentMethodSetupId: setup.id,
    clientSecret: setup.clientSecret,
    expiresAt: formatTimestamp(setup.expiresAt),
    paymentMethodReuseAuthorized: setup.savePaymentMethod,
  };
}
