import * as v from 'valibot';
import { documentTable } from '../storage/columns.ts';
import { formatTimestamp } from '../values/time.ts';
import {
  count,
  resourceIdSchema,
  shape,
  text,
  timestampSchema,
  wireBody,
  wireObject,
} from '../values/wire.ts';
import { platforms, type Terminal } from './terminal.ts';

const device = {
  platform: [v.picklist(platforms), 'The platform of the device.', 'ios'],
  deviceIdentifier: [
    text(1, 255),
    'Identifies the device. A device is registered at most once at a time.',
    '5E9C3C52-3F0D-4B8E-9B6B-1B1B7E1D9A44',
  ],
  deviceModel: [
    v.optional(text(0, 100)),
    'The model, such as `iPhone14,5`. A text that names no model, such as `iPhone`, is accepted and not compared.',
    'iPhone14,5',
  ],
  osVersion: [
    v.optional(text(0, 50)),
    'The version of the operating system, such as `18.1` or `iOS 18.1`. A text that a rule needs and that is no version is a 422, and so is the API level of Android.',
    '18.1',
  ],
  appVersion: [
    v.optional(text(0, 50)),
    'The version of the app. It is stored and not compared.',
    '3.2.0',
  ],
  terminalSdkVersion: [
    v.optional(text(0, 50)),
    "The version of the processor's SDK, such as `5.1.0`. Android has a minimum: a text there that is no version is a 422.",
    '5.1.0',
  ],
} as const;

export const registerTerminalBody = wireBody('The device to register.', device);

const terminal = wireObject("A barber's registered device.", {
  id: [resourceIdSchema, 'The id of the terminal.', 'trm_01jd3zk8q0e5v9h2m7x4r6t1bd'],
  ...device,
  terminalLocation: [
    v.exactOptional(text(1, 255)),
    "The processor's id of the terminal's place, which its SDK needs to connect. Absent where the business has none.",
    'tml_1',
  ],
  createdAt: [timestampSchema, 'The time of creation.', '2026-11-20T09:30:00.000Z'],
  updatedAt: [timestampSchema, 'The time of the last change.', '2026-11-20T09:30:00.000Z'],
});
export const terminalSchema = terminal.schema;

const terminals = wireObject("The barber's terminals.", {
  items: [v.array(terminalSchema), 'The terminals, oldest first.', [terminal.example]],
  count,
});
export const terminalsSchema = terminals.schema;

const terminalConnectionToken = wireObject('A token with which a terminal opens a session.', {
  clientSecret: [
    v.string(),
    "The token for the processor's SDK. It lives for a short time; never cache it.",
    'pst_test_YWNjdF8x',
  ],
});
export const terminalConnectionTokenSchema = terminalConnectionToken.schema;

/** A registered device, in the clients' view. */
export interface TerminalView extends v.InferOutput<typeof terminalSchema> {}
/** A barber's terminals, oldest first. */
export interface Terminals extends v.InferOutput<typeof terminalsSchema> {
  items: TerminalView[];
}
/** A short-lived token with which a terminal opens a session. */
export interface TerminalConnectionToken
  extends v.InferOutput<typeof terminalConnectionTokenSchema> {}
/** The device to register, as its app sees it. */
export interface RegisterTerminalBody extends v.InferInput<typeof registerTerminalBody.schema> {}

export const terminalShapes = {
  Terminal: terminal,
  Terminals: terminals,
  TerminalPlatform: shape(
    terminalSchema.entries.platform,
    'The platform of a terminal.',
    terminal.example.platform,
  ),
  TerminalConnectionToken: terminalConnectionToken,
  RegisterTerminal: registerTerminalBody,
};

export const terminalTable = documentTable<Terminal>({
  id: (t) => t.id,
  device_identifier: (t) => t.deviceIdentifier,
  barber_id: (t) => t.barberId,
  created_at: (t) => t.createdAt,
});

/**
 * @param terminalLocation the location of the business that the terminal was registered for.
 */
export function viewTerminal(terminal: Terminal, terminalLocation?: string): TerminalView {
  const { deviceModel, osVersion, appVersion, terminalSdkVersion } = terminal;
  return {
    id: terminal.id,
    platform: terminal.platform,
    deviceIdentifier: terminal.deviceIdentifier,
    ...(deviceModel !== undefined && { deviceModel }),
    ...(osVersion !== undefined && { osVersion }),
    ...(appVersion !== undefined && { appVersion }),
    ...(terminalSdkVersion !== undefined && { terminalSdkVersion }),
    ...(terminalLocation !== undefined && { terminalLocation }),
    createdAt: formatTimestamp(terminal.createdAt),
    updatedAt: formatTimestamp(terminal.updatedAt),
  };
}
