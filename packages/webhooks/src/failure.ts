/** Why a receiver did not accept an event. */
export interface WebhookFailure {
  /** The id of the event, and of its delivery: `webhook-id`. */
  readonly eventId: string;
  /**
   * `refused`: a status outside 200 to 299. `timeout`: no response in time. `privateAddress`: the
   * host's name leads into a private network. `unknownHost`: the name has no address. `notConnected`:
   * the port is closed, or there is no way to it. `tls`: an invalid certificate, or no TLS. `broken`: the
   * connection ended without a response.
   */
  readonly why:
    | 'refused'
    | 'timeout'
    | 'privateAddress'
    | 'unknownHost'
    | 'notConnected'
    | 'tls'
    | 'broken';
  /** Node's code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`, where there is one. */
  readonly code?: string;
  /** The receiver's HTTP status, where there is one. */
  readonly status?: number;
}
