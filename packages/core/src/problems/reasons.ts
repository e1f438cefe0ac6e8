/**
 * Every problem type, with its HTTP status and title. The status is a property
 * of the type; the rest of the core does not know HTTP.
 */
export const problemTypes = {
  badRequest: { status: 400, title: 'The request is not well-formed' },
  unauthorized: { status: 401, title: 'Authentication is missing or insufficient' },
  forbidden: { status: 403, title: 'The caller may not do this' },
  contactlessPaymentEntitlementMissing: {
    status: 403,
    title: 'The caller is not entitled to contactless payments',
  },
  notFound: { status: 404, title: 'The resource does not exist' },
  methodNotAllowed: { status: 405, title: 'The resource does not have this method' },
  requestTimeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  appointmentAlreadyPaid: { status: 409, title: 'The appointment is already paid' },
  contactlessPaymentCanceled: { status: 409, title: 'The payment was canceled' },
  contactlessPaymentDeclined: { status: 409, title: 'The payment was declined' },
  contentTooLarge: { status: 413, title: 'The request body is too large' },
  unsupportedMediaType: { status: 415, title: 'The request body is not application/json' },
  unprocessableEntity: { status: 422, title: 'The request is well-formed but invalid' },
  paymentProviderNotSetup: {
    status: 422,
    title: 'The business has no payment processor account that is set up',
  },
  contactlessPaymentDeviceUnsupported: {
    status: 422,
    title: 'The device does not support contactless payments',
  },
  tipTooHigh: { status: 422, title: 'The tip is more than the shop allows' },
  tooManyRequests: { status: 429, title: 'Too many requests' },
  headersTooLarge: { status: 431, title: 'The request headers are too large' },
  internalError: { status: 500, title: 'The service failed' },
  serviceUnavailable: { status: 503, title: 'The service is temporarily unavailable' },
  httpVersionNotSupported: { status: 505, title: 'The version of HTTP is not supported' },
} as const;

/** The `type` of a problem, such as `conflict`. */
export type ProblemType = keyof typeof problemTypes;

/**
 * The recovery that a problem with this reason carries:
 * - `final`: `notApplied`, `doNotRetry`;
 * - `later`: `notApplied`, `retrySameRequestAfterDelay`;
 * - `unknown`: `unknown`, `retrySameRequestAfterDelay`;
 * - `finalOnceReleased`: `unknown` while `attributes.isReleased` is false, because another system
 *   may still capture the payment, else `final`.
 */
export type ReasonRecovery = 'final' | 'later' | 'unknown' | 'finalOnceReleased';

/** The `reason` of any problem. */
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
 * not listed have no reason, or the processor's own text. A fault takes its recovery from here,
 * which a call corrects if its key may have been used before (`truthful` in `perform.ts`).
 */
