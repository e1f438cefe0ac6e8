import { err, ok, okAsync, type ResultAsync, safeTry } from '@chairside/core';
import { type AuthorizeMethodRequest, methodGone } from '@chairside/core/ports';
import { orNotSetUp } from './account.ts';
import type { Call } from './connection.ts';
import { type Failure, isMissing, rejected, unknown } from './failure.ts';
import { type Entry, expand, findEntry } from './intents.ts';
import { generationOf } from './keys.ts';
import { isMarked, markNames, openingMetadata } from './marks.ts';
import { destinationParams, entryOf, foundLate, sameMoney } from './payments.ts';
import { believe, methodShape, type Setup, setupShape } from './shapes.ts';

/** The setup of a method: its customer is absent for a method of a single appointment (D23). */
type Owner = Pick<Setup, 'customer'>;

/**
 * Charges a saved card off-session: one request opens the PaymentIntent, confirms it and holds the
 * amount (D49). A card that is refused leaves the intent, which is the entry of the refusal.
 */
export function authorizeMethod(
  call: Call,
  request: AuthorizeMethodRequest,
): ResultAsync<Entry, Failure> {
  const { account, amountMinor, currency, idempotencyKey, applicationFeeMinor } = request;
  return safeTry(async function* () {
    if (generationOf(call, request) > 0) return foundLate(call, request);
    const owner = yield* readOwner(call, request);
    const card = await cardFor(call, request, owner);
    if (card.isErr()) return refused(call, request, owner, card.error);
    const params = {
      amount: Number(amountMinor),
      currency,
      allowed_payment_method_types: ['card'],
      capture_method: 'manual',
      confirm: true,
      // The bank refuses what needs the customer, instead of waiting for the customer.
      off_session: true,
      ...card.value,
      metadata: openingMetadata(request),
      expand,
      ...(applicationFeeMinor !== undefined && {
        application_fee_amount: Number(applicationFeeMinor),
      }),
      ...destinationParams(call, account),
    };
    const reply = await call.send(
      (stripe, options) => stripe.paymentIntents.create(params, options),
      { account, idempotencyKey },
    );
    if (reply.isOk()) return entryOf(call, request, reply.value).andThen(sameMoney(request));
    return refused(call, request, owner, reply.error);
  });
}

/** Reads whose method it is. The setup is the platform's, and has our mark. */
function readOwner(
  call: Call,
  { installation, method }: AuthorizeMethodRequest,
): ResultAsync<Owner, Failure> {
  return safeTry(async function* () {
    const { setupReference, paymentMethod } = method;
    if (!/^seti_\w{1,200}$/.test(setupReference)) return err(gone);
    const reply = await call.send((stripe, options) =>
      stripe.setupIntents.retrieve(setupReference, {}, options),
    );
    if (reply.isErr()) return err(isMissing(reply.error) ? gone : reply.error);
    const setup = yield* believe(setupShape, reply.value);
    // Whether it has a customer decides how it is charged.
    if (setup.customer === undefined) return err(unknown);
    const isIts =
      isMarked(setup.metadata, { [markNames.installation]: installation }) &&
      setup.payment_method?.id === paymentMethod;
    return isIts ? ok<Owner>(setup) : err(gone);
  });
}

/**
 * The card as the charged account knows it. With direct charges the platform shares it with the
 * business's account, for one charge. Stripe shares a method without a customer once, so the key of that
 * request is the method's, and not the charge's.
 */
function cardFor(
  call: Call,
  { account, idempotencyKey, method: { paymentMethod } }: AuthorizeMethodRequest,
  { customer }: Owner,
): ResultAsync<{ readonly payment_method: string; readonly customer?: string }, Failure> {
  const own = { payment_method: paymentMethod, ...(customer && { customer }) };
  if (call.charges === 'destination') return okAsync(own);
  const key = customer ? idempotencyKey : `${paymentMethod}:${account}`;
  return shareUnder(`${key}:share`, 0)
    .andThen((reply) => believe(methodShape, reply))
    .map(({ id }) => ({ payment_method: id }));

  /**
   * Stripe repeats a failure or a refusal for a day, although the account may be mended since. That request
   * has ended then, and the next key is the same in every call. If the method was shared all the same, Stripe
   * refuses to share it again.
   */
  function shareUnder(first: string, repeated: number): ResultAsync<unknown, Failure> {
    return call
      .send((stripe, options) => stripe.paymentMethods.create(own, options), {
        account,
        idempotencyKey: repeated === 0 ? first : `${first}:${repeated}`,
      })
      .orElse((failure) =>
        failure.isRepeated && repeated < maxRepeated
          ? shareUnder(first, repeated + 1)
          : err(failure),
      );
  }
}

/** Each call adds at most one key, so these last for as many failures. */
const maxRepeated = 10;

/**
 * Explains a rejection. A refused card has left an intent, which says why. Otherwise the method is gone,
 * or the account takes no card payments.
 */
function refused(
  call: Call,
  request: AuthorizeMethodRequest,
  owner: Owner,
  failure: Failure,
): ResultAsync<Entry, Failure> {
  return safeTry(async function* () {
    const isOfMethod = isMissing(failure) || failure.isUnexplained === true;
    if (!isOfMethod) return err(failure);
    const entry = yield* findEntry(call, request);
    if (entry !== undefined) return ok(entry).andThen(sameMoney(request));
    const explained = await orNotSetUp(call, request.account, failure);
    if (explained.isErr() && explained.error.error.kind === 'notSetUp') return explained;
    return err((yield* isGone(call, request, owner, failure)) ? gone : failure);
  });
}

const gone = rejected(methodGone);

/** Whether Stripe no longer has the method, or it is no longer its customer's. */
function isGone(
  call: Call,
  { method: { paymentMethod } }: AuthorizeMethodRequest,
  { customer }: Owner,
  { code, isRepeated = false }: Failure,
): ResultAsync<boolean, Failure> {
  // Without a customer it was used, and shows no trace of that. Stripe gives no code for it, as for an
  // account that was mended after the refusal that Stripe repeats.
  if (!customer) {
    return okAsync(code === 'resource_missing' || (code === undefined && !isRepeated));
  }
  return (
    call
      .send((stripe, options) => stripe.paymentMethods.retrieve(paymentMethod, {}, options))
      .andThen((reply) => believe(methodShape, reply))
      // Without the member nothing shows that it has left its customer.
      .map((seen) => seen.customer !== undefined && seen.customer !== customer)
      .orElse((failure) => (isMissing(failure) ? ok(true) : err(failure)))
  );
}
