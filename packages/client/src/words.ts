import type { Reason, Step } from './taking.ts';

const nothing = ' Nothing was charged.';
const nothingMore = ' Nothing more was charged.';
const doNot = ' Do not charge again.';
const ask = ' Ask the shop whether it was charged.';

/** The barber's text, by reason, otherwise by step. */
const table: Readonly<Record<Step | Reason, string>> = {
  idle: '',
  opening: 'Starting the payment…',
  presenting: 'Hold the card or phone here.',
  stopping: 'Stopping. Finding out whether the card was charged.',
  capturing: 'Card read. Finishing the payment…',
  captured: 'Paid.',
  declined: `The card was declined.${nothing} Try another card.`,
  canceled: `Canceled.${nothing}`,
  checking: `Finding out whether the card was charged.${doNot}`,
  stuck: `It is not known whether the card was charged.${doNot}`,

  waiting: 'Not finished. Take this payment again, or drop it.',
  ended: 'No payment is open here.',
  partlyApproved: `The card covers only a part.${nothing} Try another card.`,
  stopped: 'Stopped. This payment charged nothing.',
  sheetClosed: 'Closed. This payment charged nothing.',
  alreadyPaid: `Already paid.${nothingMore}`,
  noPrice: `The shop asks nothing for this appointment, or not yet.${nothingMore}`,
  expired: `The payment was canceled or is too old.${nothing}`,
  paidElsewhere: `Another payment was charged.${nothingMore}`,
  owesLess: `Less is due than before.${nothingMore}`,
  noAccess: 'You may not take payments for this appointment.',
  notSetUp: 'This shop cannot take cards yet.',
  refused: `The payment was refused.${nothing}`,
  askShop: `You have no access to this payment now.${ask}${doNot}`,
  noAnswer: `No answer. It is not known whether the card was charged.${doNot}`,
  storedOffline: `The phone sends this card later. It is not known whether the card was charged.${doNot}`,
  notStarted: 'No answer. No card was read.',
  signIn: 'Sign in, then check again.',
  otherPayment: 'Another payment of this appointment is not finished. Wait, then check again.',
  reader: `The card reader is not ready.${nothing} Try again.`,
  readerBusy: 'The card reader does not answer. Restart the app, then check again.',
  storage:
    'This phone cannot save the payment. Free some space or restart the app, then check again.',
  unreadable: `This phone cannot read the payment.${ask}${doNot}`,
  otherWindow: 'Another window is taking this payment.',
  inUse: 'This phone is taking another payment.',
};

/** English for the barber. Pass your own `words` to translate. */
export function words(step: Step, reason?: Reason): string {
  return table[reason ?? step];
}