export const reasons = {
  notFound: {
    unknownCustomer: {
      operations: ['preparePaymentMethod'],
      when: 'The processor does not have the customer whom the host names.',
      recovery: 'final',
      action: 'Tell the shop. The host has to name another customer.',
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
      operations: [
        'captureContactlessPayment',
        'chargePaymentMethod',
        'recordTender',
        'sharePayment',
      ],
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
      operations: [
        'createContactlessPayment',
        'captureContactlessPayment',
        'chargePaymentMethod',
        'refundExcess',
        'recordTender',
        'sharePayment',
      ],
      when: 'The business, or what was paid before, is in another currency.',
      recovery: 'finalOnceReleased',
      action: 'Create a new payment. If a part is paid already, use a new appointment.',
    },
    appointmentReused: {
      operations: [
        'createContactlessPayment',
        'chargePaymentMethod',
        'recordTender',
        'sharePayment',
      ],
      when: 'Another customer paid under the id of this appointment, for another day.',
      recovery: 'final',
      action:
        'Give the visit a new id. If the payments are for this visit, the host says sameVisit.',
    },
    appointmentGone: {
      operations: ['captureContactlessPayment', 'chargePaymentMethod'],
      when: 'The host has removed the appointment, so nothing is due.',
      recovery: 'finalOnceReleased',
      action: 'Tell the person that there is no payment to take.',
    },
    customerChanged: {
      operations: ['chargePaymentMethod'],
      when: 'The appointment was given to another customer before the charge was sent.',
      recovery: 'finalOnceReleased',
      action: 'Read the appointment. Charge a method of its present customer with a new key.',
    },
    setupChanged: {
      operations: ['chargePaymentMethod'],
      when: 'The method is for one visit, and the appointment has another one now.',
      recovery: 'finalOnceReleased',
      action: 'Read the appointment. Charge its present method with a new key.',
    },
    visitPaid: {
      operations: ['chargePaymentMethod'],
      when: 'The charge is a fee for a missed visit, but the visit has been paid, even if that was refunded since.',
      recovery: 'finalOnceReleased',
      action: 'If a payment was refunded, raise the amount due by that, and charge with a new key.',
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
    tooManyTerminals: {
      operations: ['registerTerminal'],
      when: 'The barber has 1,000 terminals.',
      recovery: 'final',
      action: 'Delete one that is not used any more, and register the device again.',
    },
    alreadyMerged: {
      operations: ['mergeCustomers'],
      when: 'One of the two customers was merged before, both are the same, or too many were merged into one.',
      recovery: 'final',
      action: 'Merge each remaining customer into the one that stays.',
    },
    sameWorld: {
      operations: ['relabel'],
      when: 'The database belongs to this processor, mode and installation already.',
      recovery: 'final',
      action: 'Give the copy another installation, or a key of test mode, and relabel it again.',
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
      operations: ['getReceipt', 'refundPayment', 'returnTender', 'sharePayment'],
      when: 'The payment is not captured, so there is nothing to refund and no receipt.',
      recovery: 'final',
      action: 'Capture the payment first. To release an authorized payment, cancel it.',
    },
    noExcess: {
      operations: ['refundExcess'],
      when: 'The shop has kept no more than is due for the appointment.',
      recovery: 'final',
      action: 'Give nothing back. If less is due, lower the amount due first, and use a new key.',
    },
    exceedsRefundable: {
      operations: ['refundPayment'],
      when: 'After its refunds and disputes, less than the amount is left of the payment.',
      recovery: 'final',
      action: 'Read the refunds of the payment. Refund at most `attributes.refundable`.',
    },
    leftReversed: {
      operations: ['refundPayment', 'refundExcess'],
      when: 'An earlier refund failed after its transfer was reversed, and left less than the amount at the platform.',
      recovery: 'final',
      action: 'Refund `attributes.left` of the payment first, then the rest.',
    },
    tooManyRefunds: {
      operations: ['refundPayment'],
      when: 'The payment has 100 refunds made here, or 1,000 refunds or disputes in all.',
      recovery: 'final',
      action: 'Give the rest back at the processor.',
    },
    refundFailed: {
      operations: ['refundPayment', 'refundExcess'],
      when: 'The processor refused the refund, or it failed there. No money went back.',
      recovery: 'final',
      action: 'Refund again with a new key, or give the money back in cash.',
    },
    sharesDiffer: {
      operations: ['sharePayment'],
      when: 'The parts do not add up to what was captured and not given back.',
      recovery: 'final',
      action: 'Share `attributes.shareable`, with `attributes.shareableTip` as tip.',
    },
    feeNotShared: {
      operations: ['sharePayment'],
      when: 'The payment is a fee for a missed visit.',
      recovery: 'final',
      action: 'Leave it with its visit.',
    },
    tooManySharings: {
      operations: ['sharePayment'],
      when: 'The payment was shared 20 times already.',
      recovery: 'final',
      action: 'Leave it as it is shared now.',
    },
    exceedsRemaining: {
      operations: ['recordTender', 'sharePayment'],
      when: 'The amount is more than the appointment still owes.',
      recovery: 'final',
      action: 'Take at most `attributes.remaining`, and give the rest back.',
    },
    exceedsReturnable: {
      operations: ['returnTender'],
      when: 'Less than the amount is left of the tender.',
      recovery: 'final',
      action: 'Give back at most `attributes.returnable`.',
    },
    paidByCard: {
      operations: ['returnTender'],
      when: 'The payment was made by card, and no refund of it has failed since the last that went through.',
      recovery: 'final',
      action:
        'Refund the card payment. Give cash only after that refund has failed, or once its account is gone.',
    },
    tenderVoided: {
      operations: ['returnTender'],
      when: 'The tender was voided, because it was recorded by mistake.',
      recovery: 'final',
      action: 'Read the tenders of the appointment.',
    },
    tenderReturned: {
      operations: ['voidTender'],
      when: 'A part of the tender was given back already, so it can no longer be voided.',
      recovery: 'final',
      action: 'Return the rest of the tender instead.',
    },
    customerMustAct: {
      operations: ['chargePaymentMethod'],
      when: "The customer's bank wants the customer to authenticate.",
      recovery: 'final',
      action: 'Tell the customer, who can pay in person or save the card again.',
    },
    declined: {
      operations: ['chargePaymentMethod'],
      when: "The customer's bank declined the charge of the saved method.",
      recovery: 'final',
      action: 'Tell the customer. A later charge needs a new key.',
    },
    cardUnusable: {
      operations: ['chargePaymentMethod'],
      when: "The customer's bank will not accept the card again: it has expired, was reported lost, or the like.",
      recovery: 'final',
      action: 'Do not charge it again. Ask the customer to save another card.',
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
    notRefunded: {
      operations: ['allowAnotherCharge'],
      when: 'This charge has not gone back in full, so the host cannot allow another one.',
      recovery: 'final',
      action:
        'Refund the charge first. Wait for a refund that is pending, or a dispute that is open.',
    },
    notMissed: {
      operations: ['chargePaymentMethod'],
      when: 'The appointment does not say that the customer missed the visit.',
      recovery: 'final',
      action: 'Record the missed visit at the host first.',
    },
    alreadyResolved: {
      operations: ['resolveReview'],
      when: 'The review was already resolved, with another note or outcome.',
      recovery: 'final',
      action: 'Read the review.',
    },
    notOpen: {
      operations: ['resolveReview'],
      when: 'The outcome is known already, or the capture of the payment was never sent.',
      recovery: 'final',
      action: 'Read the payment.',
    },
    processorKnows: {
      operations: ['resolveReview'],
      when: 'The processor still shows the payment or refund, and what it shows counts.',
      recovery: 'later',
      action: 'Let upkeep finish it.',
    },
    processorDeniesAll: {
      operations: ['resolveReview'],
      when: 'The processor knows neither this payment nor another one of its account, or it rejects the key: with a wrong key every payment looks unknown.',
      recovery: 'later',
      action: 'Check the processor key and the account.',
    },
  },
  appointmentAlreadyPaid: {
    nothingDue: {
      operations: ['createContactlessPayment', 'chargePaymentMethod'],
      when: 'Nothing is due for the appointment yet, and nothing was paid.',
      recovery: 'final',
      action: 'State the price of the visit, then create the payment.',
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
  // Responses come from elsewhere, so neither has to be one of ours.
  if (!Object.hasOwn(table, type)) return undefined;
  const ofType = table[type] ?? {};
  return Object.hasOwn(ofType, reason) ? ofType[reason] : undefined;
}

/** The reasons of each problem type. Types that are not in the table accept any text. */
type Reasons = {
  readonly [T in ProblemType]: T extends keyof typeof reasons ? keyof (typeof reasons)[T] : string;
};

/** The reasons of one type of problem. */
export type ReasonOf<T extends ProblemType> = Reasons[T];
