import {
  registerTerminalBodySchema,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
} from '../terminal.ts';
import { type Example, shape } from './shape.ts';
import { count, created, updated } from './shared.ts';

const deviceTexts = {
  platform: 'The platform of the device.',
  deviceIdentifier: 'Identifies the device. A device is registered at most once at a time.',
  deviceModel:
    'The model, such as `iPhone14,5`. A text that names no model, such as `iPhone`, is accepted and not compared.',
  osVersion:
    'The version of the operating system, such as `18.1` or `iOS 18.1`. A text that a rule needs and that is no version is a 422.',
  appVersion: 'The version of the app. It is stored and not compared.',
  terminalSdkVersion:
    "The version of the processor's SDK, such as `5.1.0`. Android has a minimum: a text there that is no version is a 422.",
} as const;

const phone: Example<typeof registerTerminalBodySchema> = {
  platform: 'ios',
  deviceIdentifier: '5E9C3C52-3F0D-4B8E-9B6B-1B1B7E1D9A44',
  deviceModel: 'iPhone14,5',
  osVersion: '18.1',
  appVersion: '3.2.0',
  terminalSdkVersion: '5.1.0',
};

const terminal: Example<typeof terminalSchema> = {
  id: 'trm_01jd3zk8q0e5v9h2m7x4r6t1bd',
  ...phone,
  terminalLocation: 'tml_1',
  createdAt: '2026-11-20T09:30:00.000Z',
  updatedAt: '2026-11-20T09:30:00.000Z',
};

export const terminalShapes = {
  Terminal: shape(
    terminalSchema,
    {
      about: "A barber's registered device.",
      properties: {
        id: 'The id of the terminal.',
        ...deviceTexts,
        terminalLocation:
          "The processor's id of the terminal's place, which its SDK needs to connect. Absent where the business has none.",
        createdAt: created,
        updatedAt: updated,
      },
    },
    terminal,
  ),
  Terminals: shape(
    terminalsSchema,
    {
      about: "The barber's terminals.",
      properties: { items: 'The terminals, oldest first.', count },
    },
    { items: [terminal], count: 1 },
  ),
  TerminalPlatform: shape(
    terminalSchema.entries.platform,
    'The platform of a terminal.',
    phone.platform,
  ),
  TerminalConnectionToken: shape(
    terminalConnectionTokenSchema,
    {
      about: 'A token with which a terminal opens a session.',
      properties: {
        clientSecret:
          "The token for the processor's SDK. It lives for a short time; never cache it.",
      },
    },
    { clientSecret: 'pst_test_YWNjdF8x' },
  ),
  RegisterTerminal: shape(
    registerTerminalBodySchema,
    { about: 'The device to register.', properties: deviceTexts },
    phone,
  ),
};
