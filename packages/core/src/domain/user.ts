/** Someone who can sign in, and the channels on which a one-time passcode reaches them. */
export interface User {
  readonly id: string;
  /** Digits with a leading plus. */
  readonly phoneNumber?: string;
  /** Lower case. */
  readonly emailAddress?: string;
}
