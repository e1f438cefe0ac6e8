// The names of the charges' inputs, results and errors.
import type { OperationError, OperationInput } from '../../call/operation.ts';
import type { chargePaymentMethod } from './chargePaymentMethod.ts';
import type { charges } from './charges.ts';
import type { releasePaymentMethod } from './releasePaymentMethod.ts';

export type { ChargePaymentMethodInput } from './chargePaymentMethod.ts';
export type { ReleasedPaymentMethod } from './releasePaymentMethod.ts';
export type ChargePaymentMethodError = OperationError<
  typeof chargePaymentMethod.chargePaymentMethod
>;
export type CancelChargeInput = OperationInput<typeof charges.cancelCharge>;
export type CancelChargeError = OperationError<typeof charges.cancelCharge>;
export type GetChargeInput = OperationInput<typeof charges.getCharge>;
export type GetChargeError = OperationError<typeof charges.getCharge>;
export type ListChargesInput = OperationInput<typeof charges.listCharges>;
export type ListChargesError = OperationError<typeof charges.listCharges>;
export type ReleasePaymentMethodInput = OperationInput<
  typeof releasePaymentMethod.releasePaymentMethod
>;
export type ReleasePaymentMethodError = OperationError<
  typeof releasePaymentMethod.releasePaymentMethod
>;
