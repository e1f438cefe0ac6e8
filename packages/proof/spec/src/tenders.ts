import type { TenderView } from '@chairside/core';
import type { Answer } from './answer.ts';
import type { Person } from './people.ts';
import { fresh } from './shop.ts';
import type { AnyWorld } from './world.ts';

interface Paid {
  readonly kind?: string;
  readonly note?: string;
  readonly key?: string;
  readonly as?: Person;
}

/** Records what was paid without a card: in cash, at the barber's chair. */
export function pay(
  { send }: Pick<AnyWorld, 'send'>,
  appointmentId: string,
  amount: string,
  { kind = 'cash', note, key = fresh('tender'), as = 'ada' }: Paid = {},
): Promise<Answer> {
  const body = { kind, amount, ...(note !== undefined && { note }) };
  return send('recordTender', as, { id: appointmentId, key, body });
}

export async function givenTender(
  world: Pick<AnyWorld, 'send'>,
  appointmentId: string,
  amount: string,
  paid: Paid = {},
): Promise<TenderView> {
  const answer = await pay(world, appointmentId, amount, paid);
  if (answer.status !== 201) throw new Error(answer.text);
  return JSON.parse(answer.text);
}

/** Gives a tender back. Without an amount, all that is left. */
export function giveBack(
  { send }: Pick<AnyWorld, 'send'>,
  tenderId: string,
  amount?: string,
  { note, key = fresh('return'), as = 'ada' }: Omit<Paid, 'kind'> = {},
): Promise<Answer> {
  return send('returnTender', as, {
    id: tenderId,
    key,
    body: { ...(amount !== undefined && { amount }), ...(note !== undefined && { note }) },
  });
}
