/** One exact snippet of the core's sources, and its replacement. */
export interface Edit {
  /** Below `packages/core/src`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A plausible mistake that the simulation must find. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
}

export function bug(name: string, file: string, find: string, replace: string): PlantedBug {
  return { name, edits: [{ file, find, replace }] };
}
