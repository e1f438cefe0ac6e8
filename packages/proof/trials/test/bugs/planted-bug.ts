/** One exact snippet of the sources, and its replacement. */
export interface Edit {
  /** Default: the core. */
  readonly of?: 'core' | 'stripe';
  /** Below the `src` of that package. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A plausible mistake that the simulation must find. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Where it shows: only over Stripe's adapter. Bugs in that adapter need not say so. */
  readonly over?: 'stripe';
}

export function bug(name: string, file: string, find: string, replace: string): PlantedBug {
  return { name, edits: [{ file, find, replace }] };
}

/** A mistake in the Stripe adapter, which the simulation over its stand-in must find. */
export function stripeBug(name: string, file: string, find: string, replace: string): PlantedBug {
  return { name, edits: [{ of: 'stripe', file, find, replace }] };
}
