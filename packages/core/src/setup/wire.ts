import * as v from 'valibot';
import {
  columnsOf,
  type Encoders,
  type RowOf,
  toNumber,
  toWork,
  workEncoders,
} from '../storage/columns.ts';
import { resourceIdSchema, timestampSchema, wireBody, wireObject } from '../values/wire.ts';
import type { MethodSetup } from './method-setup.ts';

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

/** A session that collects a customer's payment method, in the clients' view (D23). */
export interface PaymentMethodSetup extends v.InferOutput<typeof paymentMethodSetupSchema> {}
/** Whether the method may be charged again. */
export interface PreparePaymentMethodBody
  extends v.InferInput<typeof preparePaymentMethodBody.schema> {}

export const paymentMethodSetupShapes = {
  PaymentMethodSetup: paymentMethodSetup,
  PreparePaymentMethod: preparePaymentMethodBody,
};

const setupEncoders = {
  id: (s) => s.id,
  version: (s) => s.version,
  customer_id: (s) => s.customerId,
  save_payment_method: (s) => s.savePaymentMethod,
  client_secret: (s) => s.clientSecret,
  reference: (s) => s.reference,
  created_at: (s) => s.createdAt,
  expires_at: (s) => s.expiresAt,
  outcome: (s) => s.outcome,
  charge_id: (s) => s.chargeId,
  released_at: (s) => s.releasedAt,
  released_by: (s) => s.releasedBy,
  released_request_id: (s) => s.releasedRequestId,
  ...workEncoders,
  next_check_at: (s) => s.nextCheckAt,
} satisfies Encoders<MethodSetup>;
export type SetupRow = RowOf<typeof setupEncoders>;
export const setupColumns = columnsOf<MethodSetup>(setupEncoders);

export function toSetup(row: SetupRow): MethodSetup {
  const work = toWork(row);
  return {
    id: row.id,
    customerId: row.customer_id,
    savePaymentMethod: Boolean(row.save_payment_method),
    version: toNumber(row.version),
    ...(row.client_secret !== null && { clientSecret: row.client_secret }),
    ...(row.reference !== null && { reference: row.reference }),
    createdAt: toNumber(row.created_at),
    expiresAt: toNumber(row.expires_at),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(row.charge_id !== null && { chargeId: row.charge_id }),
    ...(row.released_at !== null && { releasedAt: toNumber(row.released_at) }),
    ...(row.released_by !== null && { releasedBy: toNumber(row.released_by) }),
    ...(row.released_request_id !== null && { releasedRequestId: row.released_request_id }),
    ...(work !== undefined && { work }),
    ...(row.next_check_at !== null && { nextCheckAt: toNumber(row.next_check_at) }),
  };
}
