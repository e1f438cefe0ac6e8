import type { Claim } from './claim.ts';
import { claims } from './claims.ts';
import type { World } from './world.ts';

export interface Finding {
  readonly claim: Claim;
  /** The observation; absent if the command cannot make one. */
  readonly seen?: string;
  readonly agrees?: boolean;
}

/**
 * Checks every checkable claim. A check that throws counts as different, and does not hide others.
 */
export async function checkClaims(world: World): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const claim of claims) {
    if (claim.check === undefined) findings.push({ claim });
    else {
      const seen = await claim.check(world).catch((thrown: unknown) => `failed: ${nameOf(thrown)}`);
      findings.push({ claim, seen, agrees: seen === claim.expected });
    }
  }
  return findings;
}

/** A Stripe error may carry an intent with its client secret, so no part of it is shown. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : 'unknown';
}

export function sayFinding({ claim, seen, agrees }: Finding): string {
  if (agrees === undefined) return `not seen  ${claim.claim}`;
  return agrees
    ? `agrees    ${claim.claim}`
    : `DIFFERS   ${claim.claim}: expected ${claim.expected}, saw ${seen}`;
}

export interface Run {
  readonly findings: readonly Finding[];
  /** The date and the target; `undefined`: Stripe was never asked. */
  readonly when?: string;
}

/** The page `docs/reference/stripe-claims.md`. */
export function renderClaims({ findings, when }: Run): string {
  const rows = findings.map(({ claim, seen, agrees }) => {
    const was =
      agrees === undefined || when === undefined
        ? 'never'
        : `${agrees ? 'agreed' : `differed (${seen})`}, ${when}`;
    const how = claim.check === undefined ? (claim.byHand ?? '') : '`trial stripe`';
    return `| ${claim.claim} | ${claim.source} | ${claim.status} | ${was} | ${how} |`;
  });
  return `${head}\n${rows.join('\n')}\n`;
}

const head = `# Claims about Stripe

Read this page before you rely on the adapter with real money. It lists what the adapter assumes about Stripe, where Stripe
says so, and whether anybody has seen it. Check the claims against your own test mode:

\`\`\`sh
STRIPE_SECRET_KEY=sk_test_… STRIPE_ACCOUNTS=acct_…,acct_… npx --yes pnpm trial stripe
\`\`\`

The command runs the processor contract and these claims, prints what agrees and what differs, and writes this page. It
refuses a live key. _Supported_: the source says so. _Unverified_: no source says so, or it leaves room for doubt. _Seen_ means
by Stripe itself; with \`--stand-in\` the command asks the stand-in and leaves this page as it is.

| Claim | Source | Status | Seen | How to see it |
| --- | --- | --- | --- | --- |`;
