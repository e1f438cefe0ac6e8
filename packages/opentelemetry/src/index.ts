import type { Observer } from '@chairside/core';
import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api';
import { createMetricObserver } from './metrics.ts';
import { createSpanObserver } from './spans.ts';

export interface TelemetryOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider | undefined;
}

const scope = '@chairside/opentelemetry';

/**
 * An observer for `createChairside({ observe })`: traces and metrics of all that Chairside does. Start
 * the OpenTelemetry SDK before. No token, secret, card or body gets into them, and no id into metrics.
 */
export function createTelemetry({
  tracerProvider = trace.getTracerProvider(),
  meterProvider = metrics.getMeterProvider(),
}: TelemetryOptions = {}): Observer {
  const observers = [
    createSpanObserver(tracerProvider.getTracer(scope)),
    createMetricObserver(meterProvider.getMeter(scope)),
  ];
  return (seen) => {
    for (const observe of observers) observe(seen);
  };
}
