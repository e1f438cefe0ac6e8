// The sentences of each state: first what happened to the money, then what to do now.

/** The name of a state of the screen. */
export type ScreenState = keyof typeof english;

/** The amounts and names that a sentence may need; each is there in the states that name it. */
export interface Said {
  /** The amount of this phone's payment. */
  readonly amount: string;
  /** Sums of the shop's books; empty if zero. */
  readonly refundable: string;
  readonly charged: string;
  readonly left: string;
  /** How many visits the card pays, such as ` for 2 visits`; empty for one. */
  readonly visits: string;
  readonly refunded: string;
  /** An amount that this phone gives back. */
  readonly back: string;
  /** The part of it that went back before the rest was refused. */
  readonly wentBack: string;
  /** The payment that paid the visit instead: its amount, time and card. */
  readonly other: string;
  /** Whether the service has said that the visit was not charged, or only that this payment was not. */
  readonly nothing: string;
  /** Why the service refused. */
  readonly why: string;
}

type Sentence = (of: Said) => readonly [said: string, todo: string];

const of = (amount: string) => amount && ` of ${amount}`;
const take = 'Press Take, then hold the card to this phone.';
const doNot = 'Do not charge again.';
const check = 'Press Check again.';

/** English. Pass your own to translate. */
export const english = {
  // The books are not read yet, or cannot be read.
  looking: () => ['Reading what this visit owes and has paid.', 'Wait a moment.'],
  unreadable: () => [
    'The shop does not answer, so it is not known what this visit owes or has paid.',
    `Take no card now. Check the connection, then press Check again.`,
  ],
  signedOut: () => [
    'You are signed out, so it is not known what this visit owes or has paid.',
    'Take no card now. Sign in, then press Check again.',
  ],
  storageClosed: () => [
    'This phone cannot save payments, so it takes no card.',
    'Allow it to store data, then press Check again. Or use another phone.',
  ],

  // The books are read.
  nothingDue: () => ['Nothing is to be paid for this visit.', 'No card is needed.'],
  priceUnknown: ({ charged, refunded }) => [
    `The price of this visit is not known here.${charged && ` Paid by card: ${charged}.`}${refunded && ` Of that, ${refunded} went back.`}`,
    'Ask the shop what is left to pay.',
  ],
  ready: ({ left, visits }) => [`${left} is to be paid${visits}. No card was charged yet.`, take],
  partlyPaid: ({ charged, left, visits }) => [
    `${charged} is paid. ${left} is still to be paid${visits}.`,
    take,
  ],
  paid: ({ charged }) => [`Paid: ${charged}.`, 'Nothing is left to pay.'],
  partlyRefunded: ({ charged, refunded }) => [
    `${refunded} of the ${charged} that was paid went back.`,
    'Nothing is left to pay.',
  ],
  refundUnderWay: ({ charged, refunded }) => [
    `${refunded} of the ${charged} that was paid is on its way back.`,
    'Tell the customer that it takes some days.',
  ],
  refunded: ({ refunded }) => [
    `All that was paid went back: ${refunded}.`,
    'Tell the customer that it takes some days.',
  ],

  // A payment of this phone is under way.
  opening: ({ amount }) => [`Starting the payment${of(amount)}. No card was read yet.`, 'Wait.'],
  presenting: ({ amount }) => [
    `Ready for a card${amount && `: ${amount}`}. This payment has charged nothing yet.`,
    'Hold the card or phone here.',
  ],
  stopping: () => ['Stopping. It is not known yet whether a card was read.', `Wait. ${doNot}`],
  capturing: ({ amount }) => [
    `The card was read. The payment${of(amount)} is being finished.`,
    'Wait, and keep the app open.',
  ],
  checking: () => [
    'It is not known yet whether the card was charged. The shop is being asked.',
    `Wait. ${doNot}`,
  ],
  captured: ({ amount }) => [
    `Paid${amount && `: ${amount}`}.`,
    'Nothing more is to be done with this card.',
  ],

  // It ended without a charge.
  declined: ({ nothing }) => [
    `The card was declined. ${nothing}`,
    'Insert the card, try another one, or take cash.',
  ],
  partlyApproved: ({ nothing }) => [
    `The card covers only a part of it, so it was not charged. ${nothing}`,
    'Try another card, or take cash.',
  ],
  sheetClosed: ({ nothing }) => [
    `The card screen was closed. ${nothing}`,
    'Take the payment again when the customer is ready.',
  ],
  stopped: ({ nothing }) => [`Stopped. ${nothing}`, 'Take the payment again when you are ready.'],
  canceled: ({ nothing }) => [`The payment was canceled. ${nothing}`, 'Take it again.'],
  expired: ({ nothing }) => [
    `The payment was canceled, or it waited too long for a card. ${nothing}`,
    'Take it again.',
  ],
  owesLess: ({ nothing }) => [
    `Less is due than before, so the payment ended. ${nothing}`,
    'Look at the new amount, then take that.',
  ],
  otherVisit: ({ nothing }) => [
    `Another of these visits was paid or called off meanwhile. ${nothing}`,
    'Look at the other visits, then take it again without that one.',
  ],
  alreadyPaid: ({ other }) => [
    `The visit was paid before${other}. Nothing was charged a second time.`,
    'No card is needed.',
  ],
  noPrice: ({ nothing }) => [
    `The shop asks nothing for this visit, or has no price for it yet. ${nothing}`,
    'Let the shop state the price, then take it again.',
  ],
  paidElsewhere: ({ other }) => [
    `Another payment of this visit was charged${other}. This one charged nothing.`,
    'Look at what is left before you take a card.',
  ],
  noAccess: ({ nothing }) => [
    `You may not take payments for this visit. ${nothing}`,
    'Ask its barber, or the shop.',
  ],
  notSetUp: ({ nothing }) => [
    `This shop cannot take cards yet. ${nothing}`,
    'Take cash, and tell the owner.',
  ],
  refused: ({ nothing }) => [`The payment was refused. ${nothing}`, 'Take it again, or take cash.'],
  waiting: ({ amount }) => [
    `A payment${of(amount)} was begun on this phone. It has charged nothing yet.`,
    'Take it, or drop it.',
  ],

  // A person has to do something.
  noAnswer: () => [
    'The shop does not answer. It is not known whether the card was charged.',
    `${doNot} ${check}`,
  ],
  storedOffline: () => [
    'The phone sends this card later. It is not known yet whether it was charged.',
    `${doNot} Stay online, then press Check again.`,
  ],
  otherPayment: () => [
    'Another payment of this visit is being charged. This one is not finished.',
    `${doNot} Wait a moment, then press Check again.`,
  ],
  signIn: () => [
    'You are signed out. It is not known whether the card was charged.',
    `${doNot} Sign in, then press Check again.`,
  ],
  askShop: () => [
    'You may not see this payment any more. It is not known whether the card was charged.',
    `${doNot} Ask the shop, which can see it. Then drop it here.`,
  ],
  noteUnreadable: () => [
    'This phone cannot read its note of a payment. It is not known whether the card was charged.',
    `${doNot} Ask the shop, which can see it. Then drop it here.`,
  ],
  storage: () => [
    'This phone cannot save the payment. If a card was read, it is not known whether it was charged.',
    `${doNot} Free some space, or close the app and open it again. Then press Check again.`,
  ],
  notStarted: () => [
    'The shop did not answer, so no card was read for this payment.',
    'Check the connection, then take it again.',
  ],
  reader: ({ nothing }) => [`The card reader is not ready. ${nothing}`, 'Try again, or take cash.'],
  readerBusy: ({ nothing }) => [
    `The card reader does not answer. ${nothing}`,
    'Close the app and open it again, then press Check again.',
  ],
  otherWindow: () => [
    'Another window of this phone has this payment. Whether it was charged is known there.',
    `${doNot} Finish it in that window, or press Check again.`,
  ],
  inUse: () => [
    'This phone is taking the payment of another visit. It did nothing for this one.',
    'Finish the other payment first.',
  ],

  // Money goes back.
  askingBack: ({ back }) => [
    `Give back ${back}? It goes to the card that paid.`,
    'It cannot be taken back again.',
  ],
  askingBackWrong: ({ refundable }) => [
    `Nothing goes back yet. That is no amount, or more than the ${refundable} that can go back.`,
    'Type an amount such as 20.00, or leave it empty for all.',
  ],
  givingBack: ({ back }) => [
    `Giving back ${back}. It is not known yet whether it went back.`,
    'Wait.',
  ],
  wentBack: ({ back }) => [`${back} went back.`, 'Tell the customer that it takes some days.'],
  onItsWay: ({ back }) => [
    `${back} is on its way back.`,
    'Tell the customer that it takes some days.',
  ],
  backRefused: ({ back, wentBack, why }) => [
    `${wentBack} ${back} did not go back: ${why}.`.trim(),
    'Look at what can still go back. Then try again, or give cash and note it.',
  ],
  backUnknown: ({ back }) => [
    `It is not known whether ${back} went back.`,
    'Press Refund: it asks for the same refund again, and never gives back twice.',
  ],
} satisfies Record<string, Sentence>;

export type Sentences = Readonly<Record<ScreenState, Sentence>>;

/** Why a refund was refused, by the reason or type of the problem. */
export const refusals: Readonly<Record<string, string>> = {
  exceedsRefundable: 'less is left of that payment',
  leftReversed: 'an earlier refund failed, and its amount has to go back first',
  forbidden: 'you may not give money back here',
  notFound: 'you may not give money back here',
  unauthorized: 'you are signed out',
  paymentProviderNotSetup: 'this shop cannot take cards at the moment',
};

export const labels = {
  take: (amount: string) => `Take ${amount}`,
  another: (amount: string) => `Another card: ${amount}`,
  stop: 'Stop',
  leaveWaiting: 'Stop waiting',
  check: 'Check again',
  signIn: 'Sign in',
  drop: 'Drop',
  back: 'Back',
  next: 'Next customer',
  refund: (amount: string) => `Refund ${amount}`,
  refundTip: (amount: string) => `Refund tip ${amount}`,
  refundAgain: (amount: string) => `Refund ${amount}: ask again`,
  keep: 'Do not refund',
  giveBack: (amount: string) => `Give back ${amount}`,
};
