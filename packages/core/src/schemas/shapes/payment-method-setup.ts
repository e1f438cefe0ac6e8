import {
  paymentMethodSetupSchema,
  preparePaymentMethodBodySchema,
} from '../payment-method-setup.ts';
import { objectShape } from './shape.ts';

export const paymentMethodSetupShapes = {
  PaymentMethodSetup: objectShape(
    paymentMethodSetupSchema,
    "A session in which the processor's SDK collects a payment method.",
    {
      paymentMethodSetupId: [
        'The id of the setup, for the creation of an appointment. It is no payment method.',
        'pms_01jd3zk8q0e5v9h2m7x4r6t1be',
      ],
      clientSecret: ["The secret for the processor's SDK. Never log it.", 'seti_1Q_secret_2Wd'],
      expiresAt: ['The time at which the session expires.', '2026-11-20T10:30:00.000Z'],
      paymentMethodReuseAuthorized: [
        'Whether the method can be reused for later appointments.',
        true,
      ],
    },
  ),
  PreparePaymentMethod: objectShape(
    preparePaymentMethodBodySchema,
    'The kind of payment method to collect.',
    {
      savePaymentMethod: [
        '`true` collects a method that can be reused. `false` collects one for a single appointment, and also accepts a digital wallet.',
        true,
      ],
    },
  ),
};
