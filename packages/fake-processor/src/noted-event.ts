/** A pending event: one entry of a payment's history, from which its content follows. */
export interface NotedEvent {
  readonly payment: string;
  readonly line: number;
}
