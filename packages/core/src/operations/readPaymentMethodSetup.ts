import { findOwnSetup } from '../call/access.ts';
import { hostOperation } from '../call/operation.ts';
import { type OpenedSetup, outcomeOf, type SetupOutcome } from '../domain/method-setup.ts';
import { formatTimestamp } from '../domain/time.ts';
import type { ProcessorSetup } from '../ports/processor-calls.ts';
import { cannotRead } from '../work/faults.ts';
import { readSetupAtProcessor, recordOutcome } from '../work/setup/setup.ts';
import { timeOf } from '../work/shared-time.ts';

/** The facts that a host needs before it creates an appointment with a setup (D23). */
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
  /** When the customer withdrew the method. It is never charged again (D49). */
  readonly releasedAt?: string;
}

export const readPaymentMethodSetup = {
  /**
   * Reads whether a setup was completed, by whom, and whether the method can be reused. For the host's
   * own creation of appointments, as the setup's customer or a system administrator (D23).
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
      // Only the first observation tells whether it was completed in time, so its result is stored
      // (D41).
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
