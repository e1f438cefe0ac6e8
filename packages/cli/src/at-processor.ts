import { type Chairside, err, ok, type Result } from '@chairside/core';
import type {
  Payment,
  PaymentHandle,
  ProcessorDispute,
  ProcessorError,
  ProcessorPayment,
  ProcessorRefund,
} from '@chairside/core/ports';

export interface AtProcessor {
  /** Absent if the processor has none. */
  readonly payment?: ProcessorPayment;
  /** Absent where the payment is. */
  readonly refunds?: readonly ProcessorRefund[];
  readonly disputes?: readonly ProcessorDispute[];
}

export async function readAtProcessor(
  { processor, clock, installation }: Chairside['ports'],
  payment: Payment,
): Promise<Result<AtProcessor, ProcessorError>> {
  const { account, id: paymentId, createdAt: begunAt, reference } = payment;
  const handle: PaymentHandle = {
    account,
    paymentId,
    installation,
    begunAt,
    now: clock.now(),
    ...(reference !== undefined && { reference }),
  };
  const seen = await asked(() => processor.readPayment(handle));
  if (seen.isErr()) return err(seen.error);
  if (seen.value === undefined) return ok({});
  const { refunds, disputes } = processor;
  const found = await asked(() => refunds.list(handle));
  if (found.isErr()) return err(found.error);
  const contested = await asked(() => disputes.list(handle));
  if (contested.isErr()) return err(contested.error);
  return ok({
    payment: seen.value,
    refunds: found.value,
    disputes: contested.value,
  });
}

/** An adapter of a host may throw. */
export async function asked<T>(
  call: () => PromiseLike<Result<T, ProcessorError>>,
): Promise<Result<T, ProcessorError>> {
  try {
    return await call();
  } catch {
    return err({ kind: 'unavailable', outcome: 'unknown', answered: false });
  }
}
