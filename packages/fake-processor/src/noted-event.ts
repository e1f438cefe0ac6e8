/** An event that waits: a line of a payment's history. What it says follows from the line. */
export interface NotedEvent {
  readonly payment: string;
  readonly line: number;
}
