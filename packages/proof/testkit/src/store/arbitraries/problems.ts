import type { KeyRecord, NestedProblem, Problem, Recovery } from '@chairside/core';
import * as fc from 'fast-check';
import { counter, type FieldsOf, id, instant, json, text } from './values.ts';

const problemType = fc.constantFrom<('unprocessableEntity' | 'contactlessPaymentCanceled')[]>(
  'unprocessableEntity',
  'contactlessPaymentCanceled',
);

const nested = {
  type: problemType,
  title: text,
  status: fc.constantFrom(409, 422),
  occurredAt: instant.map((at) => new Date(at).toISOString()),
  id,
  detail: text,
  instance: text,
  attributes: fc.record({ pointer: text, nested: json }, { requiredKeys: [] }),
} satisfies FieldsOf<NestedProblem>;

const everyProblem = ['type', 'title', 'status', 'occurredAt', 'id'] as const;

const recovery: fc.Arbitrary<Recovery> = fc.record(
  {
    outcome: fc.constantFrom('notApplied', 'unknown'),
    retry: fc.constantFrom('doNotRetry', 'retrySameRequest'),
    sessionAction: fc.constantFrom('refresh', 'signIn'),
    rateLimit: fc.record({ limit: counter, remaining: counter, resetsAt: text }),
  } satisfies FieldsOf<Recovery>,
  { requiredKeys: ['outcome', 'retry'] },
);

export const problems: fc.Arbitrary<Problem> = fc.record(
  {
    ...nested,
    recovery,
    problems: fc.array(fc.record(nested, { requiredKeys: [...everyProblem] }), { maxLength: 2 }),
  } satisfies FieldsOf<Problem>,
  { requiredKeys: [...everyProblem, 'recovery'] },
);

export const keyRecords: fc.Arbitrary<KeyRecord> = fc.record(
  {
    subject: id,
    key: id,
    operation: fc.constantFrom(
      'createContactlessPayment',
      'captureContactlessPayment',
      'preparePaymentMethod',
      'refundPayment',
    ),
    fingerprint: fc.stringMatching(/^[0-9a-f]{64}$/),
    resourceId: id,
    problem: problems,
    forgetAt: instant,
  } satisfies FieldsOf<KeyRecord>,
  { requiredKeys: ['subject', 'key', 'operation', 'fingerprint'] },
);
