// The names of the operations' inputs and errors, for hosts that write functions around them. An error is
// a union of problems, so that a `switch` on its `type` narrows it.
import type { OperationError, OperationInput } from './call/operation.ts';
import type { operations } from './chairside.ts';

type All = typeof operations;

export type CancelContactlessPaymentInput = OperationInput<All['cancelContactlessPayment']>;
export type CancelContactlessPaymentError = OperationError<All['cancelContactlessPayment']>;
export type CaptureContactlessPaymentError = OperationError<All['captureContactlessPayment']>;
export type CreateContactlessPaymentError = OperationError<All['createContactlessPayment']>;
export type CreateTerminalConnectionTokenInput = OperationInput<
  All['createTerminalConnectionToken']
>;
export type CreateTerminalConnectionTokenError = OperationError<
  All['createTerminalConnectionToken']
>;
export type DeleteBarberScheduleInput = OperationInput<All['deleteBarberSchedule']>;
export type DeleteBarberScheduleError = OperationError<All['deleteBarberSchedule']>;
export type DeleteTerminalInput = OperationInput<All['deleteTerminal']>;
export type DeleteTerminalError = OperationError<All['deleteTerminal']>;
export type EraseCustomerError = OperationError<All['eraseCustomer']>;
export type GetAppointmentLedgerInput = OperationInput<All['getAppointmentLedger']>;
export type GetAppointmentLedgerError = OperationError<All['getAppointmentLedger']>;
export type GetContactlessPaymentInput = OperationInput<All['getContactlessPayment']>;
export type GetContactlessPaymentError = OperationError<All['getContactlessPayment']>;
export type GetPaymentTimelineInput = OperationInput<All['getPaymentTimeline']>;
export type GetPaymentTimelineError = OperationError<All['getPaymentTimeline']>;
export type GetPayoutPreferencesInput = OperationInput<All['getPayoutPreferences']>;
export type GetPayoutPreferencesError = OperationError<All['getPayoutPreferences']>;
export type GetReceiptInput = OperationInput<All['getReceipt']>;
export type GetReceiptError = OperationError<All['getReceipt']>;
export type GetTerminalInput = OperationInput<All['getTerminal']>;
export type GetTerminalError = OperationError<All['getTerminal']>;
export type ListChallengeMethodsError = OperationError<All['listChallengeMethods']>;
export type ListContactlessPaymentsInput = OperationInput<All['listContactlessPayments']>;
export type ListContactlessPaymentsError = OperationError<All['listContactlessPayments']>;
export type ListReviewsError = OperationError<All['listReviews']>;
export type ListTerminalsError = OperationError<All['listTerminals']>;
export type PreparePaymentMethodError = OperationError<All['preparePaymentMethod']>;
export type ReadPaymentMethodSetupInput = OperationInput<All['readPaymentMethodSetup']>;
export type ReadPaymentMethodSetupError = OperationError<All['readPaymentMethodSetup']>;
export type ReceiveProcessorEventError = OperationError<All['receiveProcessorEvent']>;
export type RegisterTerminalInput = OperationInput<All['registerTerminal']>;
export type RegisterTerminalError = OperationError<All['registerTerminal']>;
export type ReleaseTerminalInput = OperationInput<All['releaseTerminal']>;
export type ReleaseTerminalError = OperationError<All['releaseTerminal']>;
export type RemoveFinancialAccountInput = OperationInput<All['removeFinancialAccount']>;
export type RemoveFinancialAccountError = OperationError<All['removeFinancialAccount']>;
export type ResolveReviewError = OperationError<All['resolveReview']>;
export type PutRecordError = OperationError<All['records']['putAppointment']>;
