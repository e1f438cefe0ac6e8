import { checkable } from './checkable.ts';
import type { Claim } from './claim.ts';

const sdk = 'SDK 23.1.0, declarations';
const docs = (page: string) => `docs.stripe.com/${page}`;

/** Every claim; those that the command checks come first. */
export const claims: readonly Claim[] = [
  ...checkable,
  {
    claim:
      'A capture by hand is booked in its reply: `latest_charge.balance_transaction` has its time, which only captures of `automatic_async` lack',
    source: docs('payments/payment-intents/asynchronous-capture'),
    status: 'unverified',
    byHand: 'a capture with `expand`',
  },
  {
    claim:
      'With `on_behalf_of` the connected account is the settlement merchant; the platform bears fees, refunds and chargebacks of destination charges',
    source: docs('connect/destination-charges'),
    status: 'supported',
    byHand: 'a destination charge, its refund, and both balances',
  },
  {
    claim:
      'A refund of a destination charge that fails returns to the platform’s balance, and its transfer stays reversed',
    source: docs('connect/destination-charges'),
    status: 'supported',
    byHand: 'refund a payment of the test card 4000000000005126',
  },
  {
    claim:
      'A refund with `reverse_transfer` is refused without a code once the transfer is fully reversed',
    source: 'github.com/stripe/stripe-ruby/issues/1058',
    status: 'supported',
    byHand: 'the same refund again, after the first has failed',
  },
  {
    claim: 'The platform’s fee on a destination charge is refunded only with its transfer',
    source: docs('connect/destination-charges'),
    status: 'supported',
    byHand: 'a refund with `refund_application_fee` alone',
  },
  {
    claim:
      'A bank’s report of fraud tells `radar.early_fraud_warning.created`, which names the intent; a full refund in time avoids the dispute',
    source: sdk,
    status: 'supported',
    byHand: 'a payment with the test card 4000000000005423',
  },
  {
    claim:
      'Terminals work only where the account that receives the funds and the location are in one country, in its local currency',
    source: docs('terminal/payments/regional'),
    status: 'supported',
    byHand: 'a location abroad',
  },
  {
    claim:
      'A location narrows a connection token only for internet-connected readers, not for phones',
    source: docs('api/terminal/connection_tokens'),
    status: 'supported',
    byHand: 'a phone at another location',
  },
  {
    claim: 'A payment method that was set up without a customer can be attached to one later',
    source: docs('payments/save-and-reuse'),
    status: 'unverified',
    byHand: 'complete a setup in an app, then attach its payment method',
  },
  {
    claim:
      'A method of the platform is shared with a connected account by `paymentMethods.create`, with the customer that has it; one without a customer is shared or used once',
    source: docs('connect/direct-charges-multiple-accounts'),
    status: 'supported',
    byHand: 'complete a setup in an app, then charge its method twice',
  },
  {
    claim:
      'An off-session charge whose bank wants the customer is refused with 402 `authentication_required`, and its intent waits in `requires_payment_method`',
    source: docs('payments/save-and-reuse'),
    status: 'supported',
    byHand: 'save the test card 4000002760003184 in an app, then charge it',
  },
  {
    claim: 'A method that its customer has removed shows no customer, or is missing',
    source: sdk,
    status: 'supported',
    byHand: 'remove a saved card in the Dashboard, then charge it',
  },
  {
    claim:
      'No request parameter asks for a partial authorization of `card_present`; `amount_authorized` of the charge can differ from `amount` all the same',
    source: sdk,
    status: 'supported',
    byHand: 'a real prepaid card; a smaller authorization is released (D13)',
  },
  {
    claim:
      '`amount_details.tip.amount` is a part of `amount`; only a reader that collects tips sets it for `card_present`',
    source: sdk,
    status: 'supported',
    byHand: 'a reader that collects tips, such as the S700',
  },
  {
    claim:
      '`amount_details.tip.amount` is 0 where the customer chose no tip on the reader, and `amount` stays as it was',
    source: 'stripe.dev/stripe-terminal-java, Tip.amount',
    status: 'supported',
    byHand: 'a reader that collects tips, such as the S700',
  },
  {
    claim: 'HTTP 424: a service outside Stripe failed, and the outcome is open',
    source: docs('api/errors'),
    status: 'supported',
    byHand: 'cannot be provoked',
  },
  {
    claim: 'Stripe keeps a reply for its idempotency key for 24 hours at least, 500s included',
    source: docs('api/idempotent_requests'),
    status: 'supported',
    byHand: 'cannot be provoked',
  },
  {
    claim:
      'A reply that Stripe repeats for its key says so: `Idempotent-Replayed: true`, 500s included',
    source: 'stripe-ruby 5.17.0, StripeError#idempotent_replayed?',
    status: 'supported',
    byHand: 'cannot be provoked',
  },
  {
    claim: 'Every reply of the API has a `Request-Id`, and replies of proxies have none',
    source: docs('api/request_ids'),
    status: 'supported',
    byHand: 'cannot be provoked',
  },
  {
    claim:
      'A webhook endpoint that listens to connected accounts names an `application`, and one that listens to the own account has `null`',
    source: 'stripe-dotnet, issue 1876',
    status: 'unverified',
    byHand: 'compare `chairside doctor` with both kinds in the Dashboard',
  },
  {
    claim: 'Customer search can be an hour behind, and merchants in India do not have it',
    source: docs('api/customers/search'),
    status: 'supported',
    byHand: 'during an outage',
  },
  {
    claim: 'Releases within one major API version only add to it, so their events can be read',
    source: docs('sdks/versioning'),
    status: 'supported',
    byHand: 'the next release',
  },
  {
    claim: 'Thin events are signed like others and name their object without carrying it',
    source: 'SDK 23.1.0, Webhooks',
    status: 'supported',
    byHand: 'an endpoint with thin payloads',
  },
  {
    claim: 'Letting an authorization go tells `charge.refunded`, with `captured: false`',
    source: 'none',
    status: 'unverified',
    byHand: '`stripe listen`, then cancel a held payment',
  },
  {
    claim:
      'A permission that a restricted key lacks is refused with 403 and `more_permissions_required`, once without a code',
    source: 'none',
    status: 'unverified',
    byHand: '`checkAccount` with such a key',
  },
  {
    claim:
      'An account without `card_payments` is refused with `payment_intent_invalid_parameter` or without a code',
    source: 'none',
    status: 'unverified',
    byHand: '`openPayment` for a new account',
  },
  {
    claim: 'Stripe cancels an intent at the `capture_before` of its charge',
    source: docs('payments/place-a-hold-on-a-payment-method'),
    status: 'supported',
    byHand: 'leave an authorization for five days',
  },
  {
    claim: 'Wallets show in `card_present.wallet.type`, and never in test mode',
    source: sdk,
    status: 'unverified',
    byHand: 'a real phone',
  },
  {
    claim: 'The time of a completed setup is `created` of its latest attempt',
    source: sdk,
    status: 'unverified',
    byHand: 'complete a setup in an app',
  },
  {
    claim: 'A processing intent is canceled only in rare cases',
    source: docs('api/payment_intents/cancel'),
    status: 'supported',
    byHand: 'no test card of a reader stays processing',
  },
  {
    claim: 'The entries of a payout that the account requested cannot be listed',
    source: docs('payouts/reconciliation'),
    status: 'supported',
    byHand: 'request a payout, then list its entries',
  },
  {
    claim:
      'Stripe names the entries of a scheduled payout once its `reconciliation_status` is `completed`; the payout’s own entry is among them',
    source: sdk,
    status: 'unverified',
    byHand: 'list the entries of a scheduled payout',
  },
  {
    claim:
      'A payout that failed is in the balance again, as `payout_failure`, which the next scheduled payout pays',
    source: docs('reports/balance-transaction-types'),
    status: 'unverified',
    byHand: 'a test bank account whose payouts fail',
  },
  {
    claim:
      'A dispute takes its amount by an `adjustment` whose source is the dispute, with the fee for it',
    source: docs('reports/reporting-categories'),
    status: 'supported',
    byHand: 'a payment with a test card that is disputed',
  },
  {
    claim:
      'The platform’s fee that a refund returns is an `adjustment` of the category `fee`, or a negative fee of the refund’s entry',
    source: docs('reports/reporting-categories'),
    status: 'unverified',
    byHand: 'refund a payment with its application fee, then list both entries',
  },
];
