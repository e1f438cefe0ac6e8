import { requireCustomer } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { claimKey, type KeyUse, keyUse, lookUpKey } from '../call/idempotency.ts';
import { parseInput, type Unvalidated } from '../call/input.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { isOpenedSetup, type OpenedSetup, setupLifetimeMs } from '../domain/method-setup.ts';
import type { Fault, ProblemOf } from '../domain/problem.ts';
import { err, type ResultAsync, type Steps } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  type PaymentMethodSetup,
  type PreparePaymentMethodBody,
  preparePaymentMethodInputSchema,
} from '../schemas/payment-method-setup.ts';
import { viewSetup } from '../schemas/views.ts';
import { lease } from '../work/lease.ts';
import { finishSetup, setupNeverOpened } from '../work/setup/opening-setup.ts';
import { type OpeningSetup, takeOverSetup } from '../work/setup/write-setup.ts';

export interface PreparePaymentMethodInput {
  /** Optional. The same key means the same setup (D19, D23). */
  readonly idempotencyKey?: string;
  readonly body: PreparePaymentMethodBody | Unvalidated;
}

export type PreparePaymentMethodError = ProblemOf<
  'badRequest' | 'forbidden' | 'notFound' | 'conflict' | 'unprocessableEntity' | CommonProblem
>;

/**
 * Opens a session in which the processor's SDK collects the customer's payment method. The host
 * later gives its id to the creation of an appointment (spec "Payment method preparation", D23).
 */
export function preparePaymentMethod(
  ports: Ports,
  caller: Caller,
  input: PreparePaymentMethodInput,
): ResultAsync<PaymentMethodSetup, PreparePaymentMethodError> {
  const begun: BegunSetup = { setupId: undefined };
  return perform(ports, 'preparePaymentMethod', caller, (run) => steps(run, input, begun), input);
}

/**
 * The setup that an earlier run of this call began. Without a key, only this object leads to it.
 */
interface BegunSetup {
  setupId: string | undefined;
}

async function* steps(run: Run, input: PreparePaymentMethodInput, begun: BegunSetup) {
  const { ports, auth, call } = run;
  const { idempotencyKey, body } = yield* parseInput(preparePaymentMethodInputSchema, {
    idempotencyKey: input.idempotencyKey,
    body: input.body,
  });
  const customerId = yield* requireCustomer(auth);

  // The path has `me`, so the fingerprint names the customer.
  const use =
    idempotencyKey === undefined
      ? undefined
      : keyUse(auth, 'preparePaymentMethod', idempotencyKey, customerId, body);
  const claimed = use && (yield* await lookUpKey(ports, call, use, []));
  const setupId = use === undefined ? begun.setupId : claimed?.resourceId;
  const setup =
    setupId === undefined
      ? yield* beginSetup(ports, customerId, body.savePaymentMethod, use)
      : yield* resumeSetup(run, setupId, begun);
  if (isOpenedSetup(setup)) {
    call.facts.replayed = use !== undefined;
    return viewSetup(setup);
  }

  begun.setupId = setup.id;
  const opened = yield* await finishSetup(ports, setup);
  return viewSetup(opened);
}

/** Makes the setup and the claim of its key durable before the processor is called (D20). */
async function* beginSetup(
  ports: Ports,
  customerId: string,
  savePaymentMethod: boolean,
  use: KeyUse | undefined,
): Steps<OpeningSetup, StoreConflict | StoreUnavailable> {
  const now = ports.clock.now();
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
  { ports }: Run,
  setupId: string,
  begun: BegunSetup,
): Steps<OpenedSetup | OpeningSetup, Fault<'conflict'> | StoreConflict | StoreUnavailable> {
  const setup = yield* await ports.store.setups.get(setupId);
  // It was withdrawn meanwhile, so the key is new again.
  if (setup === undefined) {
    begun.setupId = undefined;
    return yield* err({ kind: 'storeConflict', change: 'insertKey' } as const);
  }
  if (isOpenedSetup(setup)) return setup;
  if (setup.work === undefined) return yield* err(setupNeverOpened());
  return yield* await takeOverSetup(ports, setup, setup.work);
}
