import type { Observation, Observer } from '@chairside/core';
import {
  type Context,
  context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** More requests than this are never under way; what is left of others is let go. */
const maxRequests = 10_000;

/**
 * Makes a span of each observation: one for the use case, and below it those for what it did. Its
 * parent is the span that is active, such as that of the host's HTTP server.
 *
 * A use case is observed when it ends, after what it did, which therefore waits for it by request id.
 */
export function createSpanObserver(tracer: Tracer): Observer {
  const waiting = new Map<string, Observation[]>();

  return (seen) => {
    const { requestId } = seen;
    if (requestId === undefined) record(tracer, seen, context.active()).end(seen.endedAt);
    else if (seen.kind === 'operation') recordAll(seen, waiting.get(requestId) ?? [], requestId);
    else wait(seen, requestId);
  };

  function recordAll(operation: Observation, steps: Observation[], requestId: string): void {
    waiting.delete(requestId);
    const span = record(tracer, operation, context.active());
    const below = trace.setSpan(context.active(), span);
    for (const step of steps) record(tracer, step, below).end(step.endedAt);
    span.end(operation.endedAt);
  }

  function wait(step: Observation, requestId: string): void {
    const steps = waiting.get(requestId);
    if (steps !== undefined) return void steps.push(step);
    const [oldest] = waiting.keys();
    if (waiting.size >= maxRequests && oldest !== undefined) waiting.delete(oldest);
    waiting.set(requestId, [step]);
  }
}

function record(tracer: Tracer, seen: Observation, parent: Context): Span {
  const { kind, outcome, requestId, startedAt } = seen;
  const name = kind === 'commit' ? 'commit' : `${kind} ${seen.name}`;
  const attributes = {
    'chairside.outcome': outcome,
    ...(requestId !== undefined && { 'chairside.request_id': requestId }),
    ...(kind === 'commit' && { 'chairside.changes': [...seen.changes] }),
  };
  const span = tracer.startSpan(name, { startTime: startedAt, attributes }, parent);
  if (kind === 'failure' || outcome === 'internalError' || outcome === 'serviceUnavailable') {
    span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  }
  return span;
}
