import {
  type Appointment,
  type AuthContext,
  type Barber,
  type Business,
  type FinancialAccount,
  type PayoutPreferences,
  type Schedule,
  type WorkingHours,
  weekdays,
} from '@chairside/core';

// The demo's initial data. Ids and tokens are fixed, so that scripts can use them.

export const shop = {
  id: 'business_marlow',
  name: 'Marlow & Sons',
  processorAccount: { id: 'acct_marlow', currency: 'eur', terminalLocation: 'loc_old_town' },
} as const satisfies Business;

const otherShop = {
  id: 'business_finch',
  name: 'Finch & Daughters',
  processorAccount: { id: 'acct_finch', currency: 'eur', terminalLocation: 'loc_riverside' },
} as const satisfies Business;

/** Has no processor account yet. */
const shopWithoutProcessor = {
  id: 'business_wren',
  name: 'Wren',
} as const satisfies Business;

const ada = { id: 'barber_ada', businessId: shop.id } as const satisfies Barber;
const ben = { id: 'barber_ben', businessId: shop.id } as const satisfies Barber;
const dora = { id: 'barber_dora', businessId: shop.id } as const satisfies Barber;
const cleo = {
  id: 'barber_cleo',
  businessId: shopWithoutProcessor.id,
} as const satisfies Barber;

export const businesses: readonly Business[] = [shop, otherShop, shopWithoutProcessor];
export const barbers: readonly Barber[] = [ada, ben, dora, cleo];

/** The barbers of the demo's shop who take payments, by the name that a screen shows. */
export const shopBarbers = [
  { id: ada.id, name: 'Ada' },
  { id: ben.id, name: 'Ben' },
] as const;

type Details = Pick<Appointment, 'id' | 'amountDueMinor' | 'occursOn'>;

const oldTown = { id: 'location_old_town', name: 'Old Town', shopName: shop.name };

/** An appointment of Ada, the demo's main barber. */
export function appointmentOfAda(details: Details): Appointment {
  return {
    ...details,
    businessId: shop.id,
    timeZone: 'Europe/Berlin',
    barber: {
      id: ada.id,
      givenName: 'Ada',
      surname: 'Marlow',
      spokenLanguages: ['de', 'en'],
      experience: 12,
      urlSlug: 'ada-marlow',
    },
    location: oldTown,
  };
}

const seededDetails = { amountDueMinor: 4500n, occursOn: '2026-12-01T09:00:00.000Z' };

/** The open appointments are numbered, and the server keeps enough of them. */
export function openAppointment(number: number): Appointment {
  const id = `appointment_open_${String(number).padStart(3, '0')}`;
  return appointmentOfAda({ ...seededDetails, id });
}

export const paidAppointment = appointmentOfAda({ ...seededDetails, id: 'appointment_paid' });

export const otherAppointments = {
  ofOtherBarber: {
    ...seededDetails,
    id: 'appointment_of_ben',
    businessId: shop.id,
    timeZone: 'Europe/Berlin',
    barber: { id: ben.id, givenName: 'Ben', surname: 'Okafor' },
    location: oldTown,
  },
  withoutProcessor: {
    ...seededDetails,
    id: 'appointment_without_processor',
    businessId: shopWithoutProcessor.id,
    timeZone: 'Europe/Berlin',
    barber: { id: cleo.id, givenName: 'Cleo', surname: 'Wren' },
    location: { id: 'location_wren', name: 'Harbour', shopName: shopWithoutProcessor.name },
  },
} as const satisfies Record<string, Appointment>;

interface Person {
  readonly token: string;
  readonly is: string;
  readonly auth: AuthContext;
}

const entitlements = ['contactlessPayments'] as const;

