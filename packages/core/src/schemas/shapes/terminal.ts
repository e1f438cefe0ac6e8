import {
  registerTerminalBodySchema,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
} from '../terminal.ts';
import { objectShape, type ShapeMembers, shape } from './shape.ts';
import { count } from './shared.ts';

const deviceMembers: ShapeMembers<typeof registerTerminalBodySchema> = {
  platform: ['The platform of the device.', 'ios'],
  deviceIdentifier: [
    'Identifies the device. A device is registered at most once at a time.',
    '5E9C3C52-3F0D-4B8E-9B6B-1B1B7E1D9A44',
  ],
  deviceModel: [
    'The model, such as `iPhone14,5`. A text that names no model, such as `iPhone`, is accepted and not compared.',
    'iPhone14,5',
  ],
  osVersion: [
    'The version of the operating system, such as `18.1` or `iOS 18.1`. A text that a rule needs and that is no version is a 422.',
    '18.1',
  ],
  appVersion: ['The version of the app. It is stored and not compared.', '3.2.0'],
  terminalSdkVersion: [
    "The version of the processor's SDK, such as `5.1.0`. Android has a minimum: a text there that is no version is a 422.",
    '5.1.0',
  ],
};

const terminalShape = objectShape(terminalSchema, "A barber's registered device.", {
  id: ['The id of the terminal.', 'trm_01jd3zk8q0e5v9h2m7x4r6t1bd'],
  ...deviceMembers,
  terminalLocation: [
    "The processor's id of the terminal's place, which its SDK needs to connect. Absent where the business has none.",
    'tml_1',
  ],
  createdAt: ['The time of creation.', '2026-11-20T09:30:00.000Z'],
  updatedAt: ['The time of the last change.', '2026-11-20T09:30:00.000Z'],
});

export const terminalShapes = {
  Terminal: terminalShape,
  Terminals: objectShape(terminalsSchema, "The barber's terminals.", {
    items: ['The terminals, oldest first.', [terminalShape.example]],
    count,
  }),
  TerminalPlatform: shape(
    terminalSchema.entries.platform,
    'The platform of a terminal.',
    terminalShape.example.platform,
  ),
  TerminalConnectionToken: objectShape(
    terminalConnectionTokenSchema,
    'A token with which a terminal opens a session.',
    {
      clientSecret: [
        "The token for the processor's SDK. It lives for a short time; never cache it.",
        'pst_test_YWNjdF8x',
      ],
    },
  ),
  RegisterTerminal: objectShape(
    registerTerminalBodySchema,
    'The device to register.',
    deviceMembers,
  ),
};
