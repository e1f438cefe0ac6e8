import type { named, SchemaName } from './named-schemas.ts';

/** A description; for an object, of it and of each of its properties. */
type TextOf<S> = S extends { readonly entries: infer E }
  ? { readonly about: string; readonly properties: { readonly [P in keyof E]: string } }
  : string;

type Texts = { readonly [N in SchemaName]: TextOf<(typeof named)[N]> };

const created = 'The time of creation.';
const updated = 'The time of the last change.';
const count = 'The number of `items`.';
const delayDays = 'The number of days between a payment and its payout.';

const problem = {
  type: 'The URI of the problem type. It is an identifier; no page is behind it.',
  title: 'A short text for people. It is the same for every problem of the type.',
  occurredAt: 'The time of the problem.',
  detail: 'An explanation for people. Never parse it.',
  id: 'The id of this problem, for support and logs.',
  status: 'The HTTP status code.',
  instance: 'The URI of the request, with the request id as fragment.',
  attributes:
    'More members for programs, by problem type: `reason`, `pointer`, `isReleased` and others.',
} as const;

const device = {
  platform: 'The platform of the device.',
  deviceIdentifier: 'Identifies the device. A device is registered at most once at a time.',
  deviceModel:
    'The model, such as `iPhone14,5`. A text that names no model, such as `iPhone`, is accepted and not compared.',
  osVersion:
    'The version of the operating system, such as `18.1` or `iOS 18.1`. A text that a rule needs and that is no version is a 422.',
  appVersion: 'The version of the app. It is stored and not compared.',
  terminalSdkVersion:
    "The version of the processor's SDK, such as `5.1.0`. Android has a minimum: a text there that is no version is a 422.",
} as const;

