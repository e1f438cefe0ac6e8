import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observation } from '@chairside/core';
import { someTime } from '@chairside/testkit';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { expect, test } from 'vitest';
import { createTelemetry } from '../src/index.ts';

/** Collects when a test asks, as Prometheus would. */
class ManualReader extends MetricReader {
  override async onForceFlush() {}
  override async onShutdown() {}
}

const times = { startedAt: someTime, endedAt: someTime + 120 };
/** One of each kind, and what the alerts look for. */
const everything: readonly Observation[] = [
  {
    ...times,
    kind: 'operation',
    name: 'captureContactlessPayment',
    outcome: 'ok',
    requestId: 'canary',
  },
  { ...times, kind: 'operation', name: 'reconcile', outcome: 'ok' },
  { ...times, kind: 'operation', name: 'createContactlessPayment', outcome: 'conflict' },
  { ...times, kind: 'processorCall', name: 'capturePayment', outcome: 'unavailable' },
  { ...times, kind: 'commit', changes: ['updatePayment', 'insertReview'], outcome: 'ok' },
  { ...times, kind: 'commit', changes: ['insertReview'], outcome: 'storeUnavailable' },
  { ...times, kind: 'failure', name: 'deliverEvents', outcome: 'deadLetter' },
  { ...times, kind: 'failure', name: 'deliverEvents', outcome: 'neverDelivered' },
];

async function exported(seen: readonly Observation[]): Promise<string> {
  const reader = new ManualReader();
  const observe = createTelemetry({ meterProvider: new MeterProvider({ readers: [reader] }) });
  for (const observation of seen) observe(observation);
  const { resourceMetrics } = await reader.collect();
  return new PrometheusSerializer().serialize(resourceMetrics);
}

const file = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8');

test('durations are histograms in seconds, by name, and with the error if there is one', async () => {
  const text = await exported(everything);
  const value = (series: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(series))
      ?.split(' ')[1];
  const labels = (name: string) => `{chairside_operation_name="${name}"`;
  const operations = 'chairside_operation_duration';
  expect(value(`${operations}_count${labels('captureContactlessPayment')}`)).toBe('1');
  expect(value(`${operations}_sum${labels('captureContactlessPayment')}`)).toBe('0.12');
  expect(
    value(`${operations}_count${labels('createContactlessPayment')},error_type="conflict"`),
  ).toBe('1');
  expect(text).toContain(`${operations}_bucket{chairside_operation_name="reconcile"`);
  expect(text).not.toContain('error_type="ok"');
});

test('a review counts once it is written', async () => {
  const text = await exported(everything);
  expect(text).toMatch(/^chairside_reviews_opened_total\{[^}]*\} 1\b/m);
});

test('no id becomes a label: their number has no bound', async () => {
  expect(await exported(everything)).not.toContain('canary');
});

test('every series and label of the dashboard and the alerts is exported (D135)', async () => {
  const text = await exported(everything);
  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
    file('grafana-dashboard.json'),
  );
  const alerts = [...file('prometheus-alerts.yml').matchAll(/expr: (.*)/g)];
  expect(alerts).toHaveLength(6);
  const expressions = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...alerts.map(([, expr = '']) => expr),
  ];
  for (const expression of expressions) {
    expect(parenthesesOf(expression), expression).toBe('balanced');
    const series = [...expression.matchAll(/__name__=~"(.*?)"|\b(chairside_\w+_total)/g)];
    expect(series, expression).not.toHaveLength(0);
    for (const [, pattern, name = pattern] of series) {
      expect(text, expression).toMatch(new RegExp(`^${name}\\{`, 'm'));
      expect(text.replaceAll('_duration_', '_duration_seconds_'), expression).toMatch(
        new RegExp(`^${name}\\{`, 'm'),
      );
    }
    for (const [, label] of expression.matchAll(/\b(?!__name__)(\w+)(?:=~?|!=)"/g)) {
      expect(text).toContain(`${label}="`);
    }
    for (const [selector] of expression.matchAll(/\w+="\w+"/g))
      expect(text, expression).toContain(selector);
  }
});

function parenthesesOf(expression: string): 'balanced' | 'open' {
  let depth = 0;
  for (const character of expression) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) return 'open';
  }
  return depth === 0 ? 'balanced' : 'open';
}
