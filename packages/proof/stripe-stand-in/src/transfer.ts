import type Stripe from 'stripe';
import type { Books } from './books.ts';
import type { Charge } from './charge.ts';

/** The transfer of a destination charge to its shop. */
export function transferOf(own: Books, charge: Charge, amount: number): Stripe.Transfer {
  const id = own.nextId('tr');
  const url = `/v1/transfers/${id}/reversals`;
  return {
    id,
    object: 'transfer',
    amount,
    amount_reversed: 0,
    balance_transaction: null,
    created: own.now(),
    currency: charge.currency,
    description: null,
    destination: `${charge.transfer_data?.destination}`,
    livemode: own.livemode,
    metadata: {},
    reversals: { object: 'list', data: [], has_more: false, url },
    reversed: false,
    source_transaction: charge.id,
    transfer_group: null,
  };
}

/** The platform's fee on a destination charge. */
export function applicationFeeOf(own: Books, charge: Charge, amount: number) {
  const id = own.nextId('fee');
  const fee: Stripe.ApplicationFee = {
    id,
    object: 'application_fee',
    account: `${charge.transfer_data?.destination}`,
    amount,
    amount_refunded: 0,
    application: 'ca_standin',
    balance_transaction: null,
    charge: charge.id,
    created: own.now(),
    currency: charge.currency,
    fee_source: { charge: charge.id, type: 'charge' },
    livemode: own.livemode,
    originating_transaction: charge.id,
    refunded: false,
    refunds: {
      object: 'list',
      data: [],
      has_more: false,
      url: `/v1/application_fees/${id}/refunds`,
    },
  };
  return fee;
}

/** The part of the platform's fee that a refund brings back to the account. */
export function feeRefundOf(own: Books, amount: number, currency: string): Stripe.FeeRefund {
  return {
    id: own.nextId('fr'),
    object: 'fee_refund',
    amount,
    balance_transaction: null,
    created: own.now(),
    currency,
    fee: 'fee_standin',
    metadata: {},
  };
}
