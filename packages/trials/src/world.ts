import type { AuthContext, Chairside, ChairsideOptions, Clock, Store } from '@chairside/core';
import type { SimulatedProcessor } from '@chairside/testkit';

/** What a host brings to a simulation. Made anew for each run. */
export interface World {
  /** Begins empty. */
  readonly store: Store;
  readonly processor: SimulatedProcessor;
  /** The same store, as it is found after its process died. The store as it is, if left out. */
  reopen?(): Promise<Store>;
  /** Faults of the world's own making stop, with those of the plan. Answers how many there were. */
  heal?(): number;
  close?(): Promise<void>;
}

export interface Harness {
  /** @param seed what the world may choose (ids, say) follows from it. */
  open(clock: Clock, seed: number): World | Promise<World>;
  /** Serves the use cases over HTTP, in process; such requests are left out where absent. */
  readonly serveHttp?: (
    chairside: Chairside,
    authenticate: (token: string) => AuthContext | undefined,
  ) => (request: Request) => Response | Promise<Response>;
  /** The core under test; the real one if left out. */
  readonly createChairside?: (options: ChairsideOptions) => Chairside;
}
