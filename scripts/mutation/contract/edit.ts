/** Replaces what lies between two offsets of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly to: string;
  readonly rule: string;
  /** The parameter that the edit ignores. */
  readonly inBody?: string;
}
