import {
  type EpochMs,
  err,
  ok,
  type PaymentHandle,
  type PaymentState,
  type ProcessorPayment,
  Result,
  type ResultAsync,
  safeTry,
} from '@chairside/core';
import { answeredAt } from './answered-at.ts';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, isMissing, unknown } from './failure.ts';
import { isOurs, toLedgerEntry } from './ledger.ts';
import { type ListPage, listMarked, spanSince } from './list.ts';
import { paymentMetadata } from './marks.ts';
import { believe, type Intent, intentShape } from './shapes.ts';

/** A ledger entry; at Stripe it always has its reference. */
export type Entry = ProcessorPayment & { readonly reference: string };

/** An intent, and Stripe's time when it was read. */
export type ReadIntent = Intent & { readonly at?: EpochMs };

/** With its charge, which has the card. */
export const expand: string[] = ['latest_charge'];

const listIntents: ListPage = (stripe, params, options) =>
  stripe.paymentIntents.list(params, options);

/** An intent by its id, whoever it belongs to; `undefined` where the account has none. */
export function retrieveIntent(
  call: Call,
  account: string,
  id: string,
): ResultAsync<ReadIntent | undefined, Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, account);
    const reply = await call.send(
      (stripe, options) => stripe.paymentIntents.retrieve(id, { expand }, options),
      scope,
    );
    if (reply.isErr()) return isMissing(reply.error) ? ok(undefined) : err(reply.error);
    return believe(intentShape, reply.value).andThen((intent) =>
      intent.id === id ? ok({ ...intent, ...answeredAt(reply.value) }) : err(unknown),
    );
  });
}

/** The ledger entry of a payment; see {@link findIntent}. */
export function findEntry(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<Entry | undefined, Failure> {
  return findIntent(call, payment).andThen((intent) =>
    intent === undefined ? ok(undefined) : toLedgerEntry(call, payment.account, intent),
  );
}

/** The intent of a payment, by its reference or, where that is not known, by our marks. */
export function findIntent(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<ReadIntent | undefined, Failure> {
  return safeTry(async function* () {
    const reference = payment.reference ?? (yield* findReference(call, payment));
    if (reference === undefined) return ok(undefined);
    const intent = yield* retrieveIntent(call, payment.account, reference);
    // Stripe deletes no intent. If it denies one that it gave us, this is the wrong key or account.
    return intent && isOurs(intent.metadata, payment) ? ok(intent) : err(unknown);
  });
}

/** The id of the intent with our marks. If there are two, then the one that got furthest. */
function findReference(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<string | undefined, Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, payment.account);
    const span = spanSince(call, payment.begunAt);
    const marks = paymentMetadata(payment);
    const { ours } = yield* listMarked(call, listIntents, scope, span, marks);
    const entries = yield* Result.combine(
      ours.map((item) =>
        believe(intentShape, item).andThen((intent) =>
          toLedgerEntry(call, payment.account, intent),
        ),
      ),
    );
    // Newest come first, and stay first among equals.
    const [best] = entries.toSorted((a, b) => progress[b.status] - progress[a.status]);
    return ok(best?.reference);
  });
}

const progress: Readonly<Record<PaymentState, number>> = {
  canceled: 0,
  created: 1,
  failed: 2,
  processing: 3,
  authorized: 4,
  captured: 5,
};
