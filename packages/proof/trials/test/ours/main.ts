import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { orUsage, wholeNumber } from '@chairside/spec/command-line';
import { execute, exhaust, type Plan, type Progress, scenarios } from '@chairside/trials';
import type { Catch } from '../bugs/catch.ts';
import { simulatedBugs } from '../bugs/planted-bugs.ts';
import { exhaustWire } from './exhaust-wire.ts';
import { harnesses, isHarnessName, usesStripe } from './harness.ts';
import { serverOf } from './server-of.ts';
import { watchWire } from './watch-wire.ts';
import { inThread, simulateOnAllCores, threads } from './workers.ts';

const usage = `npx --yes pnpm simulate [--seeds 1000] [--from 1] [--operations 200] [--store map]
  Seed after seed, on every core, until one breaks a promise; then its smallest plan is printed.
npx --yes pnpm simulate --plan plan.json
  Carries out one plan, as it was printed.
npx --yes pnpm simulate --exhaustive [--pairs] [--store map]
  Every fault at every port call of each scenario;
  with --pairs, every two of them. With --store wire, every fault at every request to Stripe.
npx --yes pnpm simulate --bugs
  Plants one bug after the other, and prints the run that finds each.

--store is one of ${Object.keys(harnesses).join(', ')}.`;

const options = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      operations: { type: 'string', default: '200' },
      store: { type: 'string', default: 'map' },
      plan: { type: 'string' },
      exhaustive: { type: 'boolean', default: false },
      pairs: { type: 'boolean', default: false },
      bugs: { type: 'boolean', default: false },
    },
  });
  const { store, seeds, from, operations } = values;
  if (!isHarnessName(store)) throw new Error(`There is no store '${store}'.`);
  return {
    ...values,
    store,
    seeds: wholeNumber(seeds),
    from: wholeNumber(from),
    operations: wholeNumber(operations),
  };
});
const name = options.store;
const harness = harnesses[name];

const server = await serverOf(name);

const begun = performance.now();
const seconds = () => (performance.now() - begun) / 1000;
const say = (text: string, end = '\n') => process.stderr.write(`\r\x1b[K${text}${end}`);

if (options.bugs) await runBugs();
else if (options.exhaustive) await runExhaustive();
else if (options.plan !== undefined) await runPlan(options.plan);
else await runSeeds();
await server?.remove();

async function runSeeds(): Promise<void> {
  const { seeds, from, operations } = options;
  const report = await simulateOnAllCores({ seeds, from, operations }, name, (progress) =>
    say(textOf(progress), ''),
  );
  say(`${textOf(report)}, in ${seconds().toFixed(1)} s`);
  if (usesStripe(name)) sayWire(report.wire);
  if (report.failure !== undefined) fail(report.failure.plan, report.failure.violations);
}

function textOf({ runs, requests, succeeded, faults }: Progress): string {
  const share = Math.round((100 * succeeded) / requests);
  return `${runs} seeds; ${share} % of ${requests} requests succeeded, ${faults} faults`;
}

async function runPlan(path: string): Promise<void> {
  const plan: Plan = JSON.parse(readFileSync(path, 'utf8'));
  const { violations, evidence } = await execute(harness, plan);
  for (const { action, operation, asked, answer } of evidence.exchanges) {
    say(`${action} ${operation} ${asked}: ${answer?.status ?? 'lost'} ${answer?.text ?? ''}`);
  }
  if (violations.length > 0) fail(plan, violations);
}

function sayWire(checked: number): void {
  say(`${checked} messages from and to Stripe fit its declarations`);
}

async function runExhaustive(): Promise<void> {
  const wire = usesStripe(name) ? watchWire() : undefined;
  const depth = options.pairs ? 2 : 1;
  for (const [scenario, plan] of Object.entries(scenarios)) {
    const { runs, failures } =
      name === 'wire' ? await exhaustWire(plan) : await exhaust({ harness, plan, depth });
    say(`${scenario}: ${runs} runs, ${failures.length} failures, ${seconds().toFixed(1)} s`);
    for (const failure of failures)
      fail('plan' in failure ? failure.plan : plan, failure.violations);
  }
  wire?.check();
  if (wire !== undefined) sayWire(wire.checked());
}

async function runBugs(): Promise<void> {
  const waiting = simulatedBugs.map(({ name }) => name);
  const takeNext = async (): Promise<void> => {
    const some = waiting.splice(0, 8);
    if (some.length === 0) return;
    await inThread<Catch>({ does: 'catch', bugs: some }, (caught) => {
      const { bug, by = 'NOT NOTICED', violation } = caught;
      say(`${bug.padEnd(34)} ${by.padEnd(34)} ${violation?.what.slice(0, 100) ?? ''}`);
      if (violation === undefined) process.exitCode = 1;
    });
    await takeNext();
  };
  await Promise.all(Array.from({ length: threads }, takeNext));
}

function fail(plan: Plan, violations: readonly { rule: string; what: string }[]): void {
  for (const { rule, what } of violations) say(`${rule}: ${what}`);
  console.log(JSON.stringify(plan));
  process.exitCode = 1;
}
