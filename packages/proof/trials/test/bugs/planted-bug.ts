/** One exact snippet of the sources, and its replacement. */
export interface Edit {
  /** The package, and the file below its `src`: `core/payment/lease.ts`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Planted {
  readonly name: string;
  readonly edits: readonly Edit[];
}

/** A plausible mistake that must be found. */
export interface PlantedBug extends Planted {
  /** The promise that it breaks, a rule of the simulation. */
  readonly breaks: string;
  /**
   * What finds it. A seed of `pnpm simulate`, or a scenario and the faults that it met: in `visit, 2.commit#3 breaks`, the
   * third commit of action 2 breaks. Where no simulation can find it, the test file that fails.
   */
  readonly by: string;
}
