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
import { type Example, shape } from './shape.ts';
import { count, created, updated } from './shared.ts';

const barber: Example<typeof barberReferenceSchema> = {
  id: 'barber_ada',
  givenName: 'Ada',
  surname: 'Marlow',
  preferredName: 'Ada',
  biography: 'Cuts hair in Old Town since 2014.',
  spokenLanguages: ['de', 'en'],
  experience: 12,
  instagram: 'ada.marlow',
  urlSlug: 'ada-marlow',
  profileImage_URL: 'https://marlow.example/ada.jpg',
};

const location: Example<typeof shopLocationReferenceSchema> = {
  id: 'location_old_town',
  name: 'Old Town',
  shopName: 'Marlow & Sons',
};

const appointment: Example<typeof appointmentReferenceSchema> = {
  id: 'appointment_8241',
  occursOn: '2026-11-20T09:00:00.000Z',
  timeZone: 'Europe/Berlin',
  barber,
  location,
};

const card: Example<typeof cardSchema> = {
  maskedPersonalAccountNumber: '*4242',
  network: 'network_a',
  fundingType: 'credit',
  expirationMonth: '04',
  expirationYear: '2029',
  tokenizationMethod: 'wallet_method_a',
};

const externalPaymentReference: Example<typeof externalPaymentReferenceSchema> = {
  id: 'pi_3Q',
  paymentProcessor: 'processor_a',
};

const contactlessPayment: Example<typeof contactlessPaymentSchema> = {
  id: 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  appointment,
  amount: '45.00',
  state: 'captured',
  externalPaymentReference,
  clientSecret: 'pi_3Q_secret_8Zk',
  card,
  authorizedAt: '2026-11-20T09:30:40.000Z',
  capturedAt: '2026-11-20T09:30:42.000Z',
  expiresAt: '2026-11-20T09:45:00.000Z',
  createdAt: '2026-11-20T09:30:00.000Z',
  updatedAt: '2026-11-20T09:30:42.000Z',
};

/** A payment at the moment of its creation. */
export const createdPaymentExample = {
  id: contactlessPayment.id,
  appointment,
  amount: contactlessPayment.amount,
  state: 'created',
  clientSecret: contactlessPayment.clientSecret,
  expiresAt: contactlessPayment.expiresAt,
  createdAt: contactlessPayment.createdAt,
  updatedAt: contactlessPayment.createdAt,
};

export const contactlessPaymentShapes = {
  ContactlessPayment: shape(
    contactlessPaymentSchema,
    {
      about: 'An in-person card payment of an appointment.',
      properties: {
        id: 'The id of the payment.',
        appointment: 'The appointment, as it was when the payment was created.',
        amount: 'The amount to collect.',
        state: 'The state of the payment.',
        externalPaymentReference: "The processor's reference. Present once a card was presented.",
        clientSecret: "The secret for the processor's SDK, which collects the card. Never log it.",
        card: 'The presented card.',
        authorizedAt: 'The time of the authorization.',
        capturedAt: 'The time of the capture.',
        expiresAt: 'The time at which the payment expires if it is not captured before.',
        createdAt: created,
        updatedAt: updated,
      },
    },
    contactlessPayment,
  ),
  ContactlessPayments: shape(
    contactlessPaymentsSchema,
    {
      about: 'The payments of an appointment.',
      properties: { items: 'The payments, oldest first.', count },
    },
    { items: [contactlessPayment], count: 1 },
  ),
  ContactlessPaymentState: shape(
    contactlessPaymentSchema.entries.state,
    'The state of a payment. `created`, `processing`, `authorized` and `failed` are open: a `failed` payment takes another card. `captured` and `canceled` are final.',
    contactlessPayment.state,
  ),
  AppointmentReference: shape(
    appointmentReferenceSchema,
    {
      about: 'An appointment, as a payment shows it.',
      properties: {
        id: 'The id of the appointment.',
        occursOn: 'The time at which the appointment begins.',
        timeZone: 'The IANA time zone of the shop.',
        barber: 'The barber.',
        location: 'The place.',
      },
    },
    appointment,
  ),
  BarberReference: shape(
    barberReferenceSchema,
    {
      about: "A barber's public profile.",
      properties: {
        id: 'The id of the barber.',
        givenName: 'The given name.',
        surname: 'The surname.',
        preferredName: 'The name that the barber prefers.',
        biography: 'A text by the barber.',
        spokenLanguages: 'The languages that the barber speaks: 1 to 3 lower-case values.',
        experience: 'The years of experience.',
        instagram: 'The name on Instagram, without `@`.',
        urlSlug: 'The last part of the address of the booking page.',
        profileImage_URL: 'The address of a picture.',
      },
    },
    barber,
  ),
  ShopLocationReference: shape(
    shopLocationReferenceSchema,
    {
      about: 'A place of a business.',
      properties: {
        id: 'The id of the location.',
        name: 'The name of the location.',
        shopName: 'The name of the business.',
      },
    },
    location,
  ),
  Card: shape(
    cardSchema,
    {
      about: 'A presented card.',
      properties: {
        maskedPersonalAccountNumber: 'An asterisk and the last four digits.',
        network: 'The card network.',
        fundingType: 'The way in which the card is funded.',
        expirationMonth: 'The month of expiry, from `01` to `12`.',
        expirationYear: 'The year of expiry, with four digits.',
        tokenizationMethod: 'The digital wallet. Absent for a plastic card.',
      },
    },
    card,
  ),
  CardNetwork: shape(
    cardSchema.entries.network,
    'The card network. The deployment maps its networks to `network_a` to `network_d`.',
    card.network,
  ),
  CardFundingType: shape(
    cardSchema.entries.fundingType,
    'The way in which a card is funded.',
    card.fundingType,
  ),
  CardTokenizationMethod: shape(
    cardSchema.entries.tokenizationMethod.wrapped,
    'A digital wallet. The deployment maps its wallets to `wallet_method_a` to `wallet_method_d`.',
    card.tokenizationMethod,
  ),
  ExternalPaymentReference: shape(
    externalPaymentReferenceSchema,
    {
      about: "The processor's reference of a payment. The processor's SDK returns it.",
      properties: {
        id: "The payment's id in the processor's system.",
        paymentProcessor: 'The processor.',
      },
    },
    externalPaymentReference,
  ),
  PaymentProcessor: shape(
    externalPaymentReferenceSchema.entries.paymentProcessor,
    'The payment processor.',
    externalPaymentReference.paymentProcessor,
  ),
  CreateContactlessPayment: shape(
    createContactlessPaymentBodySchema,
    {
      about: 'The amount of a new payment.',
      properties: {
        amount: 'The amount to collect. Default: what the appointment still owes.',
      },
    },
    { amount: contactlessPayment.amount },
  ),
  CaptureContactlessPayment: shape(
    captureContactlessPaymentBodySchema,
    {
      about: 'The reference of the payment to capture.',
      properties: {
        externalPaymentReference:
          "The reference that the processor's SDK returned when the card was presented.",
      },
    },
    { externalPaymentReference },
  ),
};
