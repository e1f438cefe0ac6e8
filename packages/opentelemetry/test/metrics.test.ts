import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChairside, errAsync, type Observation, type Observer } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import {
  aBusiness,
  anAppointment,
  createManualClock,
  createMapStore,
  someTime,
} from '@chairside/testkit';
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
  { ...times, kind: 'failure', name: 'reconcile', outcome: 'storeUnavailable' },
];

async function exportedBy(act: (observe: Observer) => Promise<void> | void): Promise<string> {
  const reader = new ManualReader();
  await act(createTelemetry({ meterProvider: new MeterProvider({ readers: [reader] }) }));
  const { resourceMetrics } = await reader.collect();
  return new PrometheusSerializer().serialize(resourceMetrics);
}

const exported = (seen: readonly Observation[]) =>
  exportedBy((observe) => {
    for (const observation of seen) observe(observation);
  });

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

test('counters of rare events are there before the first one, so that an increase is seen', async () => {
  const text = await exported([]);
  const rare = [...file('prometheus-alerts.yml').matchAll(/expr: increase\((.*)\[15m\]\) > 0/g)];
  expect(rare).toHaveLength(3);
  for (const [, selector = ''] of rare) expect(valuesOf(selector, text), selector).toEqual([0]);
});

test('the alert of the store fires if the database fails before any commit', async () => {
  const text = await inShop({ isStoreDown: true });
  expect(ratioOf('ChairsideStoreUnavailable', text)).toBeGreaterThan(1);
  // The processor was not even called.
  expect(ratioOf('ChairsideProcessorUnavailable', text)).toBeNaN();
});

test.each<ProcessorError>([
  { kind: 'unavailable', outcome: 'notApplied', answered: false },
  { kind: 'unavailable', outcome: 'notApplied', answered: true, why: 'keyRejected' },
  { kind: 'notSetUp' },
])('the alert of the processor fires, and that of the store does not: %o', async (error) => {
  const text = await inShop({ error });
  expect(ratioOf('ChairsideProcessorUnavailable', text)).toBeGreaterThan(1);
  expect(ratioOf('ChairsideStoreUnavailable', text)).toBe(0);
});

/** What is exported after a create and a run of upkeep meanwhile. */
function inShop({ isStoreDown = false, error }: { isStoreDown?: boolean; error?: ProcessorError }) {
  return exportedBy(async (observe) => {
    const clock = createManualClock();
    const store = createMapStore();
    const { records } = createChairside({
      store,
      processor: createFakeProcessor({ clock }),
      clock,
    });
    (await records.putBusiness(aBusiness()))._unsafeUnwrap();
    (await records.putAppointment(anAppointment()))._unsafeUnwrap();
    const down = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    const payments = { ...store.payments, listDue: down };
    const lost = { ...store, payments, facts: { get: down }, keys: { get: down } };
    const fake = createFakeProcessor({ clock });
    const chairside = createChairside({
      store: isStoreDown ? lost : store,
      processor: error === undefined ? fake : { ...fake, openPayment: () => errAsync(error) },
      clock,
      observe,
    });
    const input = { appointmentId: 'appointment-1', idempotencyKey: 'key' };
    const ada = { subject: 'user-ada', barberId: 'barber-1' };
    expect((await chairside.createContactlessPayment(ada, input)).isErr()).toBe(true);
    expect((await chairside.upkeep()).isErr()).toBe(isStoreDown);
  });
}

/** By how much an alert exceeds its bound, with totals for rates. */
function ratioOf(alert: string, text: string): number {
  const rule = file('prometheus-alerts.yml').split(`alert: ${alert}\n`)[1];
  const rate = String.raw`sum\(rate\((.*)\[5m\]\)\)`;
  const found = new RegExp(`expr: ${rate} > (.*) \\* ${rate}`).exec(rule ?? '');
  const [, failed = '', share, all = ''] = found ?? [];
  const sum = (selector: string) => valuesOf(selector, text).reduce((a, b) => a + b, 0);
  return sum(failed) / sum(all) / Number(share);
}

/** The values of the series that a selector such as `name{label="value"}` picks. */
function valuesOf(selector: string, text: string): readonly number[] {
  const [, plain, labels = ''] = /^(\w+)?(?:\{(.*)\})?$/.exec(selector) ?? [];
  const matchers = [...labels.matchAll(/(\w+)=~?"(.*?)"/g)].map(
    ([, label = '', value = '']) => [label, new RegExp(`^(${value})$`)] as const,
  );
  return [...text.matchAll(/^(\w+)\{(.*)\} (\d+)/gm)].flatMap(([, name = '', set = '', value]) => {
    const own = new Map([...set.matchAll(/(\w+)="(.*?)"/g)].map(([, label, is]) => [label, is]));
    const isPicked =
      (plain === undefined || plain === name) &&
      matchers.every(([label, is]) =>
        is.test(label === '__name__' ? name : (own.get(label) ?? '')),
      );
    return isPicked ? [Number(value)] : [];
  });
}
