import type { World } from './world.ts';

/** An assumption of the adapter or its documents about Stripe. */
export interface Claim {
  readonly claim: string;
  /** Stripe's own source; `none`: it documents no such claim. */
  readonly source: string;
  /** The source's statement about the claim. */
  readonly status: 'supported' | 'contradicted' | 'unverified';
  /** Stripe's observed behaviour; `expected` if the claim holds. */
  readonly check?: (world: World) => Promise<string>;
  readonly expected?: string;
  /** How a person can check it, if the command cannot. */
  readonly byHand?: string;
}
