import * as v from 'valibot';
import { platforms } from '../domain/terminal.ts';
import { countSchema, resourceIdSchema, text, timestampSchema } from './shared.ts';

const device = {
  platform: v.picklist(platforms),
  deviceIdentifier: text(1, 255),
  deviceModel: v.optional(text(0, 100)),
  osVersion: v.optional(text(0, 50)),
  appVersion: v.optional(text(0, 50)),
  terminalSdkVersion: v.optional(text(0, 50)),
};

export const registerTerminalBodySchema = v.strictObject(device);

export const terminalSchema = v.object({
  id: resourceIdSchema,
  ...device,
  terminalLocation: v.exactOptional(text(1, 255)),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const terminalsSchema = v.object({ items: v.array(terminalSchema), count: countSchema });

export const terminalConnectionTokenSchema = v.object({ clientSecret: v.string() });

/** A registered device, in the clients' view (D6). */
export interface TerminalView extends v.InferOutput<typeof terminalSchema> {}
export interface Terminals extends v.InferOutput<typeof terminalsSchema> {
  items: TerminalView[];
}
/** A short-lived token with which a terminal opens a session (D24). */
export interface TerminalConnectionToken
  extends v.InferOutput<typeof terminalConnectionTokenSchema> {}
export interface RegisterTerminalBody extends v.InferInput<typeof registerTerminalBodySchema> {}
