/** An error in the words of the reader's SDK. */
export interface ReaderError {
  readonly code: string;
  readonly message: string;
}

/** Why the reader cannot be used. */
export interface ReaderFailure {
  /** Tells the barber what happened and what to do. */
  readonly failed: string;
  readonly error?: ReaderError | undefined;
  /** A person has to do something first, so the register does not try again by itself. */
  readonly needsPerson?: boolean | undefined;
}

/** A payment that the SDK knows in this process. After a restart it must be retrieved again. */
export interface Intent {
  /** The processor's reference. It is known before a card is read, and recorded first. */
  readonly reference: string;
  /**
   * Waits for a card. When `signal` aborts, it cancels, and resolves only once the SDK has ended
   * the collect. It never rejects.
   */
  collect(signal: AbortSignal): Promise<Collected | Report>;
}

/**
 * The SDK's report; `declined` if it says that of the card, and `unknown` if it failed. The server is asked in every
 * case: a card may have been read anyway, and SDKs have declined approved cards. `offline`: the phone keeps the card and
 * sends it later. `canceled` without an aborted signal: a person closed the card screen.
 */
export type Collected = 'approved' | 'processing' | 'offline' | 'declined' | 'canceled' | 'unknown';

/** A report with its reason. */
export interface Report extends Partial<ReaderFailure> {
  readonly said: Collected;
  /** The collect certainly ended before a card was read. */
  readonly hadNoCard?: boolean | undefined;
}

/** A card reader. */
export interface Reader {
  /** Connects the reader if necessary. */
  ready(signal: AbortSignal): Promise<ReaderFailure | undefined>;
  retrieve(clientSecret: string, signal: AbortSignal): Promise<Intent | ReaderFailure>;
}
