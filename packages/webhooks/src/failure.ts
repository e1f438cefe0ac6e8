/** Why a receiver did not accept an event. */
export interface WebhookFailure {
  /** The id of the event, and of its delivery: `webhook-id`. */
  readonly eventId: string;
  /**
   * `refused`: a status outside 200 to 299. `timeout`: no response in time. `privateAddress`: the
   * host's name leads into a private network. `unreachable`: no connection, or it broke.
   */
  readonly why: 'refused' | 'timeout' | 'privateAddress' | 'unreachable';
  /** The receiver's HTTP status, where there is one. */
  readonly status?: number;
}
