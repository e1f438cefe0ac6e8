/** Why the reader cannot be used, for the barber. */
export interface ReaderFailure {
  readonly failed: string;
}

/** A payment that the SDK knows in this process. After a restart it must be retrieved again. */
export interface Intent {
  /** The processor's reference. It is known before a card is read, and recorded first. */
  readonly reference: string;
  /**
   * Waits for a card. When `signal` aborts, it cancels, and resolves only once the SDK has ended
   * the collect. It never rejects.
   */
  collect(signal: AbortSignal): Promise<Collected>;
}

/**
 * The SDK's report; `unknown` if it failed. The server is asked in every case: a card may have been
 * read anyway, and SDKs have declined approved cards.
 */
export type Collected = 'approved' | 'processing' | 'declined' | 'canceled' | 'unknown';

/** A card reader. */
export interface Reader {
  /** Connects the reader if necessary. */
  ready(signal: AbortSignal): Promise<ReaderFailure | undefined>;
  retrieve(clientSecret: string, signal: AbortSignal): Promise<Intent | ReaderFailure>;
}
