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
import { aReview } from './suite.ts';

/** A builder's fields, and the change that writes what it builds. */
const writer =
  <Over, Built>(build: (over?: Over) => Built, changeOf: (built: Built) => Change) =>
  (over?: Over): Change =>
    changeOf(build(over));

/** The change that writes a new record of each kind, with these fields. */
export const write = {
  appointment: writer(anAppointment, (appointment) => ({ kind: 'putAppointment', appointment })),
  barber: writer(aBarber, (barber) => ({ kind: 'putBarber', barber })),
  business: writer(aBusiness, (business) => ({ kind: 'putBusiness', business })),
  dispute: writer(aDispute, (dispute) => ({ kind: 'insertDispute', dispute })),
  event: writer(anEvent, (event) => ({ kind: 'appendEvent', event })),
  financialAccount: writer(aFinancialAccount, (account) => ({
    kind: 'putFinancialAccount',
    account,
  })),
  key: writer(aKeyRecord, (record) => ({ kind: 'insertKey', record })),
  movement: writer(aMovement, (movement) => ({ kind: 'insertMovement', movement })),
  payment: writer(aPayment, (payment) => ({ kind: 'insertPayment', payment })),
  payout: writer(aPayout, (payout) => ({ kind: 'putPayout', payout })),
  payoutPreferences: writer(aPayoutPreferences, (preferences) => ({
    kind: 'putPayoutPreferences',
    preferences,
  })),
  refund: writer(aRefund, (refund) => ({ kind: 'insertRefund', refund })),
  review: writer(aReview, (review) => ({ kind: 'insertReview', review })),
  schedule: writer(aSchedule, (schedule) => ({ kind: 'putSchedule', schedule })),
  settlement: writer(aSettlement, (settlement) => ({ kind: 'putSettlement', settlement })),
  setup: writer(aSetup, (setup) => ({ kind: 'insertSetup', setup })),
  share: writer(aShareEntry, (share) => ({ kind: 'insertShare', share })),
  tender: writer(aTender, (tender) => ({ kind: 'insertTender', tender })),
  terminal: writer(aTerminal, (terminal) => ({ kind: 'insertTerminal', terminal })),
};
