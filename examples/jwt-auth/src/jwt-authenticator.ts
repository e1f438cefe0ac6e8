import { type AuthContext, type Clock, systemClock } from '@chairside/core';
import type { Authenticate } from '@chairside/h3';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as v from 'valibot';

export interface JwtOptions {
  /** `createLocalJWKSet(keys)`, or `createRemoteJWKSet(url)` of the same library. */
  readonly keys: JWTVerifyGetKey;
  readonly issuer: string;
  readonly audience: string;
  readonly clock?: Clock;
}

/** What a caller's id may be. Another one is a fault of the token, and not of the server. */
const idSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(255), v.regex(/^\P{Cc}+$/u));

/** The claims of this host's identity provider. */
const claimsSchema = v.object({
  sub: idSchema,
  barber_id: v.optional(idSchema),
  customer_id: v.optional(idSchema),
  business_ids: v.optional(v.array(idSchema)),
  roles: v.optional(v.array(v.string()), []),
});

/** Reads the caller from a signed access token (D10). */
export function createJwtAuthenticator(options: JwtOptions): Authenticate {
  const { keys, issuer, audience, clock = systemClock } = options;
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ['ES256'], // never the algorithm that the token asks for
        requiredClaims: ['exp'],
        currentDate: new Date(clock.now()),
      });
      const claims = v.safeParse(claimsSchema, payload);
      return claims.success ? toAuthContext(claims.output) : undefined;
    } catch (thrown) {
      if (isTokensFault(thrown)) return undefined;
      throw thrown; // The keys are unavailable: Chairside returns 503.
    }
  };
}

function toAuthContext(claims: v.InferOutput<typeof claimsSchema>): AuthContext {
  const { sub, barber_id, customer_id, business_ids, roles } = claims;
  return {
    subject: sub,
    ...(barber_id !== undefined && { barberId: barber_id }),
    ...(customer_id !== undefined && { customerId: customer_id }),
    ...(business_ids !== undefined && { businessIds: business_ids }),
    systemAdministrator: roles.includes('administrator'),
    entitlements: roles.includes('card_payments') ? ['contactlessPayments'] : [],
  };
}

/**
 * Errors that only the token itself can cause, by class. If the endpoint of the keys fails, the
 * library throws their common base class.
 */
const tokensFaults = [
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSMultipleMatchingKeys,
  errors.JWKSNoMatchingKey,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
];

function isTokensFault(thrown: unknown): boolean {
  return tokensFaults.some((fault) => thrown instanceof fault);
}
