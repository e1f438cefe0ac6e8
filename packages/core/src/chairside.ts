import type { OperationName } from './call/admission.ts';
import { createBackground } from './call/background.ts';
import { type Call, type Caller, toCall } from './call/call.ts';
import { perform } from './call/perform.ts';
import { problemFor } from './call/problem-for.ts';
import { type ChairsideOptions, checkOptions, toPorts } from './call/settings.ts';
import type { Fault, Problem, ProblemType } from './domain/problem.ts';
import { err } from './domain/result.ts';
import { cancelContactlessPayment } from './operations/cancelContactlessPayment.ts';
import { captureContactlessPayment } from './operations/captureContactlessPayment.ts';
import { createContactlessPayment } from './operations/createContactlessPayment.ts';
import { createTerminalConnectionToken } from './operations/createTerminalConnectionToken.ts';
import { listDeadLetters, redeliverEvent, skipEvent } from './operations/deadLetters.ts';
import { deleteBarberSchedule } from './operations/deleteBarberSchedule.ts';
import { deleteTerminal } from './operations/deleteTerminal.ts';
import { deliverEvents } from './operations/deliverEvents.ts';
import { eraseCustomer } from './operations/eraseCustomer.ts';
import { getAppointmentLedger } from './operations/getAppointmentLedger.ts';
import { getContactlessPayment } from './operations/getContactlessPayment.ts';
import { getPaymentTimeline } from './operations/getPaymentTimeline.ts';
import { getPayoutPreferences } from './operations/getPayoutPreferences.ts';
import { getReceipt } from './operations/getReceipt.ts';
import { getRefund } from './operations/getRefund.ts';
import { getTerminal } from './operations/getTerminal.ts';
import { listChallengeMethods } from './operations/listChallengeMethods.ts';
import { listContactlessPayments } from './operations/listContactlessPayments.ts';
import { listDisputes } from './operations/listDisputes.ts';
import { listRefunds } from './operations/listRefunds.ts';
import { listTerminals } from './operations/listTerminals.ts';
import { preparePaymentMethod } from './operations/preparePaymentMethod.ts';
import { readPaymentMethodSetup } from './operations/readPaymentMethodSetup.ts';
import { receiveProcessorEvent } from './operations/receiveProcessorEvent.ts';
import { reconcile } from './operations/reconcile.ts';
import {
  putAppointment,
  putBarber,
  putBusiness,
  putFinancialAccount,
  putPayoutPreferences,
  putSchedule,
} from './operations/records.ts';
import { refundPayment } from './operations/refundPayment.ts';
import { registerTerminal } from './operations/registerTerminal.ts';
import { releaseTerminal } from './operations/releaseTerminal.ts';
import { removeFinancialAccount } from './operations/removeFinancialAccount.ts';
import { listReviews, resolveReview } from './operations/reviews.ts';
import type { Ports } from './ports/ports.ts';
import { upkeep } from './upkeep.ts';
import type { ContactlessPaymentUseCases } from './use-cases/contactless-payments.ts';
import type { CustomerUseCases, ShopUseCases } from './use-cases/customers-and-shops.ts';
import type { RecordUseCases } from './use-cases/records.ts';
import type { RefundUseCases } from './use-cases/refunds.ts';
import type { TerminalUseCases } from './use-cases/terminals.ts';
import type { EventUseCases, TransportFunctions, UpkeepUseCases } from './use-cases/upkeep.ts';

/** The use cases, bound to a host's ports. Each returns a `ResultAsync`; nothing throws. */
export interface Chairside
  extends ContactlessPaymentUseCases,
    RefundUseCases,
    TerminalUseCases,
    CustomerUseCases,
    ShopUseCases,
    UpkeepUseCases {
  /** The host's own records, where Chairside's store keeps them (D35). */
  readonly records: RecordUseCases;
  /** Domain events for the host: run `deliver` on a timer (D26). */
  readonly events: EventUseCases;
  /** Functions for transports. */
  readonly transport: TransportFunctions;
  /** Resolves once no background task is running. Await it before closing the store. */
  settled(): Promise<void>;
}

/**
 * Binds every use case to the given ports. Throws a TypeError for invalid options (D74); the use
 * cases never throw.
 */
export function createChairside(options: ChairsideOptions): Chairside {
  checkOptions(options);
  const background = createBackground(options.waitUntil);
  const ports = toPorts(options, background.run);

  const bind =
    <A extends readonly unknown[], R>(useCase: (ports: Ports, ...rest: A) => R) =>
    (...rest: A): R =>
      useCase(ports, ...rest);

  return {
    // Contactless payments
    createContactlessPayment: bind(createContactlessPayment),
    listContactlessPayments: bind(listContactlessPayments),
    getContactlessPayment: bind(getContactlessPayment),
    captureContactlessPayment: bind(captureContactlessPayment),
    cancelContactlessPayment: bind(cancelContactlessPayment),

    // Money that goes back (D44, D45)
    refundPayment: bind(refundPayment),
    getRefund: bind(getRefund),
    listRefunds: bind(listRefunds),
    listDisputes: bind(listDisputes),

    // Terminals
    registerTerminal: bind(registerTerminal),
    listTerminals: bind(listTerminals),
    getTerminal: bind(getTerminal),
    deleteTerminal: bind(deleteTerminal),
    releaseTerminal: bind(releaseTerminal),
    createTerminalConnectionToken: bind(createTerminalConnectionToken),

    // Payment methods of customers
    preparePaymentMethod: bind(preparePaymentMethod),
    readPaymentMethodSetup: bind(readPaymentMethodSetup),

    // Business, barber and authentication
    removeFinancialAccount: bind(removeFinancialAccount),
    getPayoutPreferences: bind(getPayoutPreferences),
    deleteBarberSchedule: bind(deleteBarberSchedule),
    listChallengeMethods: bind(listChallengeMethods),

    records: {
      putAppointment: bind(putAppointment),
      putBarber: bind(putBarber),
      putBusiness: bind(putBusiness),
      putFinancialAccount: bind(putFinancialAccount),
      putPayoutPreferences: bind(putPayoutPreferences),
      putSchedule: bind(putSchedule),
    },

    getAppointmentLedger: bind(getAppointmentLedger),
    getPaymentTimeline: bind(getPaymentTimeline),
    getReceipt: bind(getReceipt),

    reconcile: bind(reconcile),
    upkeep: bind(upkeep),

    listReviews: bind(listReviews),
    resolveReview: bind(resolveReview),

    eraseCustomer: bind(eraseCustomer),

    receiveProcessorEvent: bind(receiveProcessorEvent),

    events: {
      deliver: bind(deliverEvents),
      listDeadLetters: bind(listDeadLetters),
      redeliver: bind(redeliverEvent),
      skip: bind(skipEvent),
    },

    transport: {
      refuse: bind(refuseCall),
      problem: (fault: Fault, call: Caller): Problem => problemFor(ports, toCall(call), fault),
    },

    settled: background.settled,
  };
}

function refuseCall<T extends ProblemType>(
  ports: Ports,
  operation: OperationName,
  call: Call,
  fault: Fault<T>,
  idempotencyKey?: string,
) {
  return perform(ports, operation, call, async () => err(fault), { idempotencyKey });
}
