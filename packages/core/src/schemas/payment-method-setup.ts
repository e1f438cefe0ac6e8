import * as v from 'valibot';
import { resourceIdSchema, timestampSchema } from './shared.ts';

export const preparePaymentMethodBodySchema = v.strictObject({ savePaymentMethod: v.boolean() });

export const paymentMethodSetupSchema = v.object({
  paymentMethodSetupId: resourceIdSchema,
  clientSecret: v.string(),
  expiresAt: timestampSchema,
  paymentMethodReuseAuthorized: v.boolean(),
});

/** A session that collects a customer's payment method, in the clients' view (D23). */
export interface PaymentMethodSetup extends v.InferOutput<typeof paymentMethodSetupSchema> {}
export interface PreparePaymentMethodBody
  extends v.InferInput<typeof preparePaymentMethodBodySchema> {}
