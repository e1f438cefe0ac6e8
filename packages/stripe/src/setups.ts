import {
  err,
  type OpenSetupRequest,
  ok,
  type ProcessorSetup,
  type Result,
  type ResultAsync,
  type SetupHandle,
  safeTry,
} from '@chairside/core';
import type { Call } from './connection.ts';
import { customerFor } from './customers.ts';
import { type Failure, rejected, unknown } from './failure.ts';
import { generationOf } from './keys.ts';
import { type ListPage, listMarked, spanSince } from './list.ts';
import { isMarked, markNames } from './marks.ts';
import { believe, setupShape } from './shapes.ts';
import { lookUp } from './tables.ts';

const listSetups: ListPage = (stripe, params, options) => stripe.setupIntents.list(params, options);

/**
 * Opens a SetupIntent on the platform's own account (D23). One that is to be kept belongs to a
 * customer; one for a single appointment belongs to nobody, so that it cannot be used again.
 */
export function openSetup(
  call: Call,
  request: OpenSetupRequest,
): ResultAsync<ProcessorSetup, Failure> {
  const { installation, customerId, savePaymentMethod, begunAt, idempotencyKey } = request;
  return safeTry(async function* () {
    if (generationOf(call, begunAt) > 0) {
      return readSetup(call, request).andThen((setup) =>
        setup === undefined ? err(rejected('tooOld')) : ok(setup),
      );
    }
    const kept = savePaymentMethod
      ? { customer: yield* customerFor(call, installation, customerId, begunAt) }
      : {};
    const params = {
      allowed_payment_method_types: ['card'],
      metadata: marksOf(request),
      usage: savePaymentMethod ? ('off_session' as const) : ('on_session' as const),
      ...kept,
    };
    const reply = yield* call.send(
      (stripe, options) => stripe.setupIntents.create(params, options),
      { idempotencyKey },
    );
    return toSetup(call, request, reply);
  });
}

export function readSetup(
  call: Call,
  setup: SetupHandle,
): ResultAsync<ProcessorSetup | undefined, Failure> {
  return safeTry(async function* () {
    const reference = setup.reference ?? (yield* findReference(call, setup));
    if (reference === undefined) return ok(undefined);
    if (!/^seti_\w{1,200}$/.test(reference)) return err(unknown);
    const reply = yield* call.send((stripe, options) =>
      stripe.setupIntents.retrieve(reference, {}, options),
    );
    const { metadata } = yield* believe(setupShape, reply);
    return isMarked(metadata, marksOf(setup)) ? toSetup(call, setup, reply) : ok(undefined);
  });
}

function findReference(call: Call, setup: SetupHandle): ResultAsync<string | undefined, Failure> {
  const span = spanSince(call, setup.begunAt);
  return listMarked(call, listSetups, {}, span, marksOf(setup)).map(({ ours }) => ours[0]?.id);
}

function marksOf({ setupId, installation }: SetupHandle) {
  return { [markNames.setup]: setupId, [markNames.installation]: installation };
}

/** Whatever else Stripe calls it, the customer is not done yet. */
const statuses: Readonly<Record<string, ProcessorSetup['status']>> = {
  succeeded: 'completed',
  canceled: 'canceled',
};

function toSetup(call: Call, setup: SetupHandle, reply: unknown): Result<ProcessorSetup, Failure> {
  return believe(setupShape, reply).andThen((seen) => {
    const isOurs = isMarked(seen.metadata, marksOf(setup)) && seen.livemode === call.livemode;
    const isCompleted = seen.status === 'succeeded';
    if (!isOurs || (isCompleted && !seen.payment_method)) return err(unknown);
    return ok({
      reference: seen.id,
      clientSecret: seen.client_secret,
      status: lookUp(statuses, seen.status) ?? 'open',
      ...(isCompleted && seen.payment_method && { paymentMethod: seen.payment_method }),
    });
  });
}
