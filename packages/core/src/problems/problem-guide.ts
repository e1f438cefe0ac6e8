import type { ProblemType, ReasonRecovery } from './reasons.ts';

/**
 * The recovery that a problem of this type carries: one of {@link ReasonRecovery}, or
 * - `session`: `notApplied`, `retrySameRequest`, with a `sessionAction`;
 * - `unlessProven`: `unknown`, or `notApplied` if that is proven, `retrySameRequestAfterDelay`;
 * - `byReason`: that of its reason.
 */
export type ProblemRecovery = ReasonRecovery | 'session' | 'unlessProven' | 'byReason';

interface Guide {
  /** When a request gets this problem. */
  readonly when: string;
  readonly recovery: ProblemRecovery;
  /** An exception to `recovery`. */
  readonly exception?: string;
  /** The request's key is not looked up, so a request with a key gets `unknown`. */
  readonly precedesLookUp?: true;
  /** The client's action. */
  readonly action: string;
}

/**
 * Explains every problem type. The guide to problems and the OpenAPI document are generated from this
 * table and from `reasons`.
 */
export const problemGuide: { readonly [T in ProblemType]: Guide } = {
  badRequest: {
    when: 'The schema rejects the request, the JSON is malformed, or the key is missing, empty, too long or sent twice. Each fault is a nested problem with `attributes.pointer`.',
    recovery: 'final',
    action: 'Correct the request. This is a defect of the client.',
  },
  unauthorized: {
    when: 'The request has no token (`signIn`), or one that is not accepted (`refresh`).',
    recovery: 'session',
    precedesLookUp: true,
    action: 'Do the session action, then send the same request with the same key.',
  },
  forbidden: {
    when: 'The caller lacks the role, or the record belongs to another caller.',
    recovery: 'final',
    action: 'Tell the person.',
  },
  contactlessPaymentEntitlementMissing: {
    when: 'A barber without the entitlement registers a terminal or asks for a connection token.',
    recovery: 'final',
    action: 'Say that contactless payments are not enabled.',
  },
  notFound: {
    when: 'The record or the path does not exist.',
    recovery: 'final',
    action: 'Read the list again.',
  },
  methodNotAllowed: {
    when: 'The path does not have this method. `Allow` names the methods that it has.',
    recovery: 'final',
    action: 'Correct the request.',
  },
  requestTimeout: {
    when: 'The request took too long to arrive.',
    recovery: 'later',
    precedesLookUp: true,
    action: 'Wait for `Retry-After`, then send the same request with the same key.',
  },
  conflict: {
    when: 'The state of a record does not allow the request. `attributes.reason` says why.',
    recovery: 'byReason',
    action: 'Decide by the reason.',
  },
  appointmentAlreadyPaid: {
    when: 'Create: the appointment owes nothing more.',
    recovery: 'final',
    action: 'Show the appointment as paid.',
  },
  contactlessPaymentCanceled: {
    when: 'Capture: the payment was canceled and charges no money. The response is stored under the key. The reason, if there is one, says why an earlier capture was refused.',
    recovery: 'final',
    action: 'Create a new payment.',
  },
  contactlessPaymentDeclined: {
    when: 'Capture: the card was declined.',
    recovery: 'final',
    action:
      'Present another card to the same payment, then capture again. The same key may be used.',
  },
  contentTooLarge: {
    when: 'The body has more than 16 KiB.',
    recovery: 'final',
    precedesLookUp: true,
    action: 'Correct the request.',
  },
  unsupportedMediaType: {
    when: 'The body is not `application/json`, or it has a `Content-Encoding`. `Accept-Encoding` then names the accepted one.',
    recovery: 'final',
    action: 'Correct the request.',
  },
  unprocessableEntity: {
    when: 'A member has the right form but an impossible value: an amount above the balance, the reference of another payment, a key of another request, a version that cannot be read. Or the processor rejects the request. `attributes` has a `pointer` or a `reason`.',
    recovery: 'final',
    action: 'Change the named member.',
  },
  paymentProviderNotSetup: {
    when: 'The business has no processor account that can take cards.',
    recovery: 'final',
    exception: 'for a capture that may have been sent: `unknown`, after delay',
    action: 'Send the owner to the set-up. The same key may be used later.',
  },
  contactlessPaymentDeviceUnsupported: {
    when: 'The device does not meet the policy. `attributes.reasons` lists each failed rule with `minimum` and `actual`.',
    recovery: 'final',
    action: 'Show the reasons.',
  },
  tipTooHigh: {
    when: 'Create: the tip exceeds the bound of the host, `attributes.maximum`.',
    recovery: 'final',
    action: 'Ask the customer for a smaller tip.',
  },
  tooManyRequests: {
    when: 'The quota is used up. `recovery.rateLimit` says which one, and when it resets.',
    recovery: 'later',
    precedesLookUp: true,
    action: 'Wait for `Retry-After`.',
  },
  headersTooLarge: {
    when: 'The headers have more than 16 KiB.',
    recovery: 'final',
    precedesLookUp: true,
    action: 'Correct the request.',
  },
  internalError: {
    when: "Chairside or a port has a defect, the shop's record is wrong, or a middleware of the host has read the body. The detail names the last two.",
    recovery: 'unknown',
    exception: 'for a wrong record or a body that was read: `doNotRetry`',
    action:
      'Send the same request with the same key. If the detail names the record or the body, tell the operator of the service.',
  },
  serviceUnavailable: {
    when: 'The store, the processor or the authenticator cannot be reached, or cannot say what it did.',
    recovery: 'unlessProven',
    action: 'Send the same request with the same key, until the outcome is known.',
  },
  httpVersionNotSupported: {
    when: 'The request line names a version of HTTP other than 1.0 and 1.1.',
    recovery: 'final',
    precedesLookUp: true,
    action: 'Correct the request.',
  },
};
