import * as v from 'valibot';
import { countSchema, text } from './shared.ts';

/**
 * Groups of digits: a leading plus, parentheses around a group, one separator between two groups.
 */
const phonePattern = /^\+?(?:\([0-9]+\)|[0-9])(?:[ .-]?(?:\([0-9]+\)|[0-9]))*$/;
const emailPattern = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

export const phoneNumberSchema = v.pipe(
  text(6, 32),
  v.regex(phonePattern, 'must be a phone number such as +49 30 901820'),
);

export const emailAddressSchema = v.pipe(
  text(6, 100),
  v.regex(emailPattern, 'must be an email address such as ada@marlow.example'),
);

/** The query parameters; they exclude each other (D8). */
export const challengeMethodsQuery = {
  phoneNumber: v.optional(phoneNumberSchema),
  emailAddress: v.optional(emailAddressSchema),
};

export const challengeMethodsSchema = v.object({
  items: v.array(v.object({ label: v.string() })),
  count: countSchema,
});

/** The ways to send a one-time passcode (spec "ChallengeMethod list"). */
export interface ChallengeMethods extends v.InferOutput<typeof challengeMethodsSchema> {}
/** Exactly one of the two. */
export interface ChallengeMethodsQuery {
  readonly phoneNumber?: string | undefined;
  readonly emailAddress?: string | undefined;
}