/** The people who can log in. */
export const people = {
  barber: {
    token: 'demo-barber',
    is: 'Ada, the barber of the open appointments',
    auth: { subject: 'user_ada', barberId: ada.id, entitlements },
  },
  otherBarber: {
    token: 'demo-other-barber',
    is: 'Ben, who works in the same shop',
    auth: { subject: 'user_ben', barberId: ben.id, entitlements },
  },
  barberWithoutEntitlement: {
    token: 'demo-barber-without-entitlement',
    is: 'Dora, not entitled to contactless payments',
    auth: { subject: 'user_dora', barberId: dora.id },
  },
  barberWithoutProcessor: {
    token: 'demo-barber-without-processor',
    is: 'Cleo, whose shop has no processor account yet',
    auth: { subject: 'user_cleo', barberId: cleo.id, entitlements },
  },
  customer: {
    token: 'demo-customer',
    is: 'a customer',
    auth: { subject: 'user_customer', customerId: 'customer_kim' },
  },
  business: {
    token: 'demo-business',
    is: "the owner of Ada's shop",
    auth: { subject: 'user_owner', businessIds: [shop.id] },
  },
  otherBusiness: {
    token: 'demo-other-business',
    is: 'the owner of another shop',
    auth: { subject: 'user_other_owner', businessIds: [otherShop.id] },
  },
  administrator: {
    token: 'demo-administrator',
    is: 'a system administrator',
    auth: { subject: 'user_administrator', systemAdministrator: true },
  },
} as const satisfies Record<string, Person>;

type Account = Pick<FinancialAccount, 'id' | 'maskedAccountNumber' | 'isDefault'>;

function accountOf(business: Business, account: Account): FinancialAccount {
  return { ...account, businessId: business.id, bankName: 'Harbour Bank', currency: 'eur' };
}

const accounts = {
  marlowMain: accountOf(shop, {
    id: 'account_marlow_main',
    maskedAccountNumber: '*4821',
    isDefault: true,
  }),
  marlowSavings: accountOf(shop, {
    id: 'account_marlow_savings',
    maskedAccountNumber: '*7730',
    isDefault: false,
  }),
  marlowOld: accountOf(shop, {
    id: 'account_marlow_old',
    maskedAccountNumber: '*0019',
    isDefault: false,
  }),
  finchMain: accountOf(otherShop, {
    id: 'account_finch_main',
    maskedAccountNumber: '*5512',
    isDefault: true,
  }),
  finchSavings: accountOf(otherShop, {
    id: 'account_finch_savings',
    maskedAccountNumber: '*6604',
    isDefault: false,
  }),
};

export const financialAccounts: readonly FinancialAccount[] = Object.values(accounts);

/** The same hours on all workdays. */
function scheduleOf(
  { id: barberId }: Barber,
  { id, name, from, to }: Pick<Schedule, 'id' | 'name'> & Omit<WorkingHours, 'day'>,
): Schedule {
  return {
    id,
    barberId,
    name,
    hours: weekdays.slice(0, 5).map((day) => ({ day, from, to })),
  };
}

const winter = { name: 'Winter', from: '09:00', to: '17:00' };
const summer = { name: 'Summer', from: '10:00', to: '19:00' };
const schedulesOfAda = [
  scheduleOf(ada, { ...winter, id: 'schedule_ada_winter' }),
  scheduleOf(ada, { ...summer, id: 'schedule_ada_summer' }),
];
const schedulesOfBen = [
  scheduleOf(ben, { ...winter, id: 'schedule_ben_winter' }),
  scheduleOf(ben, { ...summer, id: 'schedule_ben_summer' }),
];

export const schedules: readonly Schedule[] = [...schedulesOfAda, ...schedulesOfBen];

export const payoutPreferences: readonly PayoutPreferences[] = [
  { businessId: shop.id, settings: { frequency: 'weekly', delayDays: 2, dayOfWeek: 'friday' } },
  { businessId: otherShop.id, settings: { frequency: 'monthly', delayDays: 2, dayOfMonth: 31 } },
];

const idOf = ({ id }: { readonly id: string }) => id;

/** The ids of the demo data, for `GET /demo`. */
export const furtherIds = {
  barbers: {
    barber: { id: ada.id, schedules: schedulesOfAda.map(idOf) },
    otherBarber: { id: ben.id, schedules: schedulesOfBen.map(idOf) },
  },
  businesses: {
    business: {
      id: shop.id,
      financialAccounts: {
        default: accounts.marlowMain.id,
        others: [accounts.marlowSavings.id, accounts.marlowOld.id],
      },
    },
    otherBusiness: {
      id: otherShop.id,
      financialAccounts: { default: accounts.finchMain.id, others: [accounts.finchSavings.id] },
    },
  },
  users: { withBoth: { phoneNumber: '+12025550143', emailAddress: 'kim@example.com' } },
} as const;
