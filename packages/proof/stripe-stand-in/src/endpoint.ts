import type { Books } from './books.ts';
import type { Calls, Params, Route, Rules } from './calls.ts';
import type { Reply } from './reply.ts';

/**
 * A call of the stand-in. Names and kinds of its parameters are checked against the SDK's types, so
 * parameters that Stripe lacks do not compile. Unlisted parameters are rejected.
 */
export interface Endpoint<R extends Route> {
  /** Its method and path. `{id}` stands for an object's id. */
  readonly at: `${'GET' | 'POST' | 'DELETE'} /v1/${string}`;
  readonly params: Rules<Calls[R][0]>;
  readonly required?: readonly (keyof Calls[R][0] & string)[];
  /** @param own the objects of the account that the request names. */
  run(own: Books, request: StandInRequest<Calls[R][0]>): Reply<Calls[R][1]>;
}

export type Endpoints = { readonly [R in Route]: Endpoint<R> };

/** A checked request. */
export interface StandInRequest<P> {
  /** The id in its path; empty if there is none. */
  readonly id: string;
  readonly params: Params<P>;
}
