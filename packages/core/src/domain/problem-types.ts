/**
 * Every problem type, with its HTTP status and title (spec "Errors", D28). The status is a property
 * of the type; the rest of the core does not know HTTP.
 */
export const problemTypes = {
  badRequest: { status: 400, title: 'The request is not well-formed' },
  unauthorized: { status: 401, title: 'Authentication is missing or insufficient' },
  forbidden: { status: 403, title: 'The caller may not do this' },
  contactlessPaymentEntitlementMissing: {
    status: 403,
    title: 'The caller is not entitled to contactless payments',
  },
  notFound: { status: 404, title: 'The resource does not exist' },
  methodNotAllowed: { status: 405, title: 'The resource does not have this method' },
  requestTimeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with the current state' },
  appointmentAlreadyPaid: { status: 409, title: 'The appointment is already paid' },
  contactlessPaymentCanceled: { status: 409, title: 'The payment was canceled' },
  contactlessPaymentDeclined: { status: 409, title: 'The payment was declined' },
  contentTooLarge: { status: 413, title: 'The request body is too large' },
  unsupportedMediaType: { status: 415, title: 'The request body is not application/json' },
  unprocessableEntity: { status: 422, title: 'The request is well-formed but invalid' },
  paymentProviderNotSetup: {
    status: 422,
    title: 'The business has no payment processor account that is set up',
  },
  contactlessPaymentDeviceUnsupported: {
    status: 422,
    title: 'The device does not support contactless payments',
  },
  tipTooHigh: { status: 422, title: 'The tip is more than the shop allows' },
  tooManyRequests: { status: 429, title: 'Too many requests' },
  headersTooLarge: { status: 431, title: 'The request headers are too large' },
  internalError: { status: 500, title: 'The service failed' },
  serviceUnavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const;

export type ProblemType = keyof typeof problemTypes;
