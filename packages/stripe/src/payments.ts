import { err, ok, okAsync, type Result, type ResultAsync, safeTry } from '@chairside/core';
import {
  type CancelPaymentRequest,
  type CapturePaymentRequest,
  foreignReference,
  type OpenedAtProcessor,
  type OpenPaymentRequest,
  type PaymentHandle,
} from '@chairside/core/ports';
import { orNotSetUp } from './account.ts';
import type { Call } from './connection.ts';
import { isBooked, toEntry } from './entry.ts';
import { type Failure, notSetUp, rejected, unknown } from './failure.ts';
import { type Entry, expand, findEntry, type ReadIntent, retrieveIntent } from './intents.ts';
import { generationOf, keyFor } from './keys.ts';
import { isMarked, openingMetadata, paymentMetadata } from './marks.ts';
import { answeredAt, believe, intentShape, methodsShape } from './shapes.ts';

/** Opens a PaymentIntent for a card-present payment. An old one is only looked up (D20). */
export function openPayment(
  call: Call,
  request: OpenPaymentRequest,
): ResultAsync<OpenedAtProcessor, Failure> {
  const { account, amountMinor, currency, idempotencyKey } = request;
  return safeTry(async function* () {
    if (generationOf(call, request) > 0) return foundLate(call, request).andThen(opened);
    const params = {
      amount: Number(amountMinor),
      currency,
      allowed_payment_method_types: ['card_present'],
      capture_method: 'manual',
      metadata: openingMetadata(request),
      ...(request.applicationFeeMinor !== undefined && {
        application_fee_amount: Number(request.applicationFeeMinor),
      }),
      ...destinationParams(call, account),
    };
    const reply = yield* call
      .send((stripe, options) => stripe.paymentIntents.create(params, options), {
        account,
        idempotencyKey,
      })
      .orElse((failure) => orNotSetUp(call, account, failure));
    const entry = yield* entryOf(call, request, reply);
    // Stripe silently omits methods that the account cannot take.
    const shown = believe(methodsShape, reply);
    const takesCards = shown.isErr() || shown.value.payment_method_types.includes('card_present');
    if (!takesCards) return discard(call, request, entry.reference);
    return ok(entry).andThen(sameMoney(request)).andThen(opened);
  });
}

/** With destination charges the platform charges, and the business gets a transfer. */
export function destinationParams({ charges }: Call, account: string) {
  return charges === 'destination'
    ? { on_behalf_of: account, transfer_data: { destination: account } }
    : {};
}

/** Cancels an intent that no terminal can use. */
function discard(
  call: Call,
  request: OpenPaymentRequest,
  reference: string,
): ResultAsync<never, Failure> {
  const idempotencyKey = `${request.idempotencyKey}:discard`;
  return cancelPayment(call, { ...request, reference, idempotencyKey })
    .mapErr(() => unknown)
    .andThen(() => err(notSetUp));
}

/** The key is too old to be sent, so its effect, if any, is read from the books. */
export function foundLate(call: Call, request: OpenPaymentRequest): ResultAsync<Entry, Failure> {
  return findEntry(call, request).andThen((entry) =>
    entry === undefined ? err(rejected('tooOld')) : ok(entry).andThen(sameMoney(request)),
  );
}

/** Without its secret no terminal can use it. */
function opened({ clientSecret, reference }: Entry): Result<OpenedAtProcessor, Failure> {
  return clientSecret === '' ? err(unknown) : ok({ clientSecret, reference });
}

export function readPayment(
  call: Call,
  payment: PaymentHandle,
  claimed?: string,
): ResultAsync<Entry | undefined, Failure> {
  if (claimed === undefined) return findEntry(call, payment);
  return safeTry(async function* () {
    // An id with another format must not get into a path.
    if (!/^pi_\w{1,200}$/.test(claimed)) return err(rejected(foreignReference));
    const intent = yield* retrieveIntent(call, payment.account, claimed);
    if (intent === undefined || !isMarked(intent.metadata, paymentMetadata(payment))) {
      return err(rejected(foreignReference));
    }
    return toEntry(call, payment.account, intent);
  });
}

