import type { EpochMs } from './time.ts';

/** The terminal platforms (D4). */
export const platforms = ['ios', 'android'] as const;
export type Platform = (typeof platforms)[number];

/** The device description from an app. Missing optional fields count as supported (D5). */
export interface Device {
  readonly platform: Platform;
  readonly deviceIdentifier: string;
  readonly deviceModel?: string;
  readonly osVersion?: string;
  readonly appVersion?: string;
  readonly terminalSdkVersion?: string;
}

/** A list shows at most this many terminals of a barber, the newest ones. */
export const maxListedTerminals = 1000;

/** A barber's phone, registered to take card payments (D6). */
export interface Terminal extends Device {
  readonly id: string;
  readonly barberId: string;
  /** The business it was registered for, whose processor account signs connection tokens (D14). */
  readonly businessId: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}
