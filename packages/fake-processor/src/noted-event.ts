/** A pending event: one line of a payment's history, from which its content is derived. */
export interface NotedEvent {
  readonly payment: string;
  readonly line: number;
}
