// Charges of saved methods: deposits and fees for missed visits (D49).

export { chargePaymentMethod } from './chargePaymentMethod.ts';
export { charges } from './charges.ts';
export { releasePaymentMethod } from './releasePaymentMethod.ts';
