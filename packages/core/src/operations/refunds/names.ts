// The names of the refunds' inputs, results and errors.
import type { OperationError, OperationInput } from '../../call/operation.ts';
import type { refundPayment } from './refundPayment.ts';
import type { refundReads } from './refunds.ts';

export type { RefundPaymentInput, RefundTippedPaymentInput } from './refundPayment.ts';
export type { ListDisputesInput } from './refunds.ts';
export type RefundPaymentError = OperationError<typeof refundPayment.refundPayment>;
export type GetRefundInput = OperationInput<typeof refundReads.getRefund>;
export type GetRefundError = OperationError<typeof refundReads.getRefund>;
export type ListRefundsInput = OperationInput<typeof refundReads.listRefunds>;
export type ListRefundsError = OperationError<typeof refundReads.listRefunds>;
export type ListDisputesError = OperationError<typeof refundReads.listDisputes>;
