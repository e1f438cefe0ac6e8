import type { Clock } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import type Stripe from 'stripe';
import type { StandInAccount } from './account.ts';
import type { BalanceEntry } from './balance.ts';
import type { StandInSwitches } from './books.ts';
import type { Route } from './calls.ts';
import type { StripeCardName } from './cards.ts';
import type { StandInEvent } from './event.ts';
import type { StripeFault } from './faults.ts';
import type { ForeignObjects } from './foreign.ts';
import type { Delay } from './http-client.ts';
import type { Intent } from './intent.ts';
import type { LoggedRequest } from './serve.ts';
import type { StandInServer } from './server.ts';
import type { Setup } from './setup.ts';
import type { Outcome, RawRequest } from './wire.ts';

export interface StripeStandInOptions {
  /** The only source of time. */
  readonly clock: Clock;
  /** The key that requests must carry. A live key makes a live account. */
  readonly secretKey: string;
  /** Signs the messages. */
  readonly webhookSecret: string;
  /** Behaviour that Stripe does not document; see {@link StandInSwitches}. */
  readonly switches?: Partial<StandInSwitches>;
  /** Chooses a request's fault, for simulators. Faults of `failNext` come first. */
  readonly faults?: (request: LoggedRequest) => StripeFault | undefined;
  /** For simulators that use the in-process client. */
  readonly delay?: Delay;
}

/**
 * A stateful stand-in of the part of Stripe's API that Chairside needs. It rejects
 * unknown calls, so that a wrong call fails. The known ones are checked against the SDK's types.
 */
export interface StripeStandIn {
  /** For `httpClient` of the SDK: no socket, no delay. */
  readonly httpClient: Stripe.HttpClient;
  /** Listens on a free port of this machine. */
  listen(): Promise<StandInServer>;
  /** Handles one request, for other transports. */
  readonly serve: (request: RawRequest) => Outcome;

  /** Adds a connected account that takes card payments, with the given differences. */
  addAccount(more?: Partial<StandInAccount>): StandInAccount;
  changeAccount(id: string, change: Partial<StandInAccount>): void;
  /**
   * Adds a location of terminals, to an account or, without one, to the platform. Its country is
   * the account's by default.
   */
  addLocation(account?: string, id?: string, country?: string): string;
  /**
   * Adds a webhook endpoint of the platform. By default it is enabled, for all types, in the present version, and
   * listens to connected accounts; with `application: null` to the platform's own.
   */
  addWebhookEndpoint(more?: Partial<Stripe.WebhookEndpoint>): void;
  /** Deletes it: Stripe returns it as deleted, and makes no more tokens for it. */
  removeLocation(id: string): void;

  /**
   * Presents a card to a reader that collects the intent of a client secret. Returns the intent's
   * id.
   */
  present(clientSecret: string, card: StripeCardName): string;
  /** Ends the processing of a slow card with an approval. */
  settle(clientSecret: string): void;
  /** Changes an intent in the Dashboard, which clears the last card's error. */
  touch(intentId: string): void;
  /** Completes a setup with a card, as a customer does in the app with its client secret. */
  completeSetup(clientSecret: string, card?: StripeCardName): void;
  cancelSetup(clientSecret: string): void;
  /** Deletes a customer in the Dashboard. */
  deleteCustomer(id: string): void;
  /**
   * Refunds a captured intent, as an operator does in the Dashboard.
   * @param isBooked false: the balance does not suffice yet, so the refund is pending. Default: true.
   */
  refund(intentId: string, amount: number, isBooked?: boolean): void;
  /** Disputes a captured intent, as a cardholder does. An inquiry takes no money. */
  dispute(intentId: string, amount: number, isInquiry?: boolean): void;
  /** The card's bank reports a captured intent as fraud. */
  warnOfFraud(intentId: string): void;
  /** Ends a refund otherwise than it began, as the card’s bank does. A refund that has failed or was canceled stays so: it throws. */
  endRefund(refundId: string, status: 'pending' | 'failed' | 'canceled' | 'succeeded'): void;
  /** Moves a dispute to another status, as the card's network does, with the money that follows. */
  moveDispute(disputeId: string, status: Stripe.Dispute['status']): void;

  /** Pays the available balance out, as the account's schedule does. Returns the payouts' ids. */
  payOut(account: string): readonly string[];
  /** Pays an amount out, as the account requests it in the Dashboard. Returns the payout's id. */
  payOutByHand(account: string, amount: number, currency: string): string;
  /** The bank returns a payout. */
  failPayout(payoutId: string): void;
  /** Takes a payout back from the bank. Returns the id of the payout that does so. */
  reversePayout(payoutId: string): string;
  /** Every change of an account's balance, or of the platform's, oldest first. */
  entries(account: string | undefined): readonly BalanceEntry[];

  /** Adds what other software makes in an account, or on the platform. */
  addForeign(account: string | undefined, objects: ForeignObjects): void;

  failNext(route: Route, fault: StripeFault, times?: number): void;
  /** Carries out the requests that were left `unfinished`. Returns their number. */
  finish(): number;
  readonly requests: readonly LoggedRequest[];
  /**
   * Every intent in its current state, in order of creation.
   * @param keep chooses some of them.
   */
  intents(keep?: (intent: Intent) => boolean): readonly Intent[];
  setups(): readonly Setup[];
  /** Every message that Stripe would have sent. */
  readonly events: readonly StandInEvent[];
  /** Signs a message with the current time. */
  signed(event: StandInEvent): RawEvent;
}
