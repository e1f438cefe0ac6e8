import { type Chairside, hourMs, type InputOf, type StatementView } from '@chairside/core';
import { expect } from 'vitest';
import { host } from './elsewhere.ts';
import { fresh } from './shop.ts';
import type { World } from './world.ts';

// The day of the shop, as its statement shows it.

export const dayMs = 24 * hourMs;
export const timeZone = 'Europe/Berlin';

/** The day at the shop that this moment is on. */
export function dayAt(at: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at);
}

export function statement(
  { chairside }: Pick<World, 'chairside'>,
  day: string,
): Promise<StatementView> {
  return statementOf(chairside, { businessId: 'shop', day, timeZone });
}

export async function statementOf(
  chairside: Chairside,
  input: InputOf<'getStatement'>,
): Promise<StatementView> {
  const found = await chairside.getStatement(host, input);
  if (found.isErr()) throw new Error(found.error.detail);
  // A member without a value is absent, as in JSON.
  expect(JSON.parse(JSON.stringify(found.value))).toStrictEqual(found.value);
  return found.value;
}

/** Lets time pass, with upkeep every few hours. */
export async function pass(world: Pick<World, 'clock' | 'chairside'>, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 6 * hourMs) {
    world.clock.advance(Math.min(left, 6 * hourMs));
    (await world.chairside.reconcile())._unsafeUnwrap();
  }
}

export async function refund({ chairside }: { chairside: Chairside }, id: string, amount: string) {
  const input = { contactlessPaymentId: id, idempotencyKey: fresh('refund'), body: { amount } };
  return (await chairside.refundPayment(host, input))._unsafeUnwrap();
}
