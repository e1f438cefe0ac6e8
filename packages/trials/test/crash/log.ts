/** What was asked, and what the client learned of it: all that the checks know of the outside. */
export interface Exchange {
  readonly operation: 'create' | 'capture';
  readonly key: string;
  readonly appointmentId: string;
  /** Of a capture: the payment it is about. */
  readonly paymentId?: string;
  /** Moments, not times: of two things they say which was first. */
  readonly from: number;
  readonly to: number;
  /** Absent where the connection broke. */
  readonly answer?: Answer;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Of a problem: what it says of the request, and whether to send it again. */
  readonly outcome?: string;
  readonly retry?: string;
}

export function isAcknowledged({ answer }: Exchange): boolean {
  return answer !== undefined && answer.status < 300;
}
