import {
  type Clock,
  type DisputeState,
  type EpochMs,
  formatMoney,
  type PaymentState,
  type RefundState,
} from '@chairside/core';
import { markNames } from '@chairside/stripe';
import type { Intent, StandInEvent, StripeStandIn } from '@chairside/stripe-stand-in';
import type { BookEntry, DisputeBookEntry, RefundBookEntry } from '@chairside/testkit';

/** The stand-in's books in the port's terms. */
export interface StripeBooks {
  /** Records the time of new changes, because Stripe's own times are whole seconds. */
  note(): void;
  entries(): readonly BookEntry[];
}

interface Line {
  readonly at: EpochMs;
  readonly what: string;
}

/** The approval delay of a slow card, the same as the fake's. */
const approvalDelayMs = 5000;

export function createStripeBooks(standIn: StripeStandIn, clock: Clock): StripeBooks {
  const histories = new Map<string, Line[]>();
  /** The approved amount by intent, because a canceled intent no longer shows it. */
  const approved = new Map<string, number>();
  const returned = createReturnedBooks();
  let noted = 0;

  function note(): void {
    // Reading intents lets Stripe cancel the overdue ones.
    const intents = standIn.intents(isOurs);
    for (const event of standIn.events.slice(noted)) {
      returned.note(event);
      const what = isRelease(event) ? undefined : whats[event.type];
      const id = subjectOf(event);
      if (what === undefined || id === undefined) continue;
      histories.set(id, [...(histories.get(id) ?? []), { what, at: clock.now() }]);
    }
    noted = standIn.events.length;
    for (const { id, status, client_secret, amount_capturable } of intents) {
      if (status === 'requires_capture') approved.set(id, amount_capturable);
      const since = histories.get(id)?.at(-1)?.at ?? clock.now();
      if (status !== 'processing' || clock.now() < since + approvalDelayMs) continue;
      standIn.settle(client_secret ?? '');
      note();
    }
  }

  return {
    note,
    entries() {
      note();
      return standIn.intents(isOurs).map((intent) => ({
        ...entryOf(intent, histories.get(intent.id) ?? [], approved.get(intent.id)),
        ...returned.of(intent.id),
      }));
    },
  };
}

/** Accounts hold thousands of other intents, so only ours are looked at. */
function isOurs({ metadata }: Intent): boolean {
  return markNames.payment in metadata;
}

/** The states that the stand-in uses; all others are processing. */
const states: Readonly<Record<string, PaymentState>> = {
  requires_payment_method: 'created',
  requires_capture: 'authorized',
  succeeded: 'captured',
  canceled: 'canceled',
};

function entryOf(
  intent: Intent,
  history: readonly Line[],
  approved: number | undefined,
): BookEntry {
  const { id, metadata, amount, amount_received, client_secret, last_payment_error } = intent;
  const { application_fee_amount: fee } = intent;
  const tip = metadata[markNames.tip];
  const when = (what: string) => history.find((line) => line.what === what)?.at;
  const state = states[intent.status] ?? 'processing';
  const capturedAt = when('captured');
  return {
    id,
    account: metadata[markNames.account] ?? '',
    paymentId: metadata[markNames.payment] ?? '',
    installation: metadata[markNames.installation] ?? '',
    status: state === 'created' && last_payment_error !== null ? 'failed' : state,
    amount: formatMoney(BigInt(amount)),
    amountCaptured: formatMoney(BigInt(amount_received)),
    ...(approved !== undefined && { amountAuthorized: formatMoney(BigInt(approved)) }),
    ...(capturedAt !== undefined && { capturedAt }),
    createdAt: when('opened') ?? intent.created * 1000,
    clientSecret: client_secret ?? '',
    ...(tip !== undefined && { tip: formatMoney(BigInt(tip)) }),
    ...(fee && { applicationFee: formatMoney(BigInt(fee)) }),
    history,
  };
}

const whats: Readonly<Record<string, string>> = {
  'payment_intent.created': 'opened',
  'payment_intent.processing': 'processing',
  'payment_intent.amount_capturable_updated': 'authorized',
  'payment_intent.payment_failed': 'declined',
  'payment_intent.succeeded': 'captured',
  'payment_intent.canceled': 'canceled',
  'charge.refunded': 'refunded',
  'charge.dispute.created': 'disputed',
};

/** The intent of a message. */
function subjectOf(event: StandInEvent): string | undefined {
  const value = memberOf(event, event.type.startsWith('payment_intent.') ? 'id' : 'payment_intent');
  return typeof value === 'string' ? value : undefined;
}

/** Stripe reports the release of an authorization as a refund, although no money returns. */
function isRelease(event: StandInEvent): boolean {
  return event.type === 'charge.refunded' && memberOf(event, 'captured') === false;
}

function memberOf({ data: { object } }: StandInEvent, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
}

/** The refunds and disputes of the stand-in's intents, as its messages tell them. */
export interface ReturnedBooks {
  note(event: StandInEvent): void;
  of(intentId: string): Pick<BookEntry, 'refunds' | 'disputes'>;
}

type ById<T> = Map<string, Map<string, T>>;

export function createReturnedBooks(): ReturnedBooks {
  const refunds: ById<RefundBookEntry> = new Map();
  const disputes: ById<DisputeBookEntry> = new Map();

  return {
    note({ data: { object } }) {
      if (object.object === 'refund') {
        const { id, metadata, status, amount, created, payment_intent, balance_transaction } =
          object;
        // The rest of a capture, which moved nothing.
        const isOurs = metadata?.[markNames.refund] !== undefined;
        if (status === 'succeeded' && balance_transaction === null && !isOurs) return;
        const refundId = metadata?.[markNames.refund];
        keep(refunds, payment_intent, {
          id,
          ...(refundId !== undefined && { refundId }),
          createdAt: created * 1000,
          state: refundStates[status ?? ''] ?? 'pending',
          amount: formatMoney(BigInt(amount)),
        });
      }
      if (object.object === 'dispute') {
        const { id, status, amount, payment_intent, balance_transactions } = object;
        keep(disputes, payment_intent, {
          id,
          state: disputeStates[status] ?? 'open',
          amount: formatMoney(BigInt(amount)),
          isInquiry: status.startsWith('warning_'),
          bookings: balance_transactions.map((one) => ({
            amount: formatMoney(BigInt(one.amount)),
          })),
        });
      }
    },
    of: (intentId) => ({
      refunds: [...(refunds.get(intentId)?.values() ?? [])],
      disputes: [...(disputes.get(intentId)?.values() ?? [])],
    }),
  };
}

const refundStates: Readonly<Record<string, RefundState>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
};

const disputeStates: Readonly<Record<string, DisputeState>> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'won',
};

function keep<T extends { readonly id: string }>(all: ById<T>, intent: unknown, one: T): void {
  if (typeof intent !== 'string') return;
  const own = all.get(intent) ?? new Map<string, T>();
  all.set(intent, own.set(one.id, one));
}
