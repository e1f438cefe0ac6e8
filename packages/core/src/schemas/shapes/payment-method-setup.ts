import {
  paymentMethodSetupSchema,
  preparePaymentMethodBodySchema,
} from '../payment-method-setup.ts';
import { shape } from './shape.ts';

export const paymentMethodSetupShapes = {
  PaymentMethodSetup: shape(
    paymentMethodSetupSchema,
    {
      about: "A session in which the processor's SDK collects a payment method.",
      properties: {
        paymentMethodSetupId:
          'The id of the setup, for the creation of an appointment. It is no payment method.',
        clientSecret: "The secret for the processor's SDK. Never log it.",
        expiresAt: 'The time at which the session expires.',
        paymentMethodReuseAuthorized: 'Whether the method can be reused for later appointments.',
      },
    },
    {
      paymentMethodSetupId: 'pms_01jd3zk8q0e5v9h2m7x4r6t1be',
      clientSecret: 'seti_1Q_secret_2Wd',
      expiresAt: '2026-11-20T10:30:00.000Z',
      paymentMethodReuseAuthorized: true,
    },
  ),
  PreparePaymentMethod: shape(
    preparePaymentMethodBodySchema,
    {
      about: 'The kind of payment method to collect.',
      properties: {
        savePaymentMethod:
          '`true` collects a method that can be reused. `false` collects one for a single appointment, and also accepts a digital wallet.',
      },
    },
    { savePaymentMethod: true },
  ),
};
