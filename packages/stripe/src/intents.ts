import {
  type EpochMs,
  err,
  minuteMs,
  ok,
  type PaymentState,
  Result,
  type ResultAsync,
  safeTry,
} from '@chairside/core';
import type { PaymentHandle, ProcessorPayment, ReceiptDetails } from '@chairside/core/ports';
import type { InferOutput } from 'valibot';
import type { Call } from './connection.ts';
import { toEntry, toReceipt } from './entry.ts';
import { denied, type Failure, isMissing, unknown } from './failure.ts';
import { type List, listSince, readPage } from './list.ts';
import { isMarked, type Metadata, metadataOf, paymentMetadata } from './marks.ts';
import {
  answeredAt,
  believe,
  type disputeShape,
  type Intent,
  intentShape,
  type refundShape,
} from './shapes.ts';

/** An entry, which always has a reference at Stripe. */
export type Entry = ProcessorPayment & { readonly reference: string };

/** An intent with Stripe's time of the read. */
export type ReadIntent = Intent & { readonly at?: EpochMs };

/** Includes the charge, which has the card, and its booking, which has the time of the capture (D200). */
export const expand: string[] = ['latest_charge.balance_transaction'];

/** Reads any intent by its id; `undefined` if the account has none. */
function retrieve(
  call: Call,
  account: string | undefined,
  id: string,
  params: { expand?: string[] },
): ResultAsync<object | undefined, Failure> {
  return call
    .send((stripe, options) => stripe.paymentIntents.retrieve(id, params, options), { account })
    .orElse((failure) => (isMissing(failure) ? ok(undefined) : err(failure)));
}

export function retrieveIntent(
  call: Call,
  account: string,
  id: string,
): ResultAsync<ReadIntent | undefined, Failure> {
  return retrieve(call, account, id, { expand }).andThen((reply) => {
    if (reply === undefined) return ok(undefined);
    return believe(intentShape, reply).andThen((intent) =>
      intent.id === id ? ok({ ...intent, ...answeredAt(reply) }) : err(unknown),
    );
  });
}

/** The metadata of any intent, which may be another system's; `undefined` if the account has none. */
export function retrieveMetadata(
  call: Call,
  account: string | undefined,
  id: string,
): ResultAsync<Metadata | undefined, Failure> {
  return retrieve(call, account, id, {}).map((reply) => reply && metadataOf(reply));
}

/** The entry of a payment; see {@link findIntent}. */
export function findEntry(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<Entry | undefined, Failure> {
  return findIntent(call, payment).andThen((intent) =>
    intent === undefined ? ok(undefined) : toEntry(call, payment.account, intent),
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
    if (intent === undefined) return err(denied);
    return isMarked(intent.metadata, paymentMetadata(payment)) ? ok(intent) : err(unknown);
  });
}

/** An opening is sent for so long (D20). */
const opensForMs = 15 * minuteMs;

/** The id of the intent with our marks. Of two, the one with the most progress. */
function findReference(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<string | undefined, Failure> {
  const { account, begunAt } = payment;
  const list: List = (stripe, params, options) => stripe.paymentIntents.list(params, options);
  return listSince({ call, list, account }, begunAt, paymentMetadata(payment), opensForMs)
    .andThen((ours) =>
      Result.combine(
        ours.map((item) =>
          believe(intentShape, item).andThen((intent) => toEntry(call, account, intent)),
        ),
      ),
    )
    .map((entries) => {
      // The newest comes first, also among those with equal progress.
      const [best] = entries.toSorted((a, b) => progress[b.status] - progress[a.status]);
      return best?.reference;
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

/** The receipt fields that the card schemes require (D36), from the payment's charge. */
export function readReceipt(
  call: Call,
  payment: PaymentHandle,
): ResultAsync<ReceiptDetails | undefined, Failure> {
  return findIntent(call, payment).andThen((intent) =>
    intent === undefined
      ? ok(undefined)
      : toEntry(call, payment.account, intent).map(() => toReceipt(call, intent)),
  );
}

/**
 * Every refund or dispute of a captured intent, page by page. An item that cannot be read, or that is
 * of another intent, is an error.
 */
export function listOfIntent<S extends typeof refundShape | typeof disputeShape>(
  call: Call,
  payment: PaymentHandle,
  shape: S,
  listOf: (payment_intent: string) => List,
): ResultAsync<readonly InferOutput<S>[], Failure> {
  const { account } = payment;
  return safeTry(async function* () {
    const intent = yield* findIntent(call, payment);
    // Stripe also reports the release of an uncaptured authorization as a refund.
    if (intent?.status !== 'succeeded') return ok([]);
    const listed = { call, list: listOf(intent.id), account };
    const all: InferOutput<S>[] = [];
    let after: string | undefined;
    do {
      const { items, last } = yield* readPage(listed, undefined, after);
      for (const item of items) {
        const one = yield* believe(shape, item);
        if ((one.payment_intent ?? intent.id) !== intent.id) return err(unknown);
        all.push(one);
      }
      after = last;
    } while (after !== undefined);
    return ok(all);
  });
}
