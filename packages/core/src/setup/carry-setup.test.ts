import { expect, it } from 'vitest';
import { now } from '../../test/support.ts';
import { outcomeOf } from './carry-setup.ts';
import type { MethodSetup, SeenSetup, SetupOutcome } from './setup.ts';

const setup: MethodSetup = {
  id: 'pms_1',
  customerId: 'customer-1',
  savePaymentMethod: true,
  version: 1,
  createdAt: now - 1000,
  expiresAt: now,
};

it.each<[string, SeenSetup | undefined, number, SetupOutcome | undefined]>([
  ['is unknown to the processor', undefined, now - 1, 'canceled'],
  ['was canceled there', { status: 'canceled' }, now - 1, 'canceled'],
  ['is open before its end', { status: 'open' }, now - 1, undefined],
  ['is open at its end', { status: 'open' }, now, 'expired'],
  ['is open, by the time of the processor', { status: 'open', at: now - 1 }, now + 9, undefined],
  ['is over, by the time of the processor', { status: 'open', at: now }, now - 9, 'expired'],
  ['was completed at its end', { status: 'completed', completedAt: now }, now + 9, 'completed'],
  ['was completed too late', { status: 'completed', completedAt: now + 1 }, now, 'expired'],
  ['is seen completed at its end', { status: 'completed' }, now, 'completed'],
  ['is seen completed too late', { status: 'completed', at: now + 1 }, now, 'expired'],
])('a setup that %s (D41)', (_, seen, at, expected) => {
  expect(outcomeOf(setup, seen, at)).toBe(expected);
  expect(outcomeOf({ ...setup, outcome: 'completed' }, seen, at)).toBe('completed');
});
