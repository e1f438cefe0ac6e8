import { findPaymentOfBusiness } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { formatMoney } from '../domain/money.ts';
import type { ProblemOf } from '../domain/problem.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import { type RefundsView, viewRefund } from '../schemas/refund.ts';
import { refundableMinor } from '../work/refunding/decide-refundable.ts';
import { readReturned } from '../work/refunding/follow-refunds.ts';

export interface ListRefundsInput {
  readonly contactlessPaymentId: string;
}

export type ListRefundsError = ProblemOf<'forbidden' | 'notFound' | CommonProblem>;

/** Lists a payment's refunds, also those made elsewhere, and the refundable amount (D44). */
export function listRefunds(
  ports: Ports,
  caller: Caller,
  input: ListRefundsInput,
): ResultAsync<RefundsView, ListRefundsError> {
  return perform(ports, 'listRefunds', caller, (run) => steps(run, input), input);
}

async function* steps({ ports, auth }: Run, input: ListRefundsInput) {
  const payment = yield* findPaymentOfBusiness(ports, auth, input.contactlessPaymentId);
  const returned = yield* readReturned(ports, payment);
  const takenMinor = payment.state === 'captured' ? payment.amountMinor : 0n;
  const { capturedMinor = takenMinor, currency } = payment;
  const leftMinor = refundableMinor({ capturedMinor, currency, ...returned });
  const items = returned.refunds.map(viewRefund);
  return {
    items,
    count: items.length,
    captured: formatMoney(capturedMinor),
    refundable: formatMoney(leftMinor > 0n ? leftMinor : 0n),
  };
}
