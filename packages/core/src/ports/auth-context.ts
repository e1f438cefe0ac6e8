/**
 * Who calls, as the host's authenticator made it from the bearer token (D10). Roles add up: a
 * person may be a barber and a customer.
 */
export interface AuthContext {
  /** Identifies the caller for ever: rate limits and idempotency keys are kept under it. */
  readonly subject: string;
  readonly barberId?: string;
  readonly customerId?: string;
  readonly businessIds?: readonly string[];
  readonly systemAdministrator?: boolean;
  readonly entitlements?: readonly Entitlement[];
}

export type Entitlement = 'contactlessPayments';
