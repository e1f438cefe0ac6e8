import { err, hourMs, ok, type Result, type ResultAsync, safeTry, secondMs } from '@chairside/core';
import type {
  CancelSetupRequest,
  OpenSetupRequest,
  ProcessorSetup,
  SetupHandle,
} from '@chairside/core/ports';
import type { Call } from './connection.ts';
import { keyAbout, withCustomer } from './customers.ts';
import { type Failure, rejected, unknown } from './failure.ts';
import { generationOf, keyFor } from './keys.ts';
import { type List, listSince } from './list.ts';
import { isMarked, markNames } from './marks.ts';
import { answeredAt, believe, type Setup, setupShape } from './shapes.ts';
import { lookUp } from './tables.ts';

/**
 * Opens a SetupIntent on the platform's own account (D23). A method to be saved belongs to a
 * customer. One for a single appointment has no customer, so Stripe accepts it for one payment. Both
 * may be charged without the customer (D49), so the bank is asked for that now.
 */
export function openSetup(
  call: Call,
  request: OpenSetupRequest,
): ResultAsync<ProcessorSetup, Failure> {
  const { installation, customerId, savePaymentMethod, idempotencyKey } = request;
  if (generationOf(call, request) > 0) {
    return readSetup(call, request).andThen((setup) =>
      setup === undefined ? err(rejected('tooOld')) : ok(setup),
    );
  }
  return savePaymentMethod ? withCustomer(call, installation, customerId, open) : open();

  function open(kept?: string): ResultAsync<ProcessorSetup, Failure> {
    const params = {
      allowed_payment_method_types: ['card'],
      metadata: marksOf(request),
      usage: 'off_session' as const,
      ...(kept !== undefined && { customer: kept }),
    };
    return safeTry(async function* () {
      const reply = yield* call.send(
        (stripe, options) => stripe.setupIntents.create(params, options),
        { idempotencyKey: kept === undefined ? idempotencyKey : keyAbout(kept, idempotencyKey) },
      );
      // The method would be saved for somebody else.
      const { customer = kept } = yield* believe(setupShape, reply);
      if ((customer ?? undefined) !== kept) return err(unknown);
      return toSetup(call, request, reply);
    });
  }
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
      stripe.setupIntents.retrieve(reference, { expand }, options),
    );
    const { metadata } = yield* believe(setupShape, reply);
    if (!isMarked(metadata, marksOf(setup))) return ok(undefined);
    return toSetup(call, setup, reply).map((seen) => ({ ...seen, ...answeredAt(reply) }));
  });
}

/** Cancels an uncompleted setup; `undefined`: Stripe has no setup with our marks. */
export function cancelSetup(
  call: Call,
  request: CancelSetupRequest,
): ResultAsync<ProcessorSetup | undefined, Failure> {
  return safeTry(async function* () {
    const generation = generationOf(call, request);
    const seen = yield* readSetup(call, request);
    if (seen === undefined || seen.status === 'canceled') return ok(seen);
    const { reference } = seen;
    const reply = yield* call.send(
      (stripe, options) => stripe.setupIntents.cancel(reference, { expand }, options),
      { idempotencyKey: keyFor(request.idempotencyKey, generation) },
    );
    return toSetup(call, request, reply);
  });
}

/** The latest attempt has the time of completion, and the method says whose it is. */
const expand: string[] = ['latest_attempt', 'payment_method'];

/** A setup's opening is sent for so long (D23). */
const opensForMs = hourMs;

function findReference(call: Call, setup: SetupHandle): ResultAsync<string | undefined, Failure> {
  const list: List = (stripe, params, options) => stripe.setupIntents.list(params, options);
  // The newest comes first. If it was opened twice, the completed one has the method.
  return listSince({ call, list }, setup.begunAt, marksOf(setup), opensForMs).map(
    (ours) => (ours.find((item) => item['status'] === 'succeeded') ?? ours[0])?.id,
  );
}

function marksOf({ setupId, installation }: SetupHandle) {
  return { [markNames.setup]: setupId, [markNames.installation]: installation };
}

/** In all other states the customer has not finished yet. */
const statuses: Readonly<Record<string, ProcessorSetup['status']>> = {
  succeeded: 'completed',
  canceled: 'canceled',
};

/** Stripe publishes no time of completion, so the successful attempt's time counts. */
function completedAt({ latest_attempt: attempt }: Setup): Pick<ProcessorSetup, 'completedAt'> {
  return attempt?.status === 'succeeded' && attempt.created !== undefined
    ? { completedAt: attempt.created * secondMs }
    : {};
}

function toSetup(call: Call, setup: SetupHandle, reply: unknown): Result<ProcessorSetup, Failure> {
  return believe(setupShape, reply).andThen((seen) => {
    const isOurs = isMarked(seen.metadata, marksOf(setup)) && seen.livemode === call.livemode;
    const isCompleted = seen.status === 'succeeded';
    const { payment_method: method } = seen;
    if (!isOurs || (isCompleted && !method)) return err(unknown);
    const handle = { reference: seen.id, clientSecret: seen.client_secret ?? '' };
    // A card that has left its customer can never be charged again. Some do so at once.
    const isDetached = !!seen.customer && method?.customer === null;
    if (isCompleted && isDetached) return ok({ ...handle, status: 'canceled' as const });
    return ok({
      ...handle,
      status: lookUp(statuses, seen.status) ?? 'open',
      ...(isCompleted && method && { paymentMethod: method.id }),
      ...(isCompleted && completedAt(seen)),
    });
  });
}
