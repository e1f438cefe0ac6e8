import type { Problem } from '@chairside/core';

// Who may call an operation: for each role, the response for each kind of record (D10, D58).

/** The people of each role. */
export const roles = {
  nobody: 'nobody',
  badToken: 'badToken',
  barber: 'ada',
  barberWithoutEntitlement: 'adaWithoutEntitlement',
  customer: 'customer',
  business: 'owner',
  administrator: 'administrator',
} as const;
export type Role = keyof typeof roles;

/**
 * `own` is Ada's, who works in the owner's shop, or the shop's; `foreign` is Ben's or another
 * shop's; `absent` never existed, and `deleted` was once the own.
 */
export const records = ['own', 'foreign', 'absent', 'deleted'] as const;
export type RecordKind = (typeof records)[number];

/** A success by its status, a problem by its type; for `own`, `foreign`, `absent`, `deleted`. */
export type Cell = 200 | 201 | 204 | Problem['type'];
type Row = readonly [Cell, Cell, Cell, Cell];
/** If the path names no record, there is only one cell. */
export type Rows = Readonly<Record<Role, Row | readonly [Cell]>>;

const forbidden: Row = ['forbidden', 'forbidden', 'forbidden', 'forbidden'];
const unauthorized: Row = ['unauthorized', 'unauthorized', 'unauthorized', 'unauthorized'];
export const entitlementMissing: Row = [
  'contactlessPaymentEntitlementMissing',
  'contactlessPaymentEntitlementMissing',
  'contactlessPaymentEntitlementMissing',
  'contactlessPaymentEntitlementMissing',
];

/** Only the callers in the row are permitted. */
export const only = (allowed: Partial<Rows>): Rows => ({
  nobody: unauthorized,
  badToken: unauthorized,
  barber: forbidden,
  barberWithoutEntitlement: forbidden,
  customer: forbidden,
  business: forbidden,
  administrator: forbidden,
  ...allowed,
});
/** As above, for a path without a record. */
export const onlyWithoutRecord = (allowed: Partial<Record<Role, Cell>>): Rows => ({
  nobody: ['unauthorized'],
  badToken: ['unauthorized'],
  barber: [allowed.barber ?? 'forbidden'],
  barberWithoutEntitlement: [allowed.barberWithoutEntitlement ?? 'forbidden'],
  customer: [allowed.customer ?? 'forbidden'],
  business: [allowed.business ?? 'forbidden'],
  administrator: [allowed.administrator ?? 'forbidden'],
});
export const ofBusiness = (success: 200 | 201) =>
  only({
    business: [success, 'forbidden', 'notFound', success],
    administrator: [success, success, 'notFound', success],
  });
/** Of the appointment's business. A removed appointment is not found. */
export const ofAppointmentsBusiness = (success: 200 | 201) =>
  only({
    business: [success, 'forbidden', 'notFound', 'notFound'],
    administrator: [success, success, 'notFound', 'notFound'],
  });
export const bothBarbers = (row: Row) => only({ barber: row, barberWithoutEntitlement: row });

/** Of the payment's barber, its business or an administrator. */
export const ofManagers = only({
  barber: [200, 'forbidden', 'notFound', 200],
  barberWithoutEntitlement: [200, 'forbidden', 'notFound', 200],
  business: [200, 'forbidden', 'notFound', 200],
  administrator: [200, 200, 'notFound', 200],
});

/** Of the appointment's barber, its business or an administrator. A removed appointment is not found. */
export const ofAppointmentsManagers = (success: 200 | 201) => {
  const own: Row = [success, 'forbidden', 'notFound', 'notFound'];
  return only({
    barber: own,
    barberWithoutEntitlement: own,
    business: own,
    administrator: [success, success, 'notFound', 'notFound'],
  });
};
/** Of the tender's barber, its business or an administrator. A tender outlives its appointment. */
export const ofTendersManagers = (success: 200 | 201) => {
  const own: Row = [success, 'forbidden', 'notFound', success];
  return only({
    barber: own,
    barberWithoutEntitlement: own,
    business: own,
    administrator: [success, success, 'notFound', success],
  });
};

/** Of the business itself or an administrator. */
export const ofBusinesses = only({
  business: [200, 'forbidden', 'notFound', 'notFound'],
  administrator: [200, 200, 'notFound', 'notFound'],
});
