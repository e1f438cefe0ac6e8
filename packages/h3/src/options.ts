import type { Chairside } from '@chairside/core';
import { toTimeoutMs, unknownOption } from '@chairside/core/ports';
import type { H3Event } from 'h3';
import type { Authenticate } from './authenticate.ts';
import type { CorsOptions } from './cors.ts';
import { optionalGroups } from './optional.ts';
import type { Route } from './route.ts';

/** The host's addresses and functions for the HTTP interface. */
export interface ChairsideHandlerOptions {
  /** Returns the caller who has this access token, or `undefined` if it is not valid. */
  readonly authenticate: Authenticate;
  /** The time limit of `authenticate`; afterwards the call gets 503. Default: 5 seconds. */
  readonly authenticateDeadlineMs?: number | undefined;
  /**
   * The time limit of an operation. Afterwards the client gets 503, and the operation goes on (D146).
   * Default: 90 seconds.
   */
  readonly responseDeadlineMs?: number | undefined;
  /**
   * Problem types are `{problemBase}/problems/<name>`. Default: `https://chairside.example` in
   * every deployment, as in `docs/openapi.json`.
   */
  readonly problemBase?: string | undefined;
  /**
   * The public address of the host, such as `https://api.shop.example`. Problems then have an
   * `instance`: this address, the request's path, and the request id as fragment.
   */
  readonly publicUrl?: string | undefined;
  /** The path at which the host mounts the handler, such as `/v1`. */
  readonly basePath?: string | undefined;
  /**
   * The client's address. Failed authentications are counted by it. Default: the peer of the
   * connection, which is the proxy if there is one.
   */
  readonly clientAddress?: ((event: H3Event) => string | undefined) | undefined;
  /** Which pages of other origins may call from a browser. Default: none, and no CORS headers. */
  readonly cors?: CorsOptions | undefined;
  /**
   * Makes the id of a request without an `x-request-id`: up to 128 letters, digits, `.`, `_` and
   * `-`. An invalid id is replaced by a new one and reported to `onFailure`.
   */
  readonly newRequestId?: (() => string) | undefined;
  /** Receives the errors of the host's own functions and of the handler. Clients never see them. */
  readonly onFailure?: ((thrown: unknown, requestId: string) => void) | undefined;
  /** Serves refunds beside the published interface: the routes of `optionalGroups.refunds`. Default: false (D44). */
  readonly refunds?: boolean | undefined;
  /** Serves receipts: the route of `optionalGroups.receipts`. Default: false (D203). */
  readonly receipts?: boolean | undefined;
  /** Serves charges of saved methods: the routes of `optionalGroups.charges`. Default: false (D49). */
  readonly charges?: boolean | undefined;
  /** Serves what is paid without a card: the routes of `optionalGroups.tenders`. Default: false (D202). */
  readonly tenders?: boolean | undefined;
  /**
   * Serves whose a payment is: the routes of `optionalGroups.shares`. Switch `shares` of `createChairside` on too.
   * Default: false (D208).
   */
  readonly shares?: boolean | undefined;
}

/** Throws a TypeError for options that are no object, or that names an option which does not exist (D74). */
export function checkNames(options: object, names: Readonly<Record<string, true>>): void {
  // Hosts without types may leave them out, or pass any value.
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options: must be an object with some of ${Object.keys(names).join(', ')}`);
  }
  const unknown = unknownOption(options, names);
  if (unknown !== undefined) throw new TypeError(unknown);
}

/** A time limit. Throws a TypeError for a value that is none, such as '90s', which would not limit at all. */
export function toLimitMs(name: string, given: number | undefined, usualMs: number): number {
  if (given !== undefined && !(typeof given === 'number' && given > 0)) {
    throw new TypeError(`${name}: must be a number of milliseconds above zero`);
  }
  return toTimeoutMs(given, usualMs);
}

/** The routes that the options switch on. Throws a TypeError for no boolean: a text would leave them off without a word. */
export function switchedOn(chairside: Chairside, options: ChairsideHandlerOptions): Route[] {
  if (options.shares === true && chairside.ports.shares === undefined) {
    throw new TypeError('shares: switch shares of createChairside on too');
  }
  return Object.entries(optionalGroups).flatMap(([name, { routes }]) => {
    const isOn: unknown = Reflect.get(options, name);
    if (isOn === undefined || isOn === false) return [];
    if (isOn !== true) throw new TypeError(`${name}: must be true or false`);
    return routes;
  });
}

export const handlerOptions: Readonly<Record<keyof ChairsideHandlerOptions, true>> = {
  authenticate: true,
  authenticateDeadlineMs: true,
  responseDeadlineMs: true,
  problemBase: true,
  publicUrl: true,
  basePath: true,
  clientAddress: true,
  cors: true,
  newRequestId: true,
  onFailure: true,
  refunds: true,
  receipts: true,
  charges: true,
  tenders: true,
  shares: true,
};
