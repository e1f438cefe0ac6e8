import { type Fault, fault, unfit } from '../problems/problem.ts';
import { err, ok, type Result } from '../values/result.ts';
import type { EpochMs } from '../values/time.ts';

export const platforms = ['ios', 'android'] as const;
/** The operating system of a phone. */
export type Platform = (typeof platforms)[number];

/** The device description from an app. Missing optional fields count as supported. */
export interface Device {
  readonly platform: Platform;
  readonly deviceIdentifier: string;
  readonly deviceModel?: string;
  readonly osVersion?: string;
  readonly appVersion?: string;
  readonly terminalSdkVersion?: string;
}

/** At most this many phones are registered by one barber at once, and a list shows as many. */
export const maxTerminals = 1000;

/** A barber's phone, registered to take card payments. */
export interface Terminal extends Device {
  readonly id: string;
  readonly barberId: string;
  /** The business it was registered for, whose processor account signs connection tokens. */
  readonly businessId: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** The requirements of one platform. An omitted rule is not checked. */
export interface PlatformPolicy {
  readonly minimumOsVersion?: string;
  /**
   * No version of the platform is greater, for years. What is greater is something else, such as the
   * API level of Android.
   */
  readonly greatestOsVersion?: string;
  readonly minimumTerminalSdkVersion?: string;
  /**
   * A model identifier of the form `iPhone11,2`: only this family is allowed, and the numbers are
   * the oldest model.
   */
  readonly minimumModel?: string;
}

/** The devices that can take contactless payments: dated data that a host may replace. */
export interface DevicePolicy {
  /** The day it was last compared with the processor's requirements, `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly platforms: Readonly<Record<Platform, PlatformPolicy>>;
}

/** The processors' requirements on the day that it names. */
export const defaultDevicePolicy: DevicePolicy = {
  asOf: '2026-11-01',
  platforms: {
    ios: { minimumOsVersion: '16.7', minimumModel: 'iPhone11,2' },
    // The API levels that a phone may send instead begin at 21.
    android: {
      minimumOsVersion: '13',
      greatestOsVersion: '20',
      minimumTerminalSdkVersion: '5.0.0',
    },
  },
};

interface FailedRule {
  readonly [name: string]: string;
  readonly rule: 'osVersion' | 'terminalSdkVersion' | 'deviceModel';
  readonly minimum: string;
  readonly actual: string;
}

export type DeviceFault =
  | Fault<'contactlessPaymentDeviceUnsupported'>
  | Fault<'unprocessableEntity'>;

/** Checks a device against the policy. The fault names every failed rule. */
export function checkDevice(device: Device, policy: DevicePolicy): Result<void, DeviceFault> {
  const rules = policy.platforms[device.platform];
  const needed = {
    osVersion: rules.minimumOsVersion,
    terminalSdkVersion: rules.minimumTerminalSdkVersion,
  };
  for (const field of ['osVersion', 'terminalSdkVersion'] as const) {
    const actual = device[field];
    if (actual === undefined || needed[field] === undefined) continue;
    if (parseVersion(actual) === undefined) {
      return err(unfit(`/${field}`, `${field} is not a version such as 16.7.2.`));
    }
  }
  if (isGreater(device.osVersion, rules.greatestOsVersion)) {
    return err(unfit('/osVersion', notAVersion));
  }
  const failed = [
    failedVersion('osVersion', device.osVersion, rules.minimumOsVersion),
    failedVersion('terminalSdkVersion', device.terminalSdkVersion, rules.minimumTerminalSdkVersion),
    failedModel(device.deviceModel, rules.minimumModel),
  ].filter((rule) => rule !== undefined);
  if (failed.length === 0) return ok();
  const first = failed.map(({ rule, minimum }) => `${rule} must be at least ${minimum}`).join(', ');
  return err(
    fault('contactlessPaymentDeviceUnsupported', `The device cannot be a terminal: ${first}.`, {
      attributes: { reasons: failed },
    }),
  );
}

/** React Native's `Platform.Version` is the API level: 30 for Android 11. */
const notAVersion =
  'osVersion is greater than any version of the platform. Send the version that the settings of the phone show, such as 14. On Android that is Build.VERSION.RELEASE, in React Native Platform.constants.Release, and not the API level.';

/** Whether its first number is greater. */
function isGreater(actual: string | undefined, greatest: string | undefined): boolean {
  const version = parseVersion(actual);
  const most = parseVersion(greatest);
  return (
    version !== undefined && most !== undefined && compareVersions(version.slice(0, 1), most) > 0
  );
}

function failedVersion(
  rule: 'osVersion' | 'terminalSdkVersion',
  actual: string | undefined,
  minimum: string | undefined,
): FailedRule | undefined {
  if (actual === undefined || minimum === undefined) return undefined;
  const version = parseVersion(actual);
  const oldest = parseVersion(minimum);
  const isNewEnough =
    version !== undefined && oldest !== undefined && compareVersions(version, oldest) >= 0;
  return isNewEnough ? undefined : { rule, minimum, actual };
}

function failedModel(
  actual: string | undefined,
  minimum: string | undefined,
): FailedRule | undefined {
  if (actual === undefined || minimum === undefined) return undefined;
  const model = parseModel(actual);
  const oldest = parseModel(minimum);
  if (oldest === undefined) return { rule: 'deviceModel', minimum, actual };
  if (model === undefined) {
    // `iPhone`, `iPhone 14 Pro` and a simulator's `arm64` name no model, so the rule cannot compare
    // them.
    const family = /^i(?:Pad|Pod)/.exec(actual)?.[0] ?? oldest.family;
    return family !== oldest.family ? { rule: 'deviceModel', minimum, actual } : undefined;
  }
  const isAllowed =
    model.family === oldest.family && compareVersions(model.numbers, oldest.numbers) >= 0;
  return isAllowed ? undefined : { rule: 'deviceModel', minimum, actual };
}

function parseModel(text: string): { family: string; numbers: number[] } | undefined {
  const [, family, major, minor] = /^([A-Za-z]+)(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  return family === undefined ? undefined : { family, numbers: [Number(major), Number(minor)] };
}

const versionPattern = /^(?:[A-Za-z]{1,15} )?(\d{1,9}(?:\.\d{1,9}){0,3})(?:[ -].{0,30})?$/;

/**
 * The numbers of a dotted version such as `16.7.2`, also after a name: `iOS 17.1`. `undefined` for any
 * other text, and without one.
 */
export function parseVersion(text = ''): readonly number[] | undefined {
  return versionPattern.exec(text)?.[1]?.split('.').map(Number);
}

/** Negative if `a` is older than `b`, zero if they are equal, positive if `a` is newer. */
export function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
