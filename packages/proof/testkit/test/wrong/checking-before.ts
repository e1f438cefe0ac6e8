import type { ChangeKind } from '@chairside/core';
import { checkedBefore, type WrongStore } from './wrong-store.ts';

/** Each kind of change that has a condition, and the race that catches a check before the write. */
const races = {
  insertKey: 'a key that is free',
  finishKey: 'a key without a problem',
  insertPayment: 'a payment that is not there',
  updatePayment: 'a payment',
  deletePayment: 'a payment',
  moveLedger: 'a ledger',
  appendEvent: 'an event that is not there',
  leaseEvent: 'an event',
  postponeEvent: 'an event that was taken up',
  reviveEvent: 'a dead letter',
  removeEvent: 'an event that was taken up',
  insertProcessorEvent: 'a message of the processor',
  insertReturned: 'a refund that was reported',
  insertReview: 'a review that is not there',
  resolveReview: 'an open review',
  countReview: 'the count of a review',
  insertSetup: 'a setup that is not there',
  updateSetup: 'a setup',
  deleteSetup: 'a setup',
  insertRefund: 'a refund that is not there',
  updateRefund: 'a refund',
  deleteRefund: 'a refund',
  insertDispute: 'a dispute that is not there',
  updateDispute: 'a dispute',
  insertTerminal: 'a terminal that is not registered',
  deleteTerminal: 'a terminal',
  deleteFinancialAccount: 'the financial accounts of a business',
  deleteSchedule: 'a schedule',
} as const satisfies { readonly [Kind in ChangeKind]?: string };

const wrongOnes = Object.entries(races).map(([kind, race]) => ({
  kind: kind as ChangeKind, // cast: a key of the table
  race: `one comes first: ${race}`,
}));

export const storesThatCheckBefore: readonly WrongStore[] = [
  ...wrongOnes.map(({ kind, race }) => ({
    fault: `checks ${kind} before the write`,
    caughtBy: race,
    open: checkedBefore([kind]),
  })),
  ...wrongOnes.map(({ kind, race }) => ({
    fault: `checks ${kind} before the write, and again where it groups commits`,
    caughtBy: race,
    open: checkedBefore([kind], true),
  })),
];
