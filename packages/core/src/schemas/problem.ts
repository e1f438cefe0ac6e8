import * as v from 'valibot';
import { resourceIdSchema, text, timestampSchema } from './shared.ts';

const uint64Schema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.metadata({ format: 'uint64' }),
);

export const recoverySchema = v.object({
  outcome: v.picklist(['notApplied', 'unknown']),
  retry: v.picklist(['doNotRetry', 'retrySameRequest', 'retrySameRequestAfterDelay']),
  sessionAction: v.exactOptional(v.picklist(['refresh', 'signIn'])),
  rateLimit: v.exactOptional(
    v.object({ limit: uint64Schema, remaining: uint64Schema, resetsAt: timestampSchema }),
  ),
});

const nested = {
  type: v.pipe(v.string(), v.metadata({ format: 'uri' })),
  title: text(1, 120),
  occurredAt: timestampSchema,
  detail: v.exactOptional(text(0, 256)),
  id: resourceIdSchema,
  status: v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599)),
  instance: v.exactOptional(v.pipe(text(0, 2048), v.metadata({ format: 'uri' }))),
  attributes: v.exactOptional(v.record(v.string(), v.unknown())),
};

export const nestedProblemSchema = v.strictObject(nested);

/** The Problem on the wire, where `type` is a URI (spec "Problem"). */
export const problemSchema = v.strictObject({
  ...nested,
  recovery: v.exactOptional(recoverySchema),
  problems: v.exactOptional(v.pipe(v.array(nestedProblemSchema), v.maxLength(128))),
});
