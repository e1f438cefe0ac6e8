import type { Observation } from '@chairside/core';
import type { Attributes } from '@opentelemetry/api';

/**
 * Attributes of spans and metrics: names and outcomes of a bounded number, and no id. `error.type` is
 * OpenTelemetry's, and absent if there was no error. Only members that are listed here get out.
 */
export function attributesOf(seen: Observation): Attributes {
  const { outcome } = seen;
  return {
    ...(seen.kind === 'operation' && { 'chairside.operation.name': seen.name }),
    ...(seen.kind === 'processorCall' && { 'chairside.processor.call': seen.name }),
    ...(seen.kind === 'failure' && { 'chairside.failure.name': seen.name }),
    ...(outcome !== 'ok' && { 'error.type': outcome }),
  };
}

/** Needs an operator. A refused request does not: it is daily business. */
export function isFault({ kind, outcome }: Observation): boolean {
  return kind === 'failure' || ['internalError', 'serviceUnavailable'].includes(outcome);
}
