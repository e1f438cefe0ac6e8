// `pnpm trial stripe`: the processor contract and the claims, against Stripe's test mode. With
// `--stand-in` it runs against the stand-in of this package and leaves the page as it is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TestMode, testModeOf } from '../live-harness.ts';
import { checkClaims, renderClaims, sayFinding } from './report.ts';
import { standInAsTestMode } from './stand-in-mode.ts';
import { openWorld } from './world.ts';

const root = join(import.meta.dirname, '../../../..');
const page = join(root, 'docs/reference/stripe-claims.md');

if (process.argv.includes('--stand-in')) {
  const { mode, close } = await standInAsTestMode();
  await verify(mode);
  await close();
} else {
  const mode = testModeOf(process.env);
  const refusal = refusalOf(mode);
  if (mode !== undefined && refusal === undefined) await verify(mode);
  else {
    console.error(`${refusal} See docs/guide/stripe.md.`);
    process.exitCode = 1;
  }
}

/** This command opens, captures and refunds payments, so it refuses live keys before any request. */
function refusalOf(mode: TestMode | undefined): string | undefined {
  if (mode === undefined) return 'Set STRIPE_SECRET_KEY to a key of test mode.';
  if (!/^(sk|rk)_test_/.test(mode.secretKey)) {
    return 'STRIPE_SECRET_KEY must be a key of test mode: this command captures payments.';
  }
  if (mode.accounts.length < 2) {
    return 'Set STRIPE_ACCOUNTS to two connected accounts of test mode, separated by a comma.';
  }
  return undefined;
}

async function verify(mode: TestMode): Promise<void> {
  const [account = ''] = mode.accounts;
  const findings = await checkClaims(await openWorld(connect(mode), account));
  for (const finding of findings) console.log(sayFinding(finding));
  if (mode.api === undefined) {
    const when = `test mode, ${new Date().toISOString().slice(0, 10)}`;
    writeFileSync(page, renderClaims({ findings, when }));
  } else {
    console.log('This was not Stripe: docs/reference/stripe-claims.md stays as it is.');
  }
  const holds = await runContract(mode);
  const count = (agrees: boolean | undefined) =>
    findings.filter((finding) => finding.agrees === agrees).length;
  console.log(
    `${count(true)} claims agree, ${count(false)} differ, ${count(undefined)} cannot be seen here; the contract ${holds ? 'holds' : 'does NOT hold'}`,
  );
  process.exitCode = count(false) > 0 || !holds ? 1 : 0;
}

async function runContract({ secretKey, accounts, api }: TestMode): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--project', 'tests', 'packages/stripe/test/live.test.ts'];
  const env = {
    ...process.env,
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_ACCOUNTS: accounts.join(','),
    ...(api && { STRIPE_API_BASE: `${api.protocol}://${api.host}:${api.port}` }),
  };
  // Asynchronous: the stand-in answers from this process.
  const tests = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
  const [status] = await once(tests, 'exit');
  return status === 0;
}
