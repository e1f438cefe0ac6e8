import type { ProblemType } from '../domain/problem.ts';
import type { EpochMs } from '../domain/time.ts';

/**
 * One thing that Chairside did, for logs, metrics and traces. Holds ids and outcomes, and never a
 * token, a client secret, a card or a request body.
 */
export type Observation = {
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  /** Names the request, where one is behind it. */
  readonly requestId?: string;
} & (
  | { readonly kind: 'operation'; readonly name: string; readonly outcome: 'ok' | ProblemType }
  | { readonly kind: 'processorCall'; readonly name: string; readonly outcome: string }
  | { readonly kind: 'commit'; readonly changes: readonly string[]; readonly outcome: string }
  | { readonly kind: 'failure'; readonly name: string; readonly outcome: string }
);

/** Called after each observation. Must return at once; anything that it throws is ignored. */
export type Observer = (observation: Observation) => void;
