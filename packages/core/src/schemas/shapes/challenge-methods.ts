import {
  challengeMethodsSchema,
  emailAddressSchema,
  phoneNumberSchema,
} from '../challenge-methods.ts';
import { shape } from './shape.ts';
import { count } from './shared.ts';

export const challengeMethodsShapes = {
  ChallengeMethods: shape(
    challengeMethodsSchema,
    {
      about: 'The ways to send a one-time passcode. They do not reveal whether an account exists.',
      properties: { items: 'The ways.', count },
    },
    { items: [{ label: 'sms' }], count: 1 },
  ),
  ChallengeMethod: shape(
    challengeMethodsSchema.entries.items.item,
    {
      about: 'A way to send a one-time passcode.',
      properties: { label: 'The name of the way, such as `sms`.' },
    },
    { label: 'sms' },
  ),
  PhoneNumber: shape(
    phoneNumberSchema,
    'A phone number: digits, with an optional leading plus, and single spaces, dots or hyphens between groups.',
    '+49 30 901820',
  ),
  EmailAddress: shape(emailAddressSchema, 'An email address.', 'ada@marlow.example'),
};
