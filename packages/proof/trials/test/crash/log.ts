/** A request and the client's knowledge of it: all that the checks know from the outside. */
export interface Exchange {
  readonly operation: 'create' | 'capture' | 'refund';
  readonly key: string;
  readonly appointmentId: string;
  /** The payment of a capture or a refund. */
  readonly paymentId?: string;
  /** Cents, of a refund. */
  readonly amount?: number;
  /** Moments, not times: they tell which of two events was first. */
  readonly from: number;
  readonly to: number;
  /** Absent if the connection broke. */
  readonly answer?: Answer;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The recovery of a problem. */
  readonly outcome?: string;
  readonly retry?: string;
}

export function isAcknowledged({ answer }: Exchange): boolean {
  return answer !== undefined && answer.status < 300;
}
