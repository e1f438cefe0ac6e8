import type {
  ChallengeMethods as StrictChallengeMethods,
  ContactlessPayment as StrictPayment,
  BusinessPayoutPreferences as StrictPayoutPreferences,
  PaymentMethodSetup as StrictSetup,
  TerminalConnectionToken as StrictToken,
  TerminalView,
} from '@chairside/core';
import { flag, list, number, type Open, object, type Parser, text } from './parse.ts';

// The response members that an app can rely on. Others are not checked.

export type ContactlessPayment = Open<StrictPayment>;

export interface ContactlessPayments {
  readonly items: readonly ContactlessPayment[];
  readonly count: number;
}

/** A registered device. The processor's SDK needs `terminalLocation` to connect (D6). */
export type Terminal = Open<TerminalView> & { readonly terminalLocation?: string };

export interface Terminals {
  readonly items: readonly Terminal[];
  readonly count: number;
}

export type TerminalConnectionToken = Open<StrictToken>;
export type PaymentMethodSetup = Open<StrictSetup>;
export type ChallengeMethods = Open<StrictChallengeMethods>;

/** `frequency` determines the other members. */
export interface BusinessPayoutPreferences {
  readonly settings: {
    readonly frequency: Open<StrictPayoutPreferences['settings']['frequency']>;
    readonly delayDays?: number;
    readonly dayOfWeek?: string;
    readonly dayOfMonth?: number;
  };
}

const barber: Parser<ContactlessPayment['appointment']['barber']> = object(
  { id: text, givenName: text, surname: text },
  {
    preferredName: text,
    biography: text,
    spokenLanguages: list(text),
    experience: number,
    instagram: text,
    urlSlug: text,
    profileImage_URL: text,
  },
);

const appointment: Parser<ContactlessPayment['appointment']> = object(
  { id: text, occursOn: text, barber, location: object({ id: text, name: text, shopName: text }) },
  { timeZone: text },
);

const card: Parser<NonNullable<ContactlessPayment['card']>> = object(
  {
    maskedPersonalAccountNumber: text,
    network: text,
    fundingType: text,
    expirationMonth: text,
    expirationYear: text,
  },
  { tokenizationMethod: text },
);

export const contactlessPayment: Parser<ContactlessPayment> = object(
  {
    id: text,
    appointment,
    amount: text,
    state: text,
    clientSecret: text,
    createdAt: text,
    updatedAt: text,
  },
  {
    externalPaymentReference: object({ id: text, paymentProcessor: text }),
    card,
    authorizedAt: text,
    capturedAt: text,
    expiresAt: text,
  },
);

export const contactlessPayments: Parser<ContactlessPayments> = object({
  items: list(contactlessPayment),
  count: number,
});

export const terminal: Parser<Terminal> = object(
  { id: text, platform: text, deviceIdentifier: text, createdAt: text, updatedAt: text },
  {
    deviceModel: text,
    osVersion: text,
    appVersion: text,
    terminalSdkVersion: text,
    terminalLocation: text,
  },
);

export const terminals: Parser<Terminals> = object({ items: list(terminal), count: number });

export const connectionToken: Parser<TerminalConnectionToken> = object({ clientSecret: text });

export const paymentMethodSetup: Parser<PaymentMethodSetup> = object({
  paymentMethodSetupId: text,
  clientSecret: text,
  expiresAt: text,
  paymentMethodReuseAuthorized: flag,
});

export const challengeMethods: Parser<ChallengeMethods> = object({
  items: list(object({ label: text })),
  count: number,
});

export const payoutPreferences: Parser<BusinessPayoutPreferences> = object({
  settings: object({ frequency: text }, { delayDays: number, dayOfWeek: text, dayOfMonth: number }),
});
