// Money of captured payments that goes back (D44, D45).

export { getRefund } from './getRefund.ts';
export { disputes } from './listDisputes.ts';
export { listRefunds } from './listRefunds.ts';
export { refundPayment } from './refundPayment.ts';
