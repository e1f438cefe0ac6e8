// Every operation of the core.

export { chargePaymentMethod } from './charge/charge-payment-method.ts';
export { charges, releasePaymentMethod } from './charge/operations.ts';
export { customerErasure } from './erase/erase-customer.ts';
export { customerExport } from './erase/export-customer.ts';
export { customerMerging } from './erase/merge-customers.ts';
export { events } from './event/deliver.ts';
export { processorEvents } from './event/receive.ts';
export { barbers, businesses, challengeMethods } from './host/operations.ts';
export { records } from './host/records.ts';
export { captureContactlessPayment } from './payment/capture.ts';
export { createContactlessPayment } from './payment/create.ts';
export { payments } from './payment/operations.ts';
export { receipts } from './receipt/get-receipt.ts';
export { refundReads } from './refund/read.ts';
export { refundExcess } from './refund/refund-excess.ts';
export { refundPayment } from './refund/refund-payment.ts';
export { preparePaymentMethod, readPaymentMethodSetup } from './setup/prepare.ts';
export { sharePayment, shareReads } from './share/share-payment.ts';
export { statements } from './statement/get-statement.ts';
export { recordTender, tenders } from './tender/record-tender.ts';
export { returnTender, voidTender } from './tender/return-tender.ts';
export { terminals } from './terminal/operations.ts';
export { relabeling } from './upkeep/restore.ts';
export { reviews } from './upkeep/reviews.ts';
export { reconciliation, upkeepRounds } from './upkeep/upkeep.ts';
