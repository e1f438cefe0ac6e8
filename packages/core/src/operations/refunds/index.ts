// Money of captured payments that goes back (D44, D45).

export { refundPayment } from './refundPayment.ts';
export { refundReads } from './refunds.ts';
