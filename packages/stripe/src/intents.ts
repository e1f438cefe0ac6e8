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
import { type ListPage, listSince } from './list.ts';
import { type Metadata, metadataOf, paymentMetadata } from './marks.ts';
import { believe, type Intent, intentShape } from './shapes.ts';

/** A ledger entry, which always has a reference at Stripe. */
export type Entry = ProcessorPayment & { readonly reference: string };

/** An intent with Stripe's time of the read. */
export type ReadIntent = Intent & { readonly at?: EpochMs };

/** Includes the charge, which has the card. */
export const expand: string[] = ['latest_charge'];

const listIntents: ListPage = (stripe, params, options) =>
  stripe.paymentIntents.list(params, options);

/** Reads any intent by its id; `undefined` if the account has none. */
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

/** The metadata of any intent, which may be another system's; `undefined` if the account has none. */
export function retrieveMetadata(
  call: Call,
  account: string,
  id: string,
): ResultAsync<Metadata | undefined, Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, account);
    const reply = await call.send(
      (stripe, options) => stripe.paymentIntents.retrieve(id, {}, options),
      scope,
    );
    if (reply.isErr()) return isMissing(reply.error) ? ok(undefined) : err(reply.error);
    return ok(metadataOf(reply.value));
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

/** The intent of a payment, by its reference or, without one, by our marks. */
export function findIntent(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<ReadIntent | undefined, Failure> {
  return safeTry(async function* () {
    const reference = payment.reference ?? (yield* findReference(call, payment));
    if (reference === undefined) return ok(undefined);
    const intent = yield* retrieveIntent(call, payment.account, reference);
    // Stripe never deletes an intent. If it denies one that it gave us, the key or account is
    // wrong.
    return intent && isOurs(intent.metadata, payment) ? ok(intent) : err(unknown);
  });
}

/** The id of the intent with our marks. Of two, the one with the most progress. */
function findReference(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<string | undefined, Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, payment.account);
    const marks = paymentMetadata(payment);
    const ours = yield* listSince(call, listIntents, scope, payment.begunAt, marks);
    const entries = yield* Result.combine(
      ours.map((item) =>
        believe(intentShape, item).andThen((intent) =>
          toLedgerEntry(call, payment.account, intent),
        ),
      ),
    );
    // The newest comes first, also among those with equal progress.
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
