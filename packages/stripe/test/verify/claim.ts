import type { World } from './world.ts';

/** Something that the adapter or its documents take for true of Stripe. */
export interface Claim {
  readonly claim: string;
  /** Where Stripe says so; `none`: it publishes nothing about it. */
  readonly source: string;
  /** What the source says of the claim. */
  readonly status: 'supported' | 'contradicted' | 'unverified';
  /** What Stripe was seen to do; `expected` where the claim holds. */
  readonly check?: (world: World) => Promise<string>;
  readonly expected?: string;
  /** How a person can see it, where the command cannot. */
  readonly byHand?: string;
}
