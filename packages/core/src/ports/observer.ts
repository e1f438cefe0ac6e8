import type { ProblemType } from '../domain/problem.ts';
import type { EpochMs } from '../domain/time.ts';

/**
 * One action of Chairside, for logs, metrics and traces. It holds ids and outcomes, and never a
 * token, a client secret, a card or a request body.
 */
export type Observation = {
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  /** The id of the request, if the action belongs to one. */
  readonly requestId?: string;
} & (
  | { readonly kind: 'operation'; readonly name: string; readonly outcome: 'ok' | ProblemType }
  | { readonly kind: 'processorCall'; readonly name: string; readonly outcome: string }
  | { readonly kind: 'commit'; readonly changes: readonly string[]; readonly outcome: string }
  | {
      readonly kind: 'failure';
      readonly name: string;
      readonly outcome: string;
      /** The processor's id of the item that could not be read, if the failure is about one. */
      readonly reference?: string;
    }
);

/** Called after each observation. It must return at once; its errors are ignored. */
export type Observer = (observation: Observation) => void;
