import { createChairside, type Observer } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
  someTime,
} from '@chairside/testkit';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { createTelemetry } from '../src/index.ts';

const barber = {
  subject: 'user-ada',
  barberId: 'barber-1',
  entitlements: ['contactlessPayments'],
} as const;

function memorySpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const observe = createTelemetry({ tracerProvider: provider });
  return { exporter, observe };
}

/** Opens a payment. Returns its client secret. */
async function openPayment(observe: Observer): Promise<string> {
  const clock = createManualClock();
  const chairside = createChairside({
    store: createMapStore(),
    processor: createFakeProcessor({ clock }),
    clock,
    observe: (seen) => seen.requestId !== undefined && observe(seen),
  });
  const { records } = chairside;
  (await records.putBusiness(aBusiness()))._unsafeUnwrap();
  (await records.putBarber(aBarber()))._unsafeUnwrap();
  (await records.putAppointment(anAppointment()))._unsafeUnwrap();
  const opened = await chairside.createContactlessPayment(
    { auth: barber, requestId: 'req_1', facts: {} },
    { appointmentId: 'appointment-1', idempotencyKey: 'key' },
  );
  return opened._unsafeUnwrap().clientSecret;
}

const nameOf = ({ name }: ReadableSpan) => name;

test('a use case is a span, with the processor calls and commits below it (D135)', async () => {
  const { exporter, observe } = memorySpans();
  const secret = await openPayment(observe);
  const spans = exporter.getFinishedSpans();
  // The first request of a database also writes to which processor it belongs (D210).
  expect(spans.map(nameOf)).toEqual([
    'commit',
    'commit',
    'openPayment',
    'commit',
    'createContactlessPayment',
  ]);
  expect(spans.map(({ kind }) => kind)).toEqual([
    SpanKind.CLIENT,
    SpanKind.CLIENT,
    SpanKind.CLIENT,
    SpanKind.CLIENT,
    SpanKind.INTERNAL,
  ]);
  const root = spans.at(-1);
  expect(root?.parentSpanContext).toBeUndefined();
  for (const span of spans.slice(0, -1)) {
    expect(span.parentSpanContext?.spanId).toBe(root?.spanContext().spanId);
    expect(span.spanContext().traceId).toBe(root?.spanContext().traceId);
  }
  expect(root?.attributes).toEqual({
    'chairside.operation.name': 'createContactlessPayment',
    'chairside.request.id': 'req_1',
  });
  expect(spans[1]?.attributes['chairside.commit.changes']).toContain('insertPayment');
  expect(root?.startTime).toEqual([someTime / 1000, 0]);
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain(secret);
});

test('failures are marked, and requests do not mix', () => {
  const { exporter, observe } = memorySpans();
  const times = { startedAt: someTime, endedAt: someTime + 5 };
  const step = { kind: 'processorCall', name: 'capturePayment', ...times } as const;
  const operation = { kind: 'operation', name: 'captureContactlessPayment', ...times } as const;
  observe({ ...step, requestId: 'a', outcome: 'ok' });
  observe({ ...step, requestId: 'b', outcome: 'timeout' });
  observe({ ...operation, requestId: 'b', outcome: 'serviceUnavailable' });
  observe({ ...operation, requestId: 'a', outcome: 'ok' });
  observe({ ...times, kind: 'failure', name: 'rateLimiter', outcome: 'limiterFailed' });

  const [stepB, b, stepA, a, failure] = exporter.getFinishedSpans();
  expect(stepB?.parentSpanContext?.spanId).toBe(b?.spanContext().spanId);
  expect(stepA?.parentSpanContext?.spanId).toBe(a?.spanContext().spanId);
  expect(b?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'serviceUnavailable' });
  expect(a?.status.code).toBe(SpanStatusCode.UNSET);
  expect(failure).toMatchObject({ name: 'rateLimiter', status: { code: 2 } });
  expect(a?.duration).toEqual([0, 5_000_000]);
});

test('work after the response is below it, too', () => {
  const { exporter, observe } = memorySpans();
  const times = { startedAt: someTime, endedAt: someTime };
  const operation = { kind: 'operation', name: 'getTerminal', outcome: 'ok', ...times } as const;
  const late = { kind: 'commit', changes: [], outcome: 'ok', ...times } as const;
  for (let i = 0; i < 1001; i += 1) observe({ ...operation, requestId: `${i}` });
  exporter.reset();
  observe({ ...late, requestId: '1' });
  observe({ ...late, requestId: '0' }); // so many have ended since that it is forgotten
  const spans = exporter.getFinishedSpans();
  expect(spans).toHaveLength(1);
  expect(spans[0]?.parentSpanContext).toBeDefined();
});

test('abandoned requests do not accumulate', () => {
  const { exporter, observe } = memorySpans();
  const times = { startedAt: someTime, endedAt: someTime };
  const seen = { kind: 'commit', changes: [], outcome: 'ok', ...times } as const;
  for (let i = 0; i <= 10_000; i += 1) observe({ ...seen, requestId: `${i}` });
  const operation = { kind: 'operation', name: 'getTerminal', outcome: 'ok', ...times } as const;
  observe({ ...operation, requestId: '0' });
  observe({ ...operation, requestId: '1' });
  expect(exporter.getFinishedSpans().map(nameOf)).toEqual(['getTerminal', 'commit', 'getTerminal']);
});
