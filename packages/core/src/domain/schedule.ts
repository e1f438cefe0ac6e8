import type { weekdays } from './payout-preferences.ts';

/** A span of a day, `HH:MM` to `HH:MM` in the shop's local time. */
export interface WorkingHours {
  readonly day: (typeof weekdays)[number];
  readonly from: string;
  readonly to: string;
}

/** A barber's named weekly schedule template. */
export interface Schedule {
  readonly id: string;
  readonly barberId: string;
  readonly name: string;
  readonly hours: readonly WorkingHours[];
}
