import { type Clock, type EpochMs, formatMoney, type PaymentState } from '@chairside/core';
import { markNames } from '@chairside/stripe';
import type { Intent, StandInEvent, StripeStandIn } from '@chairside/stripe/stand-in';
import type { LedgerEntry } from '@chairside/testkit';

/** What the stand-in's books say, in the words of the port. */
export interface StripeLedger {
  /** Notes when what has happened since happened: Stripe's own times are whole seconds. */
  note(): void;
  entries(): readonly LedgerEntry[];
}

interface Line {
  readonly at: EpochMs;
  readonly what: string;
}

/** How long a card that is slow to approve takes, as with the fake. */
const approvalDelayMs = 5000;

export function createStripeLedger(standIn: StripeStandIn, clock: Clock): StripeLedger {
  const histories = new Map<string, Line[]>();
  /** What the issuer approved, by intent: it shows no longer once the intent is canceled. */
  const approved = new Map<string, number>();
  let noted = 0;

  function note(): void {
    // Looking at intents lets Stripe cancel those whose time is up.
    const intents = standIn.intents();
    for (const event of standIn.events.slice(noted)) {
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
      return standIn
        .intents()
        .map((intent) => entryOf(intent, histories.get(intent.id) ?? [], approved.get(intent.id)));
    },
  };
}

/** Those that the stand-in knows; everything else is being processed. */
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
): LedgerEntry {
  const { id, metadata, amount, amount_received, client_secret, last_payment_error } = intent;
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

/** The intent that a message is about. */
function subjectOf(event: StandInEvent): string | undefined {
  const value = memberOf(event, event.type.startsWith('payment_intent.') ? 'id' : 'payment_intent');
  return typeof value === 'string' ? value : undefined;
}

/** To Stripe, letting an authorization go is a refund; no money comes back. */
function isRelease(event: StandInEvent): boolean {
  return event.type === 'charge.refunded' && memberOf(event, 'captured') === false;
}

function memberOf({ data: { object } }: StandInEvent, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
}
