import type { H3Event } from 'h3';
import type { Authenticate } from './authenticate.ts';

/** What a host says of itself, and of whom it lets in. */
export interface ChairsideHandlerOptions {
  /** Who has this access token; `undefined` where it is not valid. */
  readonly authenticate: Authenticate;
  /** How long that may take before the call is answered 503. Default: 5 seconds. */
  readonly authenticateDeadlineMs?: number | undefined;
  /**
   * Problem types are `{problemBase}/problems/<name>`. Default: `https://chairside.example`, the same
   * in every deployment, as in `docs/openapi.json`.
   */
  readonly problemBase?: string | undefined;
  /**
   * The address under which clients reach the host, such as `https://api.shop.example`. Problems then
   * have an `instance`: this address, the request's path, and the request id as fragment.
   */
  readonly publicUrl?: string | undefined;
  /** The path at which the host mounts the handler, such as `/v1`. */
  readonly basePath?: string | undefined;
  /**
   * Where a request came from: failed authentications are counted by it. Default: the peer of the
   * connection, which behind a proxy is the proxy.
   */
  readonly clientAddress?: ((event: H3Event) => string | undefined) | undefined;
  /**
   * Names requests that bring no `x-request-id`: up to 128 letters, digits, `.`, `_` and `-`. In the
   * place of any other name we use one of our own, and tell `onFailure`.
   */
  readonly newRequestId?: (() => string) | undefined;
  /** Is told what the host's own functions threw, and of faults in here. No client learns of it. */
  readonly onFailure?: ((thrown: unknown, requestId: string) => void) | undefined;
}
