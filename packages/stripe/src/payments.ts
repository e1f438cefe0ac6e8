import {
  type CancelPaymentRequest,
  type CapturePaymentRequest,
  type EpochMs,
  err,
  foreignReference,
  type OpenedAtProcessor,
  type OpenPaymentRequest,
  ok,
  type PaymentHandle,
  type Result,
  type ResultAsync,
  safeTry,
} from '@chairside/core';
import { orNotSetUp } from './account.ts';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, keyLifetimeMs, rejected, unknown } from './failure.ts';
import { type Entry, expand, findEntry, retrieveIntent } from './intents.ts';
import { isOurs, toLedgerEntry } from './ledger.ts';
import { paymentMetadata } from './marks.ts';
import { believe, type Intent, intentShape } from './shapes.ts';

export function openPayment(
  call: Call,
  request: OpenPaymentRequest,
): ResultAsync<OpenedAtProcessor, Failure> {
  const { account, amountMinor, currency, idempotencyKey } = request;
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, account);
    if (generationOf(call, request.begunAt) > 0) return foundLate(call, request);
    const params = {
      amount: Number(amountMinor),
      currency,
      allowed_payment_method_types: ['card_present'],
      capture_method: 'manual',
      metadata: paymentMetadata(request),
      ...(call.charges === 'destination' && {
        on_behalf_of: account,
        transfer_data: { destination: account },
      }),
    };
    const reply = yield* call
      .send((stripe, options) => stripe.paymentIntents.create(params, options), {
        ...scope,
        idempotencyKey,
      })
      .orElse((failure) => orNotSetUp(call, account, failure));
    const entry = yield* entryOf(call, request, reply);
    return ok(entry).andThen(sameMoney(request)).map(opened);
  });
}

/** The key is too old to be sent: what it did, if anything, is in the ledger. */
function foundLate(
  call: Call,
  request: OpenPaymentRequest,
): ResultAsync<OpenedAtProcessor, Failure> {
  return findEntry(call, request).andThen((entry) =>
    entry === undefined
      ? err(rejected('tooOld'))
      : ok(entry).andThen(sameMoney(request)).map(opened),
  );
}

function opened({ clientSecret, reference }: Entry): OpenedAtProcessor {
  return { clientSecret, reference };
}

export function readPayment(
  call: Call,
  payment: PaymentHandle,
  claimed?: string,
): ResultAsync<Entry | undefined, Failure> {
  if (claimed === undefined) return findEntry(call, payment);
  return safeTry(async function* () {
    // What is no id of Stripe's must not get into a path.
    if (!/^pi_\w{1,200}$/.test(claimed)) return err(rejected(foreignReference));
    const intent = yield* retrieveIntent(call, payment.account, claimed);
    if (intent === undefined || !isOurs(intent.metadata, payment)) {
      return err(rejected(foreignReference));
    }
    return toLedgerEntry(call, payment.account, intent);
  });
}

export function capturePayment(
  call: Call,
  request: CapturePaymentRequest,
): ResultAsync<Entry, Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, request.account);
    const generation = generationOf(call, request.begunAt);
    const reference = yield* referenceOf(call, request, generation);
    if (reference === undefined) return err(rejected('unknownPayment'));
    if (typeof reference === 'object') {
      if (reference.status === 'captured') return ok(reference).andThen(sameMoney(request));
      if (reference.status !== 'authorized') return err(rejected('unexpectedState'));
    }
    const id = typeof reference === 'object' ? reference.reference : reference;
    const params = { amount_to_capture: Number(request.amountMinor), expand };
    const reply = yield* call.send(
      (stripe, options) => stripe.paymentIntents.capture(id, params, options),
      { ...scope, idempotencyKey: keyFor(request.idempotencyKey, generation) },
    );
    return entryOf(call, request, reply).andThen(sameMoney(request));
  });
}

export function cancelPayment(
  call: Call,
  request: CancelPaymentRequest,
): ResultAsync<Entry | undefined, Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, request.account);
    const generation = generationOf(call, request.begunAt);
    const reference = yield* referenceOf(call, request, generation);
    if (reference === undefined) return ok(undefined);
    if (typeof reference === 'object' && reference.status === 'canceled') return ok(reference);
    const id = typeof reference === 'object' ? reference.reference : reference;
    const reply = await call.send(
      (stripe, options) => stripe.paymentIntents.cancel(id, { expand }, options),
      { ...scope, idempotencyKey: keyFor(request.idempotencyKey, generation) },
    );
    if (reply.isOk()) return entryOf(call, request, reply.value);
    if (reply.error.code !== 'payment_intent_unexpected_state') return err(reply.error);
    // Captured, or canceled before: only the second is as good as done.
    const entry = yield* findEntry(call, { ...request, reference: id });
    return entry?.status === 'canceled' ? ok(entry) : err(reply.error);
  });
}

/**
 * The payment's id at Stripe. Once the first key is too old, its whole entry, read now: what an
 * earlier key did shows there, and nothing is done that is done already.
 */
function referenceOf(
  call: Call,
  payment: PaymentHandle,
  generation: number,
): ResultAsync<Entry | string | undefined, Failure> {
  const { reference } = payment;
  return safeTry(async function* () {
    if (generation === 0 && reference !== undefined) return ok(reference);
    const entry = yield* findEntry(call, payment);
    return ok(generation === 0 ? entry?.reference : entry);
  });
}

/** How many lifetimes of a key have passed since the payment was begun. */
function generationOf({ clock }: Call, begunAt: EpochMs): number {
  return Math.max(0, Math.floor((clock.now() - begunAt) / keyLifetimeMs));
}

/** A key that is sent in one lifetime only: Stripe may have forgotten the earlier one (D20). */
function keyFor(idempotencyKey: string, generation: number): string {
  return generation === 0 ? idempotencyKey : `${idempotencyKey}:${generation}`;
}

/** The reply to a call about one payment: it must be that payment. */
function entryOf(call: Call, payment: PaymentHandle, reply: unknown): Result<Entry, Failure> {
  return believe(intentShape, reply).andThen((intent: Intent) =>
    isOurs(intent.metadata, payment) ? toLedgerEntry(call, payment.account, intent) : err(unknown),
  );
}

function sameMoney({ amountMinor, currency }: { amountMinor: bigint; currency: string }) {
  return (entry: Entry): Result<Entry, Failure> =>
    entry.amountMinor === amountMinor && entry.currency === currency ? ok(entry) : err(unknown);
}
