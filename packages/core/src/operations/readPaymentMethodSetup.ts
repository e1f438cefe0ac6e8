import { find, requireOwn } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import {
  isOpenedSetup,
  type OpenedSetup,
  outcomeOf,
  type SetupOutcome,
} from '../domain/method-setup.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorSetup } from '../ports/processor.ts';
import { cannotRead } from '../work/faults.ts';
import { recordOutcome } from '../work/setup.ts';
import { timeOf } from '../work/shared-time.ts';
import { readSetupAtProcessor } from '../work/write-setup.ts';

export interface ReadPaymentMethodSetupInput {
  readonly paymentMethodSetupId: string;
}

/** What a host must know before it makes an appointment with a setup (D23). */
export interface PaymentMethodSetupStatus {
  readonly paymentMethodSetupId: string;
  /** Whose method it is: the appointment must be theirs. */
  readonly customerId: string;
  /**
   * Only a `completed` one satisfies a booking that requires a card. One that the customer completes
   * after its time is `expired`.
   */
  readonly status: 'open' | 'completed' | 'canceled' | 'expired';
  /** False: the method is for a single appointment, and for the host to use but once. */
  readonly reuseAuthorized: boolean;
  /** The processor's id of the collected method, once completed. */
  readonly paymentMethodReference?: string;
}

export type ReadPaymentMethodSetupError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/**
 * Answers whether a setup was completed, by whom, and whether the method may be used again: for the
 * host's own creation of appointments, as the setup's customer or a system administrator. What was
 * collected is read from the processor. Not on the HTTP interface (D23).
 */
export function readPaymentMethodSetup(
  ports: Ports,
  caller: Caller,
  input: ReadPaymentMethodSetupInput,
): ResultAsync<PaymentMethodSetupStatus, ReadPaymentMethodSetupError> {
  return perform(ports, 'readPaymentMethodSetup', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: ReadPaymentMethodSetupInput) {
  const setup = yield* await findSetup(ports, input.paymentMethodSetupId);
  const isOwn = auth.systemAdministrator === true || auth.customerId === setup.customerId;
  yield* requireOwn(isOwn, 'payment method setup');
  const read = await readSetupAtProcessor(ports, setup);
  const seen = yield* read.mapErr(cannotRead);
  const outcome = outcomeOf(setup, seen, yield* await timeOf(ports, seen));
  // Only the first observation tells whether it was completed in time, so the answer is kept (D41).
  const isFirst = setup.outcome === undefined && seen?.status === 'completed';
  if (outcome !== undefined && isFirst && seen.completedAt === undefined) {
    yield* recordOutcome(ports, setup, outcome);
  }
  return statusOf(setup, seen, outcome);
}

/** Finds a setup that was opened: before that it is no one's to see. */
function findSetup(ports: Ports, id: string) {
  return find('payment method setup', id, ports.store.setups, isOpenedSetup);
}

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
  };
}
