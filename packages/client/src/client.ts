import { type Calls, callsOf } from './calls.ts';
import { operations, optionallyKeyed } from './operations.ts';
import { type ClientOptions, type Settings, toSettings } from './settings.ts';

export type OperationName = keyof typeof operations;

/** The operations, with the makers of keys and time. */
export type Client = Calls<typeof operations> & Pick<Settings, 'newKey' | 'time'>;

/** Throws a TypeError for invalid options. */
export function createClient(options: ClientOptions): Client {
  const settings = toSettings(options);
  const { newKey, time } = settings;
  return { ...callsOf(settings, operations, optionallyKeyed), newKey, time };
}
