import type { Change } from '@chairside/core/ports';
import {
  aBarber,
  aBusiness,
  aDispute,
  aFinancialAccount,
  aKeyRecord,
  aMovement,
  anAppointment,
  anEvent,
  aPayment,
  aPayout,
  aPayoutPreferences,
  aRefund,
  aSchedule,
  aSettlement,
  aSetup,
  aShareEntry,
  aTender,
  aTerminal,
} from '../../builders.ts';
import { aFact, aReview } from './suite.ts';

/** A builder's fields, and the change that writes what it builds; `whole` writes a whole record. */
const writer = <Over, Built>(
  build: (over?: Over) => Built,
  whole: (built: Built) => Change,
): ((over?: Over) => Change) & { readonly whole: typeof whole } =>
  Object.assign((over?: Over) => whole(build(over)), { whole });

/** The same for a record with versions; `update` writes it over one of this version, and `next` what it builds. */
const versioned = <Over, Built>(
  build: (over?: Over) => Built,
  whole: (built: Built) => Change,
  update: (built: Built, expectedVersion: number) => Change,
) =>
  Object.assign(writer(build, whole), {
    update,
    next: (over: Over, expectedVersion: number) => update(build(over), expectedVersion),
  });

/** The change that writes a new record of each kind, with these fields. */
export const write = {
  appointment: writer(anAppointment, (appointment) => ({ kind: 'putAppointment', appointment })),
  barber: writer(aBarber, (barber) => ({ kind: 'putBarber', barber })),
  business: writer(aBusiness, (business) => ({ kind: 'putBusiness', business })),
  dispute: versioned(
    aDispute,
    (dispute) => ({ kind: 'insertDispute', dispute }),
    (dispute, expectedVersion) => ({ kind: 'updateDispute', dispute, expectedVersion }),
  ),
  event: writer(anEvent, (event) => ({ kind: 'appendEvent', event })),
  fact: writer(aFact, (fact) => ({ kind: 'putFact', fact })),
  financialAccount: writer(aFinancialAccount, (account) => ({
    kind: 'putFinancialAccount',
    account,
  })),
  key: writer(aKeyRecord, (record) => ({ kind: 'insertKey', record })),
  movement: writer(aMovement, (movement) => ({ kind: 'insertMovement', movement })),
  payment: versioned(
    aPayment,
    (payment) => ({ kind: 'insertPayment', payment }),
    (payment, expectedVersion) => ({ kind: 'updatePayment', payment, expectedVersion }),
  ),
  payout: writer(aPayout, (payout) => ({ kind: 'putPayout', payout })),
  payoutPreferences: writer(aPayoutPreferences, (preferences) => ({
    kind: 'putPayoutPreferences',
    preferences,
  })),
  refund: versioned(
    aRefund,
    (refund) => ({ kind: 'insertRefund', refund }),
    (refund, expectedVersion) => ({ kind: 'updateRefund', refund, expectedVersion }),
  ),
  review: versioned(
    aReview,
    (review) => ({ kind: 'insertReview', review }),
    (review, expectedVersion) => ({ kind: 'updateReview', review, expectedVersion }),
  ),
  schedule: writer(aSchedule, (schedule) => ({ kind: 'putSchedule', schedule })),
  settlement: writer(aSettlement, (settlement) => ({ kind: 'putSettlement', settlement })),
  setup: versioned(
    aSetup,
    (setup) => ({ kind: 'insertSetup', setup }),
    (setup, expectedVersion) => ({ kind: 'updateSetup', setup, expectedVersion }),
  ),
  share: versioned(
    aShareEntry,
    (share) => ({ kind: 'insertShare', share }),
    (share, expectedVersion) => ({ kind: 'updateShare', share, expectedVersion }),
  ),
  tender: versioned(
    aTender,
    (tender) => ({ kind: 'insertTender', tender }),
    (tender, expectedVersion) => ({ kind: 'updateTender', tender, expectedVersion }),
  ),
  terminal: writer(aTerminal, (terminal) => ({ kind: 'insertTerminal', terminal })),
};

/** The change that removes a record from this version. */
export const remove = {
  payment: (id: string, expectedVersion: number): Change => {
    return { kind: 'deletePayment', id, expectedVersion };
  },
  refund: (id: string, expectedVersion: number): Change => {
    return { kind: 'deleteRefund', id, expectedVersion };
  },
  setup: (id: string, expectedVersion: number): Change => {
    return { kind: 'deleteSetup', id, expectedVersion };
  },
};
