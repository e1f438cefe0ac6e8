import type { Payment } from '../payment/payment.ts';
import type { Change } from '../ports/store.ts';
import { shareEntries } from '../share/entries.ts';
import { type Part, split, wholeFor } from '../share/share.ts';
import type { Dispute, ProcessorDispute } from './dispute.ts';
import { disputeMovements, type Movement, refundMovements } from './movement.ts';
import type { ProcessorRefund, Refund } from './refund.ts';

/** Records what a refund has moved, for the statement of its day, and whose money it was (D50, D208). */
export function refundMoves(
  payment: Payment,
  before: Refund | undefined,
  after: Refund,
  seen?: Partial<Pick<ProcessorRefund, 'madeAt' | 'returnedAt'>>,
): readonly Change[] {
  return moves(payment, refundMovements(payment, before, after, seen), after.parts);
}

/** Records what a dispute has moved, and whose money it was. */
export function disputeMoves(
  payment: Payment,
  before: Dispute | undefined,
  after: Dispute,
  seen: Pick<ProcessorDispute, 'bookings' | 'openedAt'>,
): readonly Change[] {
  return moves(payment, disputeMovements(payment, before, after, seen), after.parts);
}

function moves(
  payment: Payment,
  movements: readonly Movement[],
  parts: readonly Part[] | undefined,
): readonly Change[] {
  return movements.flatMap((movement) => {
    const moved: Change = { kind: 'insertMovement', movement };
    if (parts === undefined) return [moved];
    const { id: actId, kind, currency, amountMinor, tipMinor, at } = movement;
    const whole = { ...wholeFor(payment.appointment), amountMinor, tipMinor };
    const act = { actId, kind, currency, at };
    return [moved, ...shareEntries(payment, act, [whole], partsOf(parts, amountMinor, tipMinor))];
  });
}

/** The parts of an amount, which is negative where money leaves. */
function partsOf(parts: readonly Part[], amountMinor: bigint, tipMinor: bigint): readonly Part[] {
  const sign = amountMinor < 0n ? -1n : 1n;
  const owed = split(
    sign * (amountMinor - tipMinor),
    parts.map((part) => (tipMinor === 0n ? part.amountMinor : part.amountMinor - part.tipMinor)),
  );
  const tips = split(
    sign * tipMinor,
    parts.map((part) => part.tipMinor),
  );
  return parts.map((part, index) => {
    const tip = sign * (tips[index] ?? 0n);
    return { ...part, amountMinor: sign * (owed[index] ?? 0n) + tip, tipMinor: tip };
  });
}
