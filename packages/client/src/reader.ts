/** Why the reader cannot be used, for the barber. */
export interface ReaderFailure {
  readonly failed: string;
}

/** A payment that the SDK knows in this process; after a restart it is retrieved again. */
export interface Intent {
  /** The processor's reference, known before a card is read: it is written down first. */
  readonly reference: string;
  /**
   * Waits for a card. When `signal` aborts it cancels, and resolves only once the SDK has ended what
   * was canceled. It never rejects.
   */
  collect(signal: AbortSignal): Promise<Collected>;
}

/**
 * What the SDK said; `unknown` if it failed. The server is asked whatever it is: a card may have been
 * read all the same, and SDKs have declined approved cards.
 */
export type Collected = 'approved' | 'processing' | 'declined' | 'canceled' | 'unknown';

/** A card reader. */
export interface Reader {
  /** Connects if need be. */
  ready(signal: AbortSignal): Promise<ReaderFailure | undefined>;
  retrieve(clientSecret: string, signal: AbortSignal): Promise<Intent | ReaderFailure>;
}
