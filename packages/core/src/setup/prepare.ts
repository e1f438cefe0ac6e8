import { requireCustomer } from '../frame/access.ts';
import { commit } from '../frame/commit.ts';
import { claimKey, type KeyUse, keyUse, lookUpKey } from '../frame/idempotency.ts';
import { hostOperation, operation } from '../frame/operation.ts';
import type { Run } from '../frame/perform.ts';
import { claimWithdrawn, lease, takeOver, timeOf } from '../payment/carry.ts';
import { cannotRead } from '../payment/faults.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorSetup } from '../ports/processor.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import { err, type Steps } from '../values/result.ts';
import { formatTimestamp } from '../values/time.ts';
import {
  findOwnSetup,
  finishSetup,
  holdSetup,
  isOpenedSetup,
  type OpeningSetup,
  outcomeOf,
  readSetupAtProcessor,
  recordOutcome,
  setupMayBeOpened,
  setupNeverOpened,
} from './carry-setup.ts';
import { maxOpenSetups, type OpenedSetup, type SetupOutcome, setupLifetimeMs } from './setup.ts';
import {
  type PreparePaymentMethodBody,
  paymentMethodSetupSchema,
  paymentMethodSetupShapes,
  preparePaymentMethodBody,
  viewSetup,
} from './wire.ts';

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
  preparePaymentMethod: operation({
    limit: 'writes',
    problems: ['badRequest', 'forbidden', 'notFound', 'conflict', 'unprocessableEntity'],
    group: 'Payment methods',
    summary: 'Prepares a session in which a customer gives a payment method',
    description:
      "The session is completed with the processor's SDK, so that card data never reaches the service. The `paymentMethodSetupId` is then supplied to appointment creation. The session lasts an hour. With `savePaymentMethod`, only reusable methods are accepted.",
    idempotencyKey: 'optional',
    mayBeApplied: setupMayBeOpened,
    body: { ...preparePaymentMethodBody, required: true },
    output: paymentMethodSetupSchema,
    shapes: paymentMethodSetupShapes,
  })(steps),
};

interface PrepareInput {
  readonly idempotencyKey?: string;
  readonly body: PreparePaymentMethodBody;
}

async function* steps(run: Run, { idempotencyKey, body }: PrepareInput) {
  const { ports, auth, call, begun } = run;
  const customerId = yield* requireCustomer(auth);

  // The path has `me`, so the fingerprint names the customer.
  const use =
    idempotencyKey === undefined ? undefined : keyUse(run, idempotencyKey, customerId, body);
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

/** Makes the setup and the claim of its key durable before the processor is called. */
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

/** Finds the opened setup of a key, or takes over its unfinished opening. */
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

/** The facts that a host needs before it creates an appointment with a setup. */
export interface PaymentMethodSetupStatus {
  readonly paymentMethodSetupId: string;
  /** The owner of the method. The appointment must be this customer's. */
  readonly customerId: string;
  /**
   * Only a `completed` setup satisfies a booking that requires a card. A setup that the customer
   * completes too late is `expired`.
   */
  readonly status: 'open' | 'completed' | 'canceled' | 'expired';
  /** False: the method is for a single appointment, and the host may use it only once. */
  readonly reuseAuthorized: boolean;
  /** The processor's id of the collected method, once the setup is completed. */
  readonly paymentMethodReference?: string;
  /** When the customer withdrew the method. It is never charged again. */
  readonly releasedAt?: string;
}

export const readPaymentMethodSetup = {
  /**
   * Reads whether a setup was completed, by whom, and whether the method can be reused. For the host's
   * own creation of appointments, as the setup's customer or a system administrator.
   *
   * @example
   * const setup = await chairside.readPaymentMethodSetup(customer, {
   *   paymentMethodSetupId: 'pms_01h',
   * });
   * const hasCard = setup.isOk() && setup.value.status === 'completed';
   */
  readPaymentMethodSetup: hostOperation<
    { readonly paymentMethodSetupId: string },
    PaymentMethodSetupStatus
  >()({
    problems: ['forbidden', 'notFound'],
    async *run({ ports, auth }, { paymentMethodSetupId }) {
      const setup = yield* findOwnSetup(ports, auth, paymentMethodSetupId);
      const read = await readSetupAtProcessor(ports, setup);
      const seen = yield* read.mapErr(cannotRead);
      const outcome = outcomeOf(setup, seen, yield* await timeOf(ports, seen));
      // Only the first observation tells whether it was completed in time, so its result is stored.
      const isFirst = setup.outcome === undefined && seen?.status === 'completed';
      if (outcome !== undefined && isFirst && seen.completedAt === undefined) {
        yield* recordOutcome(ports, setup, outcome);
      }
      return statusOf(setup, seen, outcome);
    },
  }),
};

function statusOf(
  setup: OpenedSetup,
  seen: ProcessorSetup | undefined,
  outcome: SetupOutcome | undefined,
): PaymentMethodSetupStatus {
  const paymentMethod = outcome === 'completed' ? seen?.paymentMethod : undefined;
  return {
    paymentMethodSetupId: setup.id,
    customerId: setup.customerId,
    status: outcome ?? 'open',
    reuseAuthorized: setup.savePaymentMethod,
    ...(paymentMethod !== undefined && { paymentMethodReference: paymentMethod }),
    ...(setup.releasedAt !== undefined && { releasedAt: formatTimestamp(setup.releasedAt) }),
  };
}
