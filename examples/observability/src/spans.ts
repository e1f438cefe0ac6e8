import type { Observation, Observer } from '@chairside/core';
import {
  type Context,
  context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** The maximum of open requests; the rest of others is dropped. */
const maxRequests = 10_000;
/** The number of recently ended requests that may still have background work. */
const maxEnded = 1_000;

/**
 * Makes a span for each observation: one for the use case, with those of its calls below it. Its
 * parent is the active span, such as that of the host's HTTP server.
 *
 * A use case is observed when it ends, after its calls, so these wait for it by request id. Work
 * after the response, such as releasing other payments, is added below it later.
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
