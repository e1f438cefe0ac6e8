import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processorContract } from '@chairside/testkit/contracts';
import { expect, it } from 'vitest';
import { connect, liveHarness, notInTestMode } from './live-harness.ts';
import { claims } from './verify/claims.ts';
import { checkClaims, renderClaims, sayFinding } from './verify/report.ts';
import { standInAsTestMode } from './verify/stand-in-mode.ts';
import { openWorld } from './verify/world.ts';

processorContract(
  'stripe, as verified in test mode, on the stand-in',
  async () => {
    const { mode, close } = await standInAsTestMode();
    return { ...liveHarness(mode)(), close };
  },
  notInTestMode,
);

it('every checkable claim holds for the stand-in', async () => {
  const { mode, close } = await standInAsTestMode();
  const world = await openWorld(connect(mode), mode.accounts[0] ?? '');
  const findings = await checkClaims(world);
  await close();
  expect(findings.filter(({ agrees }) => agrees === false).map(sayFinding)).toEqual([]);
  expect(findings.filter(({ agrees }) => agrees).length).toBe(19);
});

it('a false claim differs', async () => {
  const { mode, close } = await standInAsTestMode();
  const world = await openWorld(connect(mode), mode.accounts[0] ?? '');
  await close();
  const findings = await checkClaims(world);
  const differing = findings.filter(({ agrees }) => agrees === false);
  expect(differing.map(sayFinding).every((line) => line.startsWith('DIFFERS'))).toBe(true);
  expect(renderClaims({ findings, when: 'test mode, 2026-11-22' })).toContain('differed (');
});

it('the page lists every claim with its source and status', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../../docs/reference/stripe-claims.md'),
    'utf8',
  );
  const squeezed = page.replaceAll(/ +/g, ' ');
  for (const { claim, source, status } of claims) {
    expect(squeezed).toContain(`| ${claim} | ${source} | ${status} |`);
  }
});

const live = ['sk', 'live', 'chairside'].join('_');
const test = ['sk', 'test', 'chairside'].join('_');

it.each([
  ['no key', {}, 'Set STRIPE_SECRET_KEY'],
  ['a live key', { STRIPE_SECRET_KEY: live }, 'must be a key of test mode'],
  ['one account', { STRIPE_SECRET_KEY: test, STRIPE_ACCOUNTS: 'acct_1' }, 'Set STRIPE_ACCOUNTS'],
])('the command refuses to start with %s, before any request', (_, given, message) => {
  const main = join(import.meta.dirname, 'verify/main.ts');
  const { PATH = '' } = process.env;
  const run = spawnSync(process.execPath, ['--conditions=@chairside/source', main], {
    // Requests would end here, not at Stripe.
    env: { PATH, ...given, STRIPE_API_BASE: 'http://127.0.0.1:1' },
    encoding: 'utf8',
  });
  expect(run.status).toBe(1);
  expect(run.stderr).toContain(message);
  expect(run.stdout).toBe('');
  expect(run.stderr).not.toContain(live);
});