/** The description of every schema of the interface, and of every property. */
export const texts: Texts = {
  ResourceId: 'The opaque, case-sensitive id of a record.',
  Money: 'An exact decimal with two fractional digits, in the currency of the business.',
  Timestamp: 'A time: RFC 3339, UTC, with milliseconds.',
  Count: 'The number of entries in a list.',
  IdempotencyKey:
    'A key of the client, of 1 to 255 characters after trimming. It applies the operation once, even if the request is repeated. A UUID is best.',

  ContactlessPayment: {
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
  ContactlessPayments: {
    about: 'The payments of an appointment.',
    properties: { items: 'The payments, oldest first.', count },
  },
  ContactlessPaymentState:
    'The state of a payment. `created`, `processing`, `authorized` and `failed` are open: a `failed` payment takes another card. `captured` and `canceled` are final.',
  AppointmentReference: {
    about: 'An appointment, as a payment shows it.',
    properties: {
      id: 'The id of the appointment.',
      occursOn: 'The time at which the appointment begins.',
      timeZone: 'The IANA time zone of the shop.',
      barber: 'The barber.',
      location: 'The place.',
    },
  },
  BarberReference: {
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
  ShopLocationReference: {
    about: 'A place of a business.',
    properties: {
      id: 'The id of the location.',
      name: 'The name of the location.',
      shopName: 'The name of the business.',
    },
  },
  Card: {
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
  CardNetwork: 'The card network. The deployment maps its networks to `network_a` to `network_d`.',
  CardFundingType: 'The way in which a card is funded.',
  CardTokenizationMethod:
    'A digital wallet. The deployment maps its wallets to `wallet_method_a` to `wallet_method_d`.',
  ExternalPaymentReference: {
    about: "The processor's reference of a payment. The processor's SDK returns it.",
    properties: {
      id: "The payment's id in the processor's system.",
      paymentProcessor: 'The processor.',
    },
  },
  PaymentProcessor: 'The payment processor.',
  CreateContactlessPayment: {
    about: 'The amount of a new payment.',
    properties: {
      amount: 'The amount to collect. Default: what the appointment still owes.',
    },
  },
  CaptureContactlessPayment: {
    about: 'The reference of the payment to capture.',
    properties: {
      externalPaymentReference:
        "The reference that the processor's SDK returned when the card was presented.",
    },
  },

  Refund: {
    about: 'A refund of a captured payment.',
    properties: {
      id: 'The id of the refund.',
      contactlessPaymentId: 'The id of the payment.',
      amount: 'The refunded amount.',
      currency: 'The currency of the payment.',
      state: 'The state of the refund.',
      origin: 'Where the refund was made.',
      reason: 'The reason that the shop gave.',
      failure: "The processor's reason why it failed. Present only in a failed refund.",
      createdAt: created,
      updatedAt: updated,
    },
  },
  Refunds: {
    about: 'The refunds of a payment, and the rest that can be refunded.',
    properties: {
      items: 'The refunds, oldest first, including those that were made at the processor.',
      count,
      captured: 'The captured amount, by the processor.',
      refundable:
        'The amount that can still be refunded: captured, less refunds and less open or lost disputes.',
    },
  },
  RefundState:
    'The state of a refund. A `pending` refund reserves its amount. A `succeeded` one may still fail later. `failed` and `canceled` refunds return their amount to the refundable rest.',
  RefundOrigin: '`here`: made by this service. `elsewhere`: made at the processor.',
  Currency: 'A currency: three lower-case letters of ISO 4217.',
  RefundPayment: {
    about: 'The amount to refund, and why.',
    properties: {
      amount: 'The amount to refund. Default: all that can still be refunded.',
      reason: 'The reason of the refund. It is stored, and shown with the refund.',
    },
  },

  Terminal: {
    about: "A barber's registered device.",
    properties: {
      id: 'The id of the terminal.',
      ...device,
      terminalLocation:
        "The processor's id of the terminal's place, which its SDK needs to connect. Absent where the business has none.",
      createdAt: created,
      updatedAt: updated,
    },
  },
  Terminals: {
    about: "The barber's terminals.",
    properties: { items: 'The terminals, oldest first.', count },
  },
  TerminalPlatform: 'The platform of a terminal.',
  TerminalConnectionToken: {
    about: 'A token with which a terminal opens a session.',
    properties: {
      clientSecret: "The token for the processor's SDK. It lives for a short time; never cache it.",
    },
  },
  RegisterTerminal: { about: 'The device to register.', properties: device },

  PaymentMethodSetup: {
    about: "A session in which the processor's SDK collects a payment method.",
    properties: {
      paymentMethodSetupId:
        'The id of the setup, for the creation of an appointment. It is no payment method.',
      clientSecret: "The secret for the processor's SDK. Never log it.",
      expiresAt: 'The time at which the session expires.',
      paymentMethodReuseAuthorized: 'Whether the method can be reused for later appointments.',
    },
  },
  PreparePaymentMethod: {
    about: 'The kind of payment method to collect.',
    properties: {
      savePaymentMethod:
        '`true` collects a method that can be reused. `false` collects one for a single appointment, and also accepts a digital wallet.',
    },
  },

  BusinessPayoutPreferences: {
    about: 'The payout schedule of a business.',
    properties: { settings: 'The settings of the chosen frequency.' },
  },
  PayoutSettings:
    'The settings of a payout schedule, by `frequency`. A payout that falls on a weekend or a holiday is processed on the next business day.',
  DailyPayoutSettings: {
    about: 'A payout every day.',
    properties: { frequency: 'The frequency.', delayDays },
  },
  WeeklyPayoutSettings: {
    about: 'A payout every week.',
    properties: { frequency: 'The frequency.', delayDays, dayOfWeek: 'The day of the payout.' },
  },
  MonthlyPayoutSettings: {
    about: 'A payout every month.',
    properties: {
      frequency: 'The frequency.',
      delayDays,
      dayOfMonth: 'The day of the payout. A shorter month pays on its last day.',
    },
  },
  ManualPayoutSettings: {
    about: 'Payouts that the business starts.',
    properties: { frequency: 'The frequency.' },
  },
  Weekday: 'A day of the week.',
  ChallengeMethods: {
    about: 'The ways to send a one-time passcode. They do not reveal whether an account exists.',
    properties: { items: 'The ways.', count },
  },
  ChallengeMethod: {
    about: 'A way to send a one-time passcode.',
    properties: { label: 'The name of the way, such as `sms`.' },
  },
  PhoneNumber:
    'A phone number: digits, with an optional leading plus, and single spaces, dots or hyphens between groups.',
  EmailAddress: 'An email address.',

  Problem: {
    about:
      'An error. Decide by `type`, `attributes.reason` and `recovery`. Ignore unknown members.',
    properties: {
      ...problem,
      recovery: 'The outcome of the request, and whether to send it again.',
      problems: 'The root causes: for a 400 one for each fault.',
    },
  },
  NestedProblem: { about: 'A root cause of a problem.', properties: problem },
  Recovery: {
    about: 'The outcome of the request, and whether to send it again.',
    properties: {
      outcome: '`notApplied`: the request had no effect. `unknown`: it may have had one.',
      retry: 'Whether to send the same request again, with the same key.',
      sessionAction: 'The step that must come before the retry.',
      rateLimit: 'The quota, for a 429.',
    },
  },
  RateLimit: {
    about: 'A quota of requests.',
    properties: {
      limit: 'The number of requests in a window.',
      remaining: 'The number of requests left.',
      resetsAt: 'The time at which the window ends.',
    },
  },
};
