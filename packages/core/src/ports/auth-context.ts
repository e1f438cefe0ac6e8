import { isLonger, isStorable } from '../domain/text.ts';

/**
 * The caller, as the host's authenticator derived it from the bearer token (D10). Roles add up: a
 * person may be both a barber and a customer.
 */
export interface AuthContext {
  /**
   * Identifies the caller permanently, because rate limits and idempotency keys are stored under
   * it. All names here have at most 255 characters.
   */
  readonly subject: string;
  readonly barberId?: string;
  readonly customerId?: string;
  readonly businessIds?: readonly string[];
  readonly systemAdministrator?: boolean;
  readonly entitlements?: readonly Entitlement[];
}

/** `contactlessPayments`: may register terminals and connect them. */
export type Entitlement = 'contactlessPayments';

/**
 * Whether it has the shape above. Hosts without types may return any value. Two callers without a
 * subject would count as one, and a string in place of a list would "include" its own parts.
 */
export function isAuthContext(auth: AuthContext): boolean {
  const { subject, barberId, customerId, businessIds, systemAdministrator, entitlements } = auth;
  return (
    isName(subject) &&
    (barberId === undefined || isName(barberId)) &&
    (customerId === undefined || isName(customerId)) &&
    (businessIds === undefined || isListOfNames(businessIds)) &&
    (systemAdministrator === undefined || typeof systemAdministrator === 'boolean') &&
    (entitlements === undefined || isListOfNames(entitlements))
  );
}

/**
 * The same limit as for ids (D1): keys are stored under a subject, and an index limits its texts.
 */
const maxNameLength = 255;

function isName(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '' &&
    isStorable(value) &&
    !isLonger(value, maxNameLength)
  );
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isName);
}
