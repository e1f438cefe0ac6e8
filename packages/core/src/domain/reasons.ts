import type { ProblemType } from './problem-types.ts';

/**
 * The recovery that a problem with this reason carries:
 * - `final`: `notApplied`, `doNotRetry`;
 * - `later`: `notApplied`, `retrySameRequestAfterDelay`;
 * - `unknown`: `unknown`, `retrySameRequestAfterDelay`;
 * - `finalOnceReleased`: `unknown` while `attributes.isReleased` is false, because another system
 *   may still capture the payment (D22), else `final`.
 */
export type ReasonRecovery = 'final' | 'later' | 'unknown' | 'finalOnceReleased';

export interface Reason {
  /** The operations that return it. */
  readonly operations: readonly string[];
  /** When a problem carries this reason. */
  readonly when: string;
  readonly recovery: ReasonRecovery;
  /** The client's action. */
  readonly action: string;
}

/**
 * Every `attributes.reason`, by problem type. The guide to problems and the OpenAPI document are
 * generated from this table, and the compiler rejects other reasons for these types. Types that are
 * not listed have no reason, or the processor's own text. A fault takes its recovery from here.
 */
export const reasons = {
  notFound: {
    unknownCustomer: {
      operations: ['preparePaymentMethod'],
      when: 'The payment processor no longer has the customer.',
      recovery: 'final',
      action: 'Register the customer at the processor again.',
    },
  },
  conflict: {
    running: {
      operations: [
        'createContactlessPayment',
        'captureContactlessPayment',
        'cancelContactlessPayment',
        'refundPayment',
        'preparePaymentMethod',
        'chargePaymentMethod',
      ],
      when: 'Another request is working on the same payment, setup or key.',
      recovery: 'unknown',
      action: 'Wait, then send the same request with the same key.',
    },
    notProcessed: {
      operations: ['captureContactlessPayment'],
      when: 'No card was presented yet, or the processor is still working on it.',
      recovery: 'later',
      action: 'Present a card, then capture again.',
    },
    reservedElsewhere: {
      operations: ['captureContactlessPayment', 'chargePaymentMethod'],
      when: 'Another payment of the appointment is being captured.',
      recovery: 'later',
      action: 'Wait and capture again. The appointment may then be paid.',
    },
    tooManyOpenPayments: {
      operations: ['createContactlessPayment', 'chargePaymentMethod'],
      when: 'The appointment has 50 open payments.',
      recovery: 'later',
      action: 'Use an open payment, or wait until some expire.',
    },
    tooManyOpenSetups: {
      operations: ['preparePaymentMethod'],
      when: 'The customer has begun 50 setups within the last hour.',
      recovery: 'later',
      action: 'Use one of them, or wait until one expires.',
    },
    exceedsRemainingBalance: {
      operations: ['createContactlessPayment', 'captureContactlessPayment', 'chargePaymentMethod'],
      when: 'The amount is more than the appointment still owes, so the payment is canceled.',
      recovery: 'finalOnceReleased',
      action: 'Read the payments of the appointment, and create one for the rest.',
    },
    currencyChanged: {
      operations: ['createContactlessPayment', 'captureContactlessPayment', 'chargePaymentMethod'],
      when: 'The business, or what was paid before, is in another currency.',
      recovery: 'finalOnceReleased',
      action: 'Create a new payment. If a part is paid already, use a new appointment.',
    },
    appointmentGone: {
      operations: ['captureContactlessPayment', 'chargePaymentMethod'],
      when: 'The host has removed the appointment, so it owes no money.',
      recovery: 'finalOnceReleased',
      action: 'Tell the person that there is no payment to take.',
    },
    differsAtProcessor: {
      operations: ['captureContactlessPayment', 'chargePaymentMethod'],
      when: 'The processor shows another amount, currency, account or fee.',
      recovery: 'finalOnceReleased',
      action: 'Create a new payment, and tell the operator of the service.',
    },
    expired: {
      operations: ['createContactlessPayment', 'preparePaymentMethod', 'chargePaymentMethod'],
      when: 'The payment or setup of this key was not opened in time and never will be.',
      recovery: 'final',
      action: 'Start again with a new key.',
    },
    deviceAlreadyRegistered: {
      operations: ['registerTerminal'],
      when: 'The device is a terminal already.',
      recovery: 'final',
      action: 'Use that terminal, or ask the shop to release the device.',
    },
    defaultAccount: {
      operations: ['removeFinancialAccount'],
      when: 'Payouts go to this account.',
      recovery: 'final',
      action: 'Make another account the default first.',
    },
    scheduleInUse: {
      operations: ['deleteBarberSchedule'],
      when: 'The host still needs the schedule.',
      recovery: 'final',
      action: 'Tell the person.',
    },
    captured: {
      operations: ['cancelContactlessPayment', 'cancelCharge'],
      when: 'The host cancels a payment that is captured.',
      recovery: 'final',
      action: 'Refund the payment instead.',
    },
    notCaptured: {
      operations: ['getReceipt', 'refundPayment'],
      when: 'The receipt or the refund of a payment is asked for that is not captured.',
      recovery: 'final',
      action: 'Capture the payment first. To release an authorized payment, cancel it.',
    },
    exceedsRefundable: {
      operations: ['refundPayment'],
      when: 'The amount is more than refunds and disputes have left of the payment.',
      recovery: 'final',
      action: 'Read the refunds of the payment. Refund at most `attributes.refundable`.',
    },
    tooManyRefunds: {
      operations: ['refundPayment'],
      when: 'The payment has 100 refunds made here, or 1,000 refunds or disputes in all.',
      recovery: 'final',
      action: 'Give the rest back at the processor.',
    },
    refundFailed: {
      operations: ['refundPayment'],
      when: 'The processor refused the refund, or it failed there. No money went back.',
      recovery: 'final',
      action: 'Refund again with a new key, or give the money back in cash.',
    },
    customerMustAct: {
      operations: ['chargePaymentMethod'],
      when: "The customer's bank wants the customer to authenticate, who is not there.",
      recovery: 'final',
      action: 'Tell the customer, who can pay in person or save the card again.',
    },
    declined: {
      operations: ['chargePaymentMethod'],
      when: "The customer's bank declined the charge of the saved method.",
      recovery: 'final',
      action: 'Tell the customer. A later charge needs a new key.',
    },
    methodGone: {
      operations: ['chargePaymentMethod'],
      when: 'The processor no longer has the saved method.',
      recovery: 'final',
      action: 'Ask the customer to save a card again.',
    },
    chargeCanceled: {
      operations: ['chargePaymentMethod'],
      when: 'The charge of this key was canceled before it took money.',
      recovery: 'final',
      action: 'Charge again with a new key, if it is still due.',
    },
    methodNotReady: {
      operations: ['chargePaymentMethod'],
      when: 'The customer has not completed the setup, or not in time.',
      recovery: 'final',
      action: 'Prepare a new setup, and have the customer complete it.',
    },
    methodUsed: {
      operations: ['chargePaymentMethod'],
      when: 'The method is for a single appointment, and was charged before.',
      recovery: 'final',
      action: 'Ask the customer to save a card again.',
    },
    methodReleased: {
      operations: ['chargePaymentMethod'],
      when: 'The customer has withdrawn the method.',
      recovery: 'final',
      action: 'Do not charge it. Ask the customer to pay in another way.',
    },
    chargeUnderWay: {
      operations: ['chargePaymentMethod'],
      when: 'Another charge of the same method has not ended yet.',
      recovery: 'later',
      action: 'Wait, then send the same request with the same key.',
    },
    alreadyCharged: {
      operations: ['chargePaymentMethod'],
      when: 'The appointment has a deposit, or its no-show fee was charged.',
      recovery: 'final',
      action: 'Read the charges of the appointment.',
    },
    notMissed: {
      operations: ['chargePaymentMethod'],
      when: 'The appointment does not say that the customer missed the visit.',
      recovery: 'final',
      action: 'Record the missed visit at the host first.',
    },
    alreadyResolved: {
      operations: ['resolveReview'],
      when: 'The host resolves a review that was resolved before, with another note.',
      recovery: 'final',
      action: 'Read the review.',
    },
  },
  contactlessPaymentCanceled: {
    partiallyAuthorized: {
      operations: ['captureContactlessPayment'],
      when: 'An earlier capture found that only a part of the amount was approved.',
      recovery: 'final',
      action: 'Create a new payment.',
    },
    exceedsRemainingBalance: {
      operations: ['captureContactlessPayment'],
      when: 'An earlier capture found that the amount is more than the appointment owes.',
      recovery: 'final',
      action: 'Create a payment for the rest.',
    },
    currencyChanged: {
      operations: ['captureContactlessPayment'],
      when: 'An earlier capture found that the currency has changed.',
      recovery: 'final',
      action: 'Create a new payment.',
    },
    differsAtProcessor: {
      operations: ['captureContactlessPayment'],
      when: 'An earlier capture found another amount, currency, account or fee at the processor.',
      recovery: 'final',
      action: 'Create a new payment, and tell the operator of the service.',
    },
  },
  contactlessPaymentDeclined: {
    partiallyAuthorized: {
      operations: ['captureContactlessPayment'],
      when: 'Only a part of the amount was approved, so the payment is canceled.',
      recovery: 'finalOnceReleased',
      action: 'Create a new payment for the next card.',
    },
  },
} as const satisfies {
  readonly [T in ProblemType]?: Readonly<Record<string, Reason>>;
};

type Table = Readonly<Record<string, Readonly<Record<string, Reason>>>>;

/** The row of a reason; `undefined` for a type or a text that the table does not have. */
export function findReason(type: string, reason = ''): Reason | undefined {
  const table: Table = reasons;
  return table[type]?.[reason];
}

/** The reasons of each problem type. Types that are not in the table accept any text. */
interface Reasons extends Record<Exclude<ProblemType, keyof typeof reasons>, string> {
  notFound: keyof (typeof reasons)['notFound'];
  conflict: keyof (typeof reasons)['conflict'];
  contactlessPaymentCanceled: keyof (typeof reasons)['contactlessPaymentCanceled'];
  contactlessPaymentDeclined: keyof (typeof reasons)['contactlessPaymentDeclined'];
}

export type ReasonOf<T extends ProblemType> = Reasons[T];
