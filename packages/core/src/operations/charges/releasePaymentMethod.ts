import { findOwnSetup } from '../../call/access.ts';
import { hostOperation } from '../../call/operation.ts';
import { keyRetentionMs } from '../../domain/payment.ts';
import { err } from '../../domain/result.ts';
import { formatTimestamp } from '../../domain/time.ts';
import { running } from '../../work/faults.ts';
import { readMethodUse } from '../../work/setup/charged-method.ts';
import { writeSetup } from '../../work/setup/setup.ts';

/** A method that its customer has withdrawn. */
export interface ReleasedPaymentMethod {
  readonly paymentMethodSetupId: string;
  /** No charge began after it. */
  readonly releasedAt: string;
}

export const releasePaymentMethod = {
  /**
   * Withdraws a saved method: no charge of it begins any more. A charge under way ends first: until then
   * it is 409 `running`, and the same call later returns the end. For the setup's customer or a system
   * administrator (D49).
   *
   * @example
   * const released = await chairside.releasePaymentMethod(customer, {
   *   paymentMethodSetupId: 'pms_01h',
   * });
   */
  releasePaymentMethod: hostOperation<
    { readonly paymentMethodSetupId: string },
    ReleasedPaymentMethod
  >()({
    problems: ['forbidden', 'notFound', 'conflict'],
    async *run({ ports, auth }, { paymentMethodSetupId }) {
      const setup = yield* findOwnSetup(ports, auth, paymentMethodSetupId);
      const { releasedAt = ports.clock.now() } = setup;
      // Durable before the question for a charge under way, so that none begins in between.
      if (setup.releasedAt === undefined) {
        const nextCheckAt = setup.nextCheckAt ?? releasedAt + keyRetentionMs;
        yield* await writeSetup(ports, setup, { ...setup, releasedAt, nextCheckAt });
      }
      if ((yield* readMethodUse(ports, setup)) === 'underWay') return yield* err(running());
      return { paymentMethodSetupId: setup.id, releasedAt: formatTimestamp(releasedAt) };
    },
  }),
};
