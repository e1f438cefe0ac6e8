import type { Observation, Observer } from '@chairside/core';
import {
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { attributesOf, isFault } from './attributes.ts';

/** More requests than this never run at once; the steps of older ones are dropped. */
const maxRequests = 10_000;
/** The requests that ended last: their background work is still attached to their span. */
const maxEnded = 1_000;

/**
 * Makes a span of each observation: one for the use case, and below it one for each processor call
 * and commit. Its parent is the active span, such as that of the host's HTTP server.
 *
 * A use case is observed when it ends, after its steps. The steps therefore wait for it, by request
 * id. Work after the response, such as releasing other payments, is attached as it comes.
 */
export function createSpanObserver(tracer: Tracer): Observer {
  const waiting = new Map<string, Observation[]>();
  const ended = new Map<string, Context>();

  return (seen) => {
    const { requestId } = seen;
    if (requestId === undefined) return recordAt(seen, context.active());
    if (seen.kind === 'operation') return recordAll(seen, requestId);
    const above = ended.get(requestId);
    if (above === undefined) wait(seen, requestId);
    else recordAt(seen, above);
  };

  function recordAt(seen: Observation, parent: Context): void {
    record(tracer, seen, parent).end(seen.endedAt);
  }

  function recordAll(operation: Observation, requestId: string): void {
    const steps = waiting.get(requestId) ?? [];
    waiting.delete(requestId);
    const span = record(tracer, operation, context.active());
    const below = trace.setSpan(context.active(), span);
    for (const step of steps) recordAt(step, below);
    span.end(operation.endedAt);
    dropOldest(ended, maxEnded);
    ended.set(requestId, below);
  }

  function wait(step: Observation, requestId: string): void {
    const steps = waiting.get(requestId);
    if (steps !== undefined) return void steps.push(step);
    dropOldest(waiting, maxRequests);
    waiting.set(requestId, [step]);
  }
}

function dropOldest(map: Map<string, unknown>, maxSize: number): void {
  const [oldest] = map.keys();
  if (map.size >= maxSize && oldest !== undefined) map.delete(oldest);
}

const kinds = {
  operation: SpanKind.INTERNAL,
  processorCall: SpanKind.CLIENT,
  commit: SpanKind.CLIENT,
  failure: SpanKind.INTERNAL,
} as const satisfies Readonly<Record<Observation['kind'], SpanKind>>;

function record(tracer: Tracer, seen: Observation, parent: Context): Span {
  const { kind, outcome, requestId, startedAt } = seen;
  const attributes = {
    ...attributesOf(seen),
    ...(requestId !== undefined && { 'chairside.request.id': requestId }),
    ...(kind === 'commit' && { 'chairside.commit.changes': [...seen.changes] }),
  };
  const span = tracer.startSpan(
    kind === 'commit' ? 'commit' : seen.name,
    { kind: kinds[kind], startTime: startedAt, attributes },
    parent,
  );
  if (isFault(seen)) span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  return span;
}
