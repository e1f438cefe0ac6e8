import { err, ok } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { outcomeOf, type Refusal, refusalsOf } from './outcome.ts';

describe('the reply to a group', () => {
  const refusal: Refusal = { state: 'CS001', message: 'no', step: 1 };

  it('names the refused commits by their place', () => {
    expect(refusalsOf({}, 2)).toEqual([undefined, undefined]);
    expect(refusalsOf({ 1: refusal, 0: { state: 'found' } }, 2)).toEqual([
      { state: 'found' },
      refusal,
    ]);
  });

  // A reply that is misread would pass for "written".
  it.each([
    ['no object', null],
    ['no reply', undefined],
    ['a text', '{}'],
    ['a list', []],
    ['a place beyond the group', { 2: refusal }],
    ['a place and one beyond the group', { 0: refusal, 2: refusal }],
    ['a place that is no number', { x: refusal }],
    ['a refusal that is null', { 0: null }],
    ['a refusal that is a text', { 0: 'CS001' }],
    ['a refusal without a state', { 0: { message: 'no' } }],
    ['a state that is no text', { 0: { state: 23_505 } }],
    ['a message that is no text', { 0: { ...refusal, message: 7 } }],
    ['a step that is no number', { 0: { ...refusal, step: '1' } }],
  ])('is not believed if it is or has %s', (_, answers) => {
    expect(refusalsOf(answers, 2)).toBeUndefined();
  });
});

describe('the outcome of a commit', () => {
  const lost = new Error('Connection terminated');
  const stopped = Object.assign(new Error('stop'), { severity: 'ERROR', code: '57P01' });
  const wrong = Object.assign(new Error('wrong'), { severity: 'ERROR', code: '22P02' });
  const changes = [
    { kind: 'insertPayment' },
    { kind: 'putFinancialAccount' },
    { kind: 'updatePayment' },
  ] as const;
  const told = (refusal: Refusal) => outcomeOf(ok(refusal), changes);

  it('is unknown after a failure that proves nothing', () => {
    const outcome = outcomeOf(err({ error: lost, isUndone: false }), changes);
    expect(outcome).toEqual({ kind: 'unknown', error: lost });
  });

  it('is not applied after a failure that undid it, and tells whether to try again', () => {
    const of = (error: Error) => outcomeOf(err({ error, isUndone: true }), changes);
    expect(of(lost)).toMatchObject({ kind: 'notApplied', mayRetry: true });
    expect(of(stopped)).toMatchObject({ kind: 'notApplied', mayRetry: true });
    expect(of(wrong)).toMatchObject({ kind: 'notApplied', mayRetry: false });
  });

  it('is written without a refusal', () => {
    expect(outcomeOf(ok(undefined), changes)).toEqual({ kind: 'written' });
    expect(outcomeOf(ok(undefined))).toEqual({ kind: 'written' });
  });

  it.each(['found', 'denied'] as const)('may be %s', (state) => {
    expect(told({ state })).toEqual({ kind: state });
    expect(told({ state, step: 2 })).toEqual({ kind: state });
  });

  it.each([
    ['CS001', undefined, 'insertPayment'],
    ['CS001', 2, 'updatePayment'],
    ['CS001', 1, 'putFinancialAccount'],
    ['23505', 0, 'insertPayment'],
    ['23505', 2, 'updatePayment'],
  ])('is a conflict after %s at step %s', (state, step, change) => {
    const refusal = { state, ...(step !== undefined && { step }) };
    expect(told(refusal)).toEqual({ kind: 'conflict', change });
  });

  it.each([
    ['of two defaults at the same moment', '23505', 1, true, 'putFinancialAccount'],
    ['that may pass', '40001', 0, true, 'insertPayment'],
    ['that lasts', '22P02', 2, false, 'updatePayment'],
    ['at no change', '40001', 3, true, 'commit'],
    ['of a condition at no change', 'CS001', 3, false, 'commit'],
  ])('is not applied after a refusal %s', (_, state, step, mayRetry, during) => {
    const outcome = told({ state, step, message: 'why' });
    expect(outcome).toMatchObject({ kind: 'notApplied', mayRetry });
    const { error } = { error: undefined, ...outcome };
    expect(String(error)).toContain(`PostgreSQL answered ${state} to ${during}`);
  });
});
