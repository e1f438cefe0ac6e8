import { type MethodSetup, platforms, type Terminal } from '@chairside/core';
import * as fc from 'fast-check';
import { counter, type FieldsOf, id, instant, text, work } from './values.ts';

export const terminals: fc.Arbitrary<Terminal> = fc.record(
  {
    id,
    platform: fc.constantFrom(...platforms),
    deviceIdentifier: id,
    deviceModel: text,
    osVersion: text,
    appVersion: text,
    terminalSdkVersion: text,
    barberId: id,
    businessId: id,
    createdAt: instant,
    updatedAt: instant,
  } satisfies FieldsOf<Terminal>,
  {
    requiredKeys: [
      'id',
      'platform',
      'deviceIdentifier',
      'barberId',
      'businessId',
      'createdAt',
      'updatedAt',
    ],
  },
);

export const setups: fc.Arbitrary<MethodSetup> = fc.record(
  {
    id,
    customerId: id,
    savePaymentMethod: fc.boolean(),
    version: counter,
    clientSecret: text,
    reference: text,
    createdAt: instant,
    expiresAt: instant,
    outcome: fc.constantFrom('completed', 'canceled', 'expired'),
    work,
    nextCheckAt: instant,
  } satisfies FieldsOf<MethodSetup>,
  {
    requiredKeys: [
      'id',
      'customerId',
      'savePaymentMethod',
      'version',
      'createdAt',
      'expiresAt',
      'nextCheckAt',
    ],
  },
);
