// `pnpm stripe:verify`: the processor contract and the claims, against Stripe's test mode.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, testModeOf } from '../live-harness.ts';
import { checkClaims, renderClaims, sayFinding } from './report.ts';
import { openWorld } from './world.ts';

const root = join(import.meta.dirname, '../../../..');
const page = process.env['STRIPE_CLAIMS'] ?? join(root, 'docs/reference/stripe-claims.md');
const mode = testModeOf(process.env);
const [account] = mode?.accounts ?? [];

if (mode === undefined || account === undefined) {
  console.error('Set STRIPE_SECRET_KEY (test mode) and STRIPE_ACCOUNTS; see docs/guide/stripe.md.');
  process.exitCode = 1;
} else if (!/^(sk|rk)_test_/.test(mode.secretKey)) {
  console.error('STRIPE_SECRET_KEY must be a key of test mode: this opens and captures payments.');
  process.exitCode = 1;
} else {
  const findings = await checkClaims(await openWorld(connect(mode), account));
  for (const finding of findings) console.log(sayFinding(finding));
  const when = `test mode, ${new Date().toISOString().slice(0, 10)}`;
  writeFileSync(page, renderClaims({ findings, when }));
  const contract =
    process.env['STRIPE_CONTRACT'] === 'no' ||
    spawnSync('pnpm', ['exec', 'vitest', 'run', 'packages/stripe/test/live.test.ts'], {
      cwd: root,
      stdio: 'inherit',
    }).status === 0;
  const differing = findings.filter(({ agrees }) => agrees === false).length;
  console.log(`${differing} claims differ; the contract ${contract ? 'holds' : 'does NOT hold'}`);
  process.exitCode = differing > 0 || !contract ? 1 : 0;
}
