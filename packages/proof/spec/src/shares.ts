import type { Answer } from './answer.ts';
import type { Person } from './people.ts';
import { fresh } from './shop.ts';
import type { AnyWorld } from './world.ts';

/** A visit, an amount with its tip, the tip of it, and the barber. */
export type Part = readonly [
  appointmentId: string,
  amount: string,
  tip?: string | undefined,
  barberId?: string | undefined,
];

interface Asked {
  readonly as?: Person;
  readonly key?: string;
  readonly leavesExcess?: boolean;
  readonly note?: string;
}

/** Says whose a payment is from now on. */
export function share(
  { send }: Pick<AnyWorld, 'send'>,
  paymentId: string,
  parts: readonly Part[],
  { as = 'owner', key = fresh('share'), ...asked }: Asked = {},
): Promise<Answer> {
  const shares = parts.map(([appointmentId, amount, tip, barberId]) => ({
    appointmentId,
    amount,
    ...(tip !== undefined && { tip }),
    ...(barberId !== undefined && { barberId }),
  }));
  return send('sharePayment', as, { id: paymentId, key, body: { shares, ...asked } });
}
