import type { AuthContext, Chairside, ChairsideOptions, Clock } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import type { SimulatedProcessor } from '@chairside/testkit';

/** The host's part of a simulation, new for each run. */
export interface World {
  /** Empty at the start. After `reopen` it is the one that was opened then. */
  readonly store: Store;
  readonly processor: SimulatedProcessor;
  /** Opens the same store again after its process died. Default: it lives on. */
  reopen?(): Promise<void>;
  /** Copies the store. The result puts the copy in its place. */
  backUp?(): () => void;
  /** Ends the world's own faults, together with those of the plan. Returns their number. */
  heal?(): number;
  close?(): Promise<void>;
}

export interface Harness {
  /**
   * @param seed determines all choices of the world, ids for example.
   * @param nodeClock the clock of a node, which may be wrong: the processor's adapter goes by it.
   */
  open(clock: Clock, seed: number, nodeClock?: Clock): World | Promise<World>;
  /** Serves the use cases over HTTP, in process. Without it, such requests are omitted. */
  readonly serveHttp?: (
    chairside: Chairside,
    authenticate: (token: string) => AuthContext | undefined,
  ) => (request: Request) => Response | Promise<Response>;
  /** Makes the core under test. Default: the real one. */
  readonly createChairside?: (options: ChairsideOptions) => Chairside;
}
