import { requireCustomer } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { claimKey, type KeyUse, keyUse, lookUpKey } from '../call/idempotency.ts';
import type { Unvalidated } from '../call/input.ts';
import { operation, type Valid } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import {
  isOpenedSetup,
  maxOpenSetups,
  type OpenedSetup,
  setupLifetimeMs,
} from '../domain/method-setup.ts';
import type { Fault } from '../domain/problem.ts';
import { conflict } from '../domain/refusals.ts';
import { err, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  type PaymentMethodSetup,
  type PreparePaymentMethodBody,
  paymentMethodSetupSchema,
  preparePaymentMethodBodySchema,
} from '../schemas/payment-method-setup.ts';
import { paymentMethodSetupShapes } from '../schemas/shapes/payment-method-setup.ts';
import { viewSetup } from '../schemas/views.ts';
import { claimWithdrawn, takeOver } from '../work/carry.ts';
import { lease } from '../work/lease.ts';
import {
  finishSetup,
  holdSetup,
  type OpeningSetup,
  setupNeverOpened,
} from '../work/setup/setup.ts';

export interface PreparePaymentMethodInput {
  /** Optional. The same key means the same setup (D19, D23). */
  readonly idempotencyKey?: string;
  readonly body: PreparePaymentMethodBody | Unvalidated;
}

export const preparePaymentMethod = {
  /**
   * Opens a session of one hour in which the processor's SDK collects the customer's payment method.
   * Pass its id when you create the appointment.
   *
   * @example
   * const setup = await chairside.preparePaymentMethod(customer, {
   *   body: { savePaymentMethod: true },
   * });
   */
  preparePaymentMethod: operation<PreparePaymentMethodInput, PaymentMethodSetup>()({
    limit: 'writes',
    problems: ['badRequest', 'forbidden', 'notFound', 'conflict', 'unprocessableEntity'],
    group: 'Payment methods',
    summary: 'Prepares a session in which a customer gives a payment method',
    description:
      "The session is completed with the processor's SDK, so that card data never reaches the service. The `paymentMethodSetupId` is then supplied to appointment creation. The session lasts an hour. With `savePaymentMethod`, only reusable methods are accepted.",
    idempotencyKey: 'optional',
    body: { schema: preparePaymentMethodBodySchema, required: true },
    output: paymentMethodSetupSchema,
    shapes: paymentMethodSetupShapes,
    run: steps,
  }),
};

async function* steps(run: Run, { idempotencyKey, body }: Valid<PreparePaymentMethodInput>) {
  const { ports, auth, call, begun } = run;
  const customerId = yield* requireCustomer(auth);

  // The path has `me`, so the fingerprint names the customer.
  const use =
    idempotencyKey === undefined
      ? undefined
      : keyUse(auth, 'preparePaymentMethod', idempotencyKey, customerId, body);
  const claimed = use && (yield* await lookUpKey(ports, call, use, []));
  // Without a key, only `begun` leads to the setup of an earlier run.
  const setupId = use === undefined ? begun.id : claimed?.resourceId;
  const setup =
    setupId === undefined
      ? yield* beginSetup(ports, customerId, body.savePaymentMethod, use)
      : yield* resumeSetup(run, setupId);
  if (isOpenedSetup(setup)) {
    call.facts.replayed = use !== undefined;
    return viewSetup(setup);
  }

  begun.id = setup.id;
  const opened = yield* await finishSetup(ports, setup);
  return viewSetup(opened);
}

/** Makes the setup and the claim of its key durable before the processor is called (D20). */
async function* beginSetup(
  ports: Ports,
  customerId: string,
  savePaymentMethod: boolean,
  use: KeyUse | undefined,
): Steps<OpeningSetup, Fault<'conflict'> | StoreConflict | StoreUnavailable> {
  const now = ports.clock.now();
  const newest = yield* await ports.store.setups.listByCustomer(customerId, maxOpenSetups);
  const open = newest.filter(({ expiresAt }) => expiresAt > now);
  if (open.length === maxOpenSetups) {
    const detail = `The customer has ${maxOpenSetups} setups that have not expired.`;
    return yield* err(conflict('tooManyOpenSetups', detail));
  }
  const work = lease(ports, { kind: 'open', fence: 1 });
  const setup: OpeningSetup = {
    id: ports.ids.next('pms'),
    customerId,
    savePaymentMethod,
    version: 1,
    createdAt: now,
    expiresAt: now + setupLifetimeMs,
    work,
    nextCheckAt: work.leaseUntil,
  };
  const claim = use === undefined ? [] : [claimKey(use, setup.id)];
  yield* await commit(ports, [...claim, { kind: 'insertSetup', setup }]);
  return setup;
}

/** Finds the opened setup of a key, or takes over its unfinished opening (D20). */
async function* resumeSetup(
  { ports, begun }: Run,
  setupId: string,
): Steps<OpenedSetup | OpeningSetup, Fault<'conflict'> | StoreConflict | StoreUnavailable> {
  const setup = yield* await ports.store.setups.get(setupId);
  if (setup === undefined) {
    begun.id = undefined;
    return yield* err(claimWithdrawn);
  }
  if (isOpenedSetup(setup)) return setup;
  if (setup.work === undefined) return yield* err(setupNeverOpened());
  return yield* await takeOver(ports, setup, setup.work, holdSetup);
}
