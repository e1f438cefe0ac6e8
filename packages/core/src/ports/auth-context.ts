import { isLonger, isStorable } from '../domain/text.ts';

/**
 * Who calls, as the host's authenticator made it from the bearer token (D10). Roles add up: a
 * person may be a barber and a customer.
 */
export interface AuthContext {
  /**
   * Identifies the caller for ever: rate limits and idempotency keys are kept under it. This and all
   * other names have at most 255 characters.
   */
  readonly subject: string;
  readonly barberId?: string;
  readonly customerId?: string;
  readonly businessIds?: readonly string[];
  readonly systemAdministrator?: boolean;
  readonly entitlements?: readonly Entitlement[];
}

export type Entitlement = 'contactlessPayments';

/**
 * Whether it has the shape above. A host without types may answer anything: two callers without a
 * subject would be taken for one, and a text in the place of a list would hold each of its parts.
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

/** As long as other ids (D1): keys are kept under a subject, and no index takes a text of any length. */
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
