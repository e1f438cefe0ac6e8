import type { MethodSetup, Terminal } from '@chairside/core';

// What became of one record, as applied writes and the processor's books tell. Moments, not times:
// of two things at one time they still say which was first.

export interface SetupTrail {
  /** The action that began it. */
  readonly action: number;
  readonly begun: number;
  /** Whose key it was begun under. */
  readonly claim?: { readonly subject: string; readonly key: string };
  /** As it was stored last. */
  stored: MethodSetup;
  /** When the processor opened sessions for it. */
  readonly openings: number[];
  /** By action, when it last learned from the processor what there is. */
  readonly looks: Map<number, number>;
  recorded?: number;
  closed?: number;
  /** Withdrawn or forgotten. */
  deleted?: number;
  /** Its time was over when it was deleted, settled or not (D67). */
  isOld?: true;
  /** The customer entered a card. */
  completed?: number;
}

export interface TerminalTrail {
  readonly terminal: Terminal;
  readonly action: number;
  readonly registered: number;
  gone?: { readonly moment: number; readonly action: number };
}
