import type { EpochMs } from './time.ts';

/** The terminal platforms (D4). */
export const platforms = ['ios', 'android'] as const;
export type Platform = (typeof platforms)[number];

/** What an app tells of the device it runs on; the optional parts are not held against it (D5). */
export interface Device {
  readonly platform: Platform;
  readonly deviceIdentifier: string;
  readonly deviceModel?: string;
  readonly osVersion?: string;
  readonly appVersion?: string;
  readonly terminalSdkVersion?: string;
}

/** A list shows a barber's newest terminals, and no more than this. */
export const maxListedTerminals = 1000;

/** A barber's phone, registered to take card payments (D6). */
export interface Terminal extends Device {
  readonly id: string;
  readonly barberId: string;
  /** The business it was registered for; its processor account signs connection tokens (D14). */
  readonly businessId: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}
