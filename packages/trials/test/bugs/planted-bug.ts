/** One exact snippet of the core's sources, and what is put in its place. */
export interface Edit {
  /** Below `packages/core/src`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A mistake that one could make, and that the simulation must notice. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
}

export function bug(name: string, file: string, find: string, replace: string): PlantedBug {
  return { name, edits: [{ file, find, replace }] };
}
