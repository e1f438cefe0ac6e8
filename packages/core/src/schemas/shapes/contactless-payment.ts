import {
  appointmentReferenceSchema,
  barberReferenceSchema,
  shopLocationReferenceSchema,
} from '../appointment.ts';
import {
  captureContactlessPaymentBodySchema,
  cardSchema,
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
  createContactlessPaymentBodySchema,
  externalPaymentReferenceSchema,
} from '../contactless-payment.ts';
import { objectShape, shape } from './shape.ts';
import { count } from './shared.ts';

const barberReferenceShape = objectShape(barberReferenceSchema, "A barber's public profile.", {
  id: ['The id of the barber.', 'barber_ada'],
  givenName: ['The given name.', 'Ada'],
  surname: ['The surname.', 'Marlow'],
  preferredName: ['The name that the barber prefers.', 'Ada'],
  biography: ['A text by the barber.', 'Cuts hair in Old Town since 2014.'],
  spokenLanguages: [
    'The languages that the barber speaks: 1 to 3 lower-case values.',
    ['de', 'en'],
  ],
  experience: ['The years of experience.', 12],
  instagram: ['The name on Instagram, without `@`.', 'ada.marlow'],
  urlSlug: ['The last part of the address of the booking page.', 'ada-marlow'],
  profileImage_URL: ['The address of a picture.', 'https://marlow.example/ada.jpg'],
});

const shopLocationReferenceShape = objectShape(
  shopLocationReferenceSchema,
  'A place of a business.',
  {
    id: ['The id of the location.', 'location_old_town'],
    name: ['The name of the location.', 'Old Town'],
    shopName: ['The name of the business.', 'Marlow & Sons'],
  },
);

const appointmentReferenceShape = objectShape(
  appointmentReferenceSchema,
  'An appointment, as a payment shows it.',
  {
    id: ['The id of the appointment.', 'appointment_8241'],
    occursOn: ['The time at which the appointment begins.', '2026-11-20T09:00:00.000Z'],
    timeZone: ['The IANA time zone of the shop.', 'Europe/Berlin'],
    barber: ['The barber.', barberReferenceShape.example],
    location: ['The place.', shopLocationReferenceShape.example],
  },
);

const cardShape = objectShape(cardSchema, 'A presented card.', {
  maskedPersonalAccountNumber: ['An asterisk and the last four digits.', '*4242'],
  network: ['The card network.', 'network_a'],
  fundingType: ['The way in which the card is funded.', 'credit'],
  expirationMonth: ['The month of expiry, from `01` to `12`.', '04'],
  expirationYear: ['The year of expiry, with four digits.', '2029'],
  tokenizationMethod: ['The digital wallet. Absent for a plastic card.', 'wallet_method_a'],
});

const externalPaymentReferenceShape = objectShape(
  externalPaymentReferenceSchema,
  "The processor's reference of a payment. The processor's SDK returns it.",
  {
    id: ["The payment's id in the processor's system.", 'pi_3Q'],
    paymentProcessor: ['The processor.', 'processor_a'],
  },
);

const contactlessPaymentShape = objectShape(
  contactlessPaymentSchema,
  'An in-person card payment of an appointment.',
  {
    id: ['The id of the payment.', 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc'],
    appointment: [
      'The appointment, as it was when the payment was created.',
      appointmentReferenceShape.example,
    ],
    amount: ['The amount to collect.', '45.00'],
    state: ['The state of the payment.', 'captured'],
    externalPaymentReference: [
      "The processor's reference. Present once a card was presented.",
      externalPaymentReferenceShape.example,
    ],
    clientSecret: [
      "The secret for the processor's SDK, which collects the card. Never log it.",
      'pi_3Q_secret_8Zk',
    ],
    card: ['The presented card.', cardShape.example],
    authorizedAt: ['The time of the authorization.', '2026-11-20T09:30:40.000Z'],
    capturedAt: ['The time of the capture.', '2026-11-20T09:30:42.000Z'],
    expiresAt: [
      'The time at which the payment expires if it is not captured before.',
      '2026-11-20T09:45:00.000Z',
    ],
    createdAt: ['The time of creation.', '2026-11-20T09:30:00.000Z'],
    updatedAt: ['The time of the last change.', '2026-11-20T09:30:42.000Z'],
  },
);

const { id, appointment, amount, clientSecret, expiresAt, createdAt } =
  contactlessPaymentShape.example;
/** A payment at the moment of its creation. */
export const createdPaymentExample = {
  id,
  appointment,
  amount,
  state: 'created',
  clientSecret,
  expiresAt,
  createdAt,
  updatedAt: createdAt,
};

export const contactlessPaymentShapes = {
  ContactlessPayment: contactlessPaymentShape,
  ContactlessPayments: objectShape(contactlessPaymentsSchema, 'The payments of an appointment.', {
    items: ['The payments, oldest first.', [contactlessPaymentShape.example]],
    count,
  }),
  ContactlessPaymentState: shape(
    contactlessPaymentSchema.entries.state,
    'The state of a payment. `created`, `processing`, `authorized` and `failed` are open: a `failed` payment takes another card. `captured` and `canceled` are final.',
    contactlessPaymentShape.example.state,
  ),
  AppointmentReference: appointmentReferenceShape,
  BarberReference: barberReferenceShape,
  ShopLocationReference: shopLocationReferenceShape,
  Card: cardShape,
  CardNetwork: shape(
    cardSchema.entries.network,
    'The card network. The deployment maps its networks to `network_a` to `network_d`.',
    cardShape.example.network,
  ),
  CardFundingType: shape(
    cardSchema.entries.fundingType,
    'The way in which a card is funded.',
    cardShape.example.fundingType,
  ),
  CardTokenizationMethod: shape(
    cardSchema.entries.tokenizationMethod.wrapped,
    'A digital wallet. The deployment maps its wallets to `wallet_method_a` to `wallet_method_d`.',
    cardShape.example.tokenizationMethod,
  ),
  ExternalPaymentReference: externalPaymentReferenceShape,
  PaymentProcessor: shape(
    externalPaymentReferenceSchema.entries.paymentProcessor,
    'The payment processor.',
    externalPaymentReferenceShape.example.paymentProcessor,
  ),
  CreateContactlessPayment: objectShape(
    createContactlessPaymentBodySchema,
    'The amount of a new payment.',
    {
      amount: ['The amount to collect. Default: what the appointment still owes.', amount],
    },
  ),
  CaptureContactlessPayment: objectShape(
    captureContactlessPaymentBodySchema,
    'The reference of the payment to capture.',
    {
      externalPaymentReference: [
        "The reference that the processor's SDK returned when the card was presented.",
        externalPaymentReferenceShape.example,
      ],
    },
  ),
};
