import type { ErasedCustomer } from '@chairside/core';
import type { Evidence, Expect, State } from './evidence.ts';
import { refundsLeft } from './readings.ts';

/** Long after the end: keys and secrets are forgotten, and what was to be erased is gone (D47). */
export function checkErased(
  evidence: Evidence,
  state: State,
  erased: readonly ErasedCustomer[],
  expect: Expect,
): void {
  const { payments, setups, tenders, reviews } = state;
  for (const { id, clientSecret, card } of payments) {
    expect(!clientSecret, 'erased', () => `the client secret of ${id} is still stored`);
    expect(card === undefined, 'erased', () => `the card of ${id} is still stored`);
  }
  for (const { id, note } of tenders) {
    expect(note === undefined, 'erased', () => `the note of ${id} is still stored`);
  }
  const known = new Set(payments.map(({ id }) => id));
  for (const { id, note, contactlessPaymentId = '' } of reviews.resolved) {
    const isErased = note === undefined || !known.has(contactlessPaymentId);
    expect(isErased, 'erased', () => `the note of ${id} is still stored`);
  }
  for (const { id, customerId } of setups) {
    expect(false, 'erased', () => `${id} of ${customerId} is still stored`);
  }
  // A refund that is left to a person has not ended, so its keys are kept.
  const left = new Set(refundsLeft(evidence, state).map(({ id }) => id));
  for (const { record, gone } of evidence.claims) {
    // One without a record of its own goes by its own time.
    if (record.resourceId === undefined || left.has(record.resourceId)) continue;
    expect(gone !== undefined, 'erased', () => `the key of ${record.resourceId} is still stored`);
  }
  // A person has yet to write the note of an open review.
  const open = new Set(reviews.open.map(({ id }) => id));
  const pending = erased.flatMap((one) => one.pending).filter((id) => !open.has(id));
  expect(pending.length === 0, 'erased', () => `not settled, and not erased: ${pending}`);
}
