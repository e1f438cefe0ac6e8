import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@chairside/core';
import { createStripeStandIn } from '@chairside/stripe/stand-in';
import { processorContract } from '@chairside/testkit/contracts';
import { expect, it } from 'vitest';
import { connect, liveHarness, notInTestMode } from './live-harness.ts';
import { secretKey, webhookSecret } from './stand-in.ts';
import { claims } from './verify/claims.ts';
import { checkClaims, renderClaims, sayFinding } from './verify/report.ts';
import { openWorld } from './verify/world.ts';

async function standInAsTestMode() {
  const standIn = createStripeStandIn({ clock: systemClock, secretKey, webhookSecret });
  const accounts = [standIn.addAccount().id, standIn.addAccount().id];
  const { host, port, protocol, close } = await standIn.listen();
  return { mode: { secretKey, accounts, api: { host, port, protocol } }, close };
}

processorContract(
  'stripe, as verified in test mode, on the stand-in',
  async () => {
    const { mode, close } = await standInAsTestMode();
    return { ...liveHarness(mode)(), close };
  },
  notInTestMode,
);

it('every claim that can be checked holds of the stand-in', async () => {
  const { mode, close } = await standInAsTestMode();
  const world = await openWorld(connect(mode), mode.accounts[0] ?? '');
  const findings = await checkClaims(world);
  await close();
  expect(findings.filter(({ agrees }) => agrees === false).map(sayFinding)).toEqual([]);
  expect(findings.filter(({ agrees }) => agrees).length).toBe(12);
});

it('a claim that does not hold differs', async () => {
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
