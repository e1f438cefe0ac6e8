/** A fault in one place of a file. */
export interface Mutant {
  /** Below the root of the repository. */
  readonly file: string;
  readonly line: number;
  /** The rule that made it, as in `drop a condition`. */
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  /** The file with the fault. */
  readonly text: string;
}

/** Replaces what lies between two offsets of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly to: string;
  readonly rule: string;
}
