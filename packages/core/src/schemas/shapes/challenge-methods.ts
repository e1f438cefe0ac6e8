import {
  challengeMethodsSchema,
  emailAddressSchema,
  phoneNumberSchema,
} from '../challenge-methods.ts';
import { objectShape, shape } from './shape.ts';
import { count } from './shared.ts';

export const challengeMethodsShapes = {
  ChallengeMethods: objectShape(
    challengeMethodsSchema,
    'The ways to send a one-time passcode. They do not reveal whether an account exists.',
    { items: ['The ways.', [{ label: 'sms' }]], count },
  ),
  ChallengeMethod: objectShape(
    challengeMethodsSchema.entries.items.item,
    'A way to send a one-time passcode.',
    { label: ['The name of the way, such as `sms`.', 'sms'] },
  ),
  PhoneNumber: shape(
    phoneNumberSchema,
    'A phone number: digits, with an optional leading plus, and single spaces, dots or hyphens between groups.',
    '+49 30 901820',
  ),
  EmailAddress: shape(emailAddressSchema, 'An email address.', 'ada@marlow.example'),
};
