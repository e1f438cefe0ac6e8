import type { EpochMs } from '../values/time.ts';

export const chargePurposes = ['deposit', 'noShow'] as const;
/** Why a saved method is charged: before the visit, or after a missed one. */
export type ChargePurpose = (typeof chargePurposes)[number];

export const chargeRefusals = [
  'customerMustAct',
  'declined',
  'cardUnusable',
  'methodGone',
] as const;
/**
 * Why the customer's bank or the processor refused a charge:
 * - `customerMustAct`: the bank wants the customer to authenticate, who is not there;
 * - `declined`: the bank declined the card, and may accept it later;
 * - `cardUnusable`: the bank will not accept the card again, as it has expired or was reported lost;
 * - `methodGone`: the processor no longer has the method.
 */
export type ChargeRefusal = (typeof chargeRefusals)[number];

/** A payment with this member charges a saved method, without the card. It never changes. */
export interface Charge {
  readonly purpose: ChargePurpose;
  /** The setup that collected the method. */
  readonly setupId: string;
  readonly customerId: string;
  /** The customer that the method's was merged into, and who has agreed since. */
  readonly ownerId?: string;
  /** The customer saved the method for this appointment only, which must still name the setup. */
  readonly isForOneVisit?: true;
  /** The processor's ids of the setup and of the method. */
  readonly setupReference: string;
  readonly paymentMethod: string;
  /** When the customer agreed to be charged. */
  readonly agreedAt: EpochMs;
  /** The host's reference of the wording that the customer agreed to: evidence in a dispute. */
  readonly agreementRef: string;
}

/** Why a method may no longer be charged for an appointment. */
export type OtherOwner = 'customerChanged' | 'setupChanged';

/** A payment, as far as its purpose is concerned. */
export interface Charged {
  readonly charge?: Pick<Charge, 'purpose'> | undefined;
}