/** Captures in full. If an earlier key has captured it, the entry is returned unchanged. */
export function capturePayment(
  call: Call,
  request: CapturePaymentRequest,
): ResultAsync<Entry, Failure> {
  return safeTry(async function* () {
    const { account } = request;
    const generation = generationOf(call, request);
    const { id, entry } = yield* locate(call, request, generation);
    if (id === undefined) return err(rejected('unknownPayment'));
    if (entry?.status === 'captured') return ok(entry).andThen(sameMoney(request));
    if (entry !== undefined && entry.status !== 'authorized') {
      return err(rejected('unexpectedState'));
    }
    const params = { amount_to_capture: Number(request.amountMinor), expand };
    const reply = yield* call.send(
      (stripe, options) => stripe.paymentIntents.capture(id, params, options),
      { account, idempotencyKey: keyFor(request.idempotencyKey, generation) },
    );
    const intent = yield* intentOf(request, reply);
    const captured = yield* toEntry(call, account, intent).andThen(sameMoney(request));
    if (captured.status !== 'captured' || isBooked(intent)) return ok(captured);
    // The time of the booking decides the day (D200). Until Stripe shows it, the reply's own time counts.
    const read = (await retrieveIntent(call, account, id)).unwrapOr(undefined);
    return read !== undefined && isBooked(read) ? toEntry(call, account, read) : ok(captured);
  });
}

/** Cancels an uncaptured payment; `undefined`: Stripe has no payment with our marks. */
export function cancelPayment(
  call: Call,
  request: CancelPaymentRequest,
): ResultAsync<Entry | undefined, Failure> {
  return safeTry(async function* () {
    const { account } = request;
    const generation = generationOf(call, request);
    const { id, entry } = yield* locate(call, request, generation);
    if (id === undefined) return ok(undefined);
    if (entry?.status === 'canceled') return ok(entry);
    const reply = await call.send(
      (stripe, options) => stripe.paymentIntents.cancel(id, { expand }, options),
      { account, idempotencyKey: keyFor(request.idempotencyKey, generation) },
    );
    if (reply.isOk()) return entryOf(call, request, reply.value);
    if (reply.error.code !== 'payment_intent_unexpected_state') return err(reply.error);
    // It was captured, or canceled before. Only a canceled one is a success.
    const after = yield* findEntry(call, { ...request, reference: id });
    return after?.status === 'canceled' ? ok(after) : err(reply.error);
  });
}

/**
 * Finds the payment of a call; without an `id`, Stripe has none with our marks. After the first key
 * has expired, `entry` shows the effect of an earlier key, which is not repeated.
 */
function locate(
  call: Call,
  payment: PaymentHandle,
  generation: number,
): ResultAsync<{ readonly id?: string; readonly entry?: Entry }, Failure> {
  const { reference } = payment;
  if (generation === 0 && reference !== undefined) return okAsync({ id: reference });
  return findEntry(call, payment).map((entry) => {
    if (entry === undefined) return {};
    return generation === 0 ? { id: entry.reference } : { id: entry.reference, entry };
  });
}

/** The entry in the reply to a call, which must belong to this payment. */
export function entryOf(
  call: Call,
  payment: PaymentHandle,
  reply: unknown,
): Result<Entry, Failure> {
  return intentOf(payment, reply).andThen((intent) => toEntry(call, payment.account, intent));
}

function intentOf(payment: PaymentHandle, reply: unknown): Result<ReadIntent, Failure> {
  return believe(intentShape, reply).andThen((intent) =>
    isMarked(intent.metadata, paymentMetadata(payment))
      ? ok({ ...intent, ...answeredAt(reply) })
      : err(unknown),
  );
}

export function sameMoney({ amountMinor, currency }: { amountMinor: bigint; currency: string }) {
  return (entry: Entry): Result<Entry, Failure> =>
    entry.amountMinor === amountMinor && entry.currency === currency ? ok(entry) : err(unknown);
}
