import { documentTable, type Encoders, tableOf, toMinor } from '../storage/columns.ts';
import {
  type Appointment,
  type AppointmentReference,
  type Barber,
  type BarberReference,
  type Business,
  type FinancialAccount,
  type PayoutPreferences,
  type Schedule,
  type ShopLocationReference,
  snapshotOf,
} from './host.ts';

// The records that the host gives.

const appointmentEncoders = {
  id: ({ id }) => id,
  business_id: ({ businessId }) => businessId,
  amount_due_minor: ({ amountDueMinor }) => amountDueMinor,
  customer_id: ({ customerId }) => customerId,
  payment_method_setup_id: ({ paymentMethodSetupId }) => paymentMethodSetupId,
  no_show_fee_minor: ({ noShowFeeMinor }) => noShowFeeMinor,
  is_missed: ({ isMissed }) => isMissed,
  is_same_visit: ({ sameVisit }) => sameVisit,
  reference: (appointment) => packReference(snapshotOf(appointment)),
} satisfies Encoders<Appointment>;
export const appointmentTable = tableOf(
  appointmentEncoders,
  (row): Appointment => ({
    ...unpackReference(row.id, row.reference),
    businessId: row.business_id,
    amountDueMinor: toMinor(row.amount_due_minor),
    ...(row.customer_id !== null && { customerId: row.customer_id }),
    ...(row.payment_method_setup_id !== null && {
      paymentMethodSetupId: row.payment_method_setup_id,
    }),
    ...(row.no_show_fee_minor !== null && { noShowFeeMinor: toMinor(row.no_show_fee_minor) }),
    ...(row.is_missed !== null && { isMissed: Boolean(row.is_missed) }),
    ...(row.is_same_visit !== null && { sameVisit: Boolean(row.is_same_visit) }),
  }),
);

/** JSON without the names of the members that each one has, which would be half of the text. */
type PackedReference = readonly [
  occursOn: string,
  barber: readonly [id: string, givenName: string, surname: string, profile: Profile],
  location: readonly [id: string, name: string, shopName: string],
  rest: Pick<AppointmentReference, 'timeZone'>,
];
type Profile = Omit<BarberReference, 'id' | 'givenName' | 'surname'>;

/** The id has a column of its own. Each payment keeps such a text too. */
export function packReference({ occursOn, barber, location, timeZone }: AppointmentReference) {
  const { id, givenName, surname, ...profile } = barber;
  const rest = timeZone === undefined ? {} : { timeZone };
  const packed: PackedReference = [
    occursOn,
    [id, givenName, surname, profile],
    [location.id, location.name, location.shopName],
    rest,
  ];
  return JSON.stringify(packed);
}

/** Throws for a corrupt text. */
export function unpackReference(id: string, text: string): AppointmentReference {
  const packed: PackedReference = JSON.parse(text);
  const [occursOn, [barberId, givenName, surname, profile], location, rest] = packed;
  const [locationId, name, shopName] = location;
  const barber: BarberReference = { id: barberId, givenName, surname, ...profile };
  const shown: ShopLocationReference = { id: locationId, name, shopName };
  return { id, occursOn, ...rest, barber, location: shown };
}

const barberEncoders = {
  id: ({ id }) => id,
  business_id: ({ businessId }) => businessId,
} satisfies Encoders<Barber>;
export const barberTable = tableOf(
  barberEncoders,
  (row): Barber => ({ id: row.id, businessId: row.business_id }),
);

export const businessTable = documentTable<Business>({ id: ({ id }) => id });

const financialAccountEncoders = {
  id: (a) => a.id,
  business_id: (a) => a.businessId,
  bank_name: (a) => a.bankName,
  masked_account_number: (a) => a.maskedAccountNumber,
  currency: (a) => a.currency,
  is_default: (a) => a.isDefault,
} satisfies Encoders<FinancialAccount>;
export const financialAccountTable = tableOf(
  financialAccountEncoders,
  (row): FinancialAccount => ({
    id: row.id,
    businessId: row.business_id,
    bankName: row.bank_name,
    maskedAccountNumber: row.masked_account_number,
    currency: row.currency,
    isDefault: Boolean(row.is_default),
  }),
);

export const payoutPreferencesTable = documentTable<PayoutPreferences>({
  business_id: ({ businessId }) => businessId,
});

export const scheduleTable = documentTable<Schedule>({
  id: ({ id }) => id,
  barber_id: ({ barberId }) => barberId,
});
