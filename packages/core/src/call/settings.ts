import {
  type ChallengeChannels,
  defaultChallengeChannels,
  faultOfChannels,
} from '../domain/challenge-channels.ts';
import { defaultDevicePolicy } from '../domain/device-policy.ts';
import { platforms } from '../domain/terminal.ts';
import { canBeId } from '../domain/text.ts';
import { faultOfTips } from '../domain/tip.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { createIds, webRandom } from '../ports/ids.ts';
import type { Ports, RateLimits } from '../ports/ports.ts';
import type { WaitUntil } from './background.ts';
import { createMemoryRateLimiter, defaultRateLimits } from './rate-limit.ts';

/** The ports that a host must give, and those that it may replace. `undefined` means omitted. */
export type ChairsideOptions = Pick<Ports, 'store' | 'processor'> & {
  readonly [Name in Exclude<keyof Ports, NotAsItIs>]?: Ports[Name] | undefined;
} & {
  /** Replaces single quotas; `off` disables all limits. Default: D31's. */
  readonly rateLimits?: Some<RateLimits> | 'off' | undefined;
  /**
   * Replaces the labels of a channel, for all users (D8). Default: `sms` by phone, `email` by
   * email.
   */
  readonly challengeMethods?: Some<ChallengeChannels> | undefined;
  /**
   * Receives the work that goes on after a response. Needed where the process may stop then: pass the
   * platform's `waitUntil`. Without it, `settled()` alone tells when that work is done.
   */
  readonly waitUntil?: WaitUntil | undefined;
};

/** Required options, options in another shape than their port, and the ones created here. */
type NotAsItIs = 'store' | 'processor' | 'rateLimits' | 'challengeMethods' | 'background';
type Some<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Throws a TypeError for options that are missing altogether, or that only `createChairside` uses. */
export function checkOptions(options: ChairsideOptions): void {
  // Hosts without types may pass any value.
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options: must be an object with a store and a processor');
  }
  refuseOption('waitUntil', faultOfFunction(options.waitUntil ?? undefined));
}

/**
 * The ports of a host, with a default for each omitted one. The defaults serve one process.
 * Throws a TypeError for invalid options.
 */
export function toPorts(options: ChairsideOptions, background: Ports['background']): Ports {
  const { store, processor, clock = systemClock, installation = 'chairside' } = options;
  const ids = options.ids ?? createIds(clock, webRandom);
  const rateLimiter = options.rateLimiter ?? createMemoryRateLimiter();
  const devicePolicy = options.devicePolicy ?? defaultDevicePolicy;
  const observe = options.observe ?? undefined;
  const tips = options.tips ?? undefined;
  const challengeMethods = {
    phone: options.challengeMethods?.phone ?? defaultChallengeChannels.phone,
    email: options.challengeMethods?.email ?? defaultChallengeChannels.email,
  };
  const rateLimits = options.rateLimits === 'off' ? undefined : toQuotas(options.rateLimits ?? {});

  refuseOption('store', faultOfPort(store, 'commit'));
  refuseOption('processor', faultOfPort(processor, 'openPayment'));
  refuseOption('clock', faultOfPort(clock, 'now') ?? faultOfTime(clock));
  refuseOption('ids', faultOfPort(ids, 'next'));
  refuseOption('rateLimiter', faultOfPort(rateLimiter, 'take'));
  refuseOption('observe', faultOfFunction(observe));
  refuseOption('devicePolicy', faultOfPolicy(devicePolicy));
  refuseOption('challengeMethods', faultOfChannels(challengeMethods));
  refuseOption('rateLimits', rateLimits && faultOfQuotas(rateLimits));
  refuseOption('tips', tips && faultOfTips(tips));
  refuseOption('installation', canBeId(installation) ? undefined : 'must have 1 to 255 characters');

  return {
    store,
    processor,
    clock,
    ids,
    rateLimiter,
    rateLimits,
    devicePolicy,
    challengeMethods,
    tips,
    installation,
    observe,
    background,
  };
}

function refuseOption(option: string, wrong: string | undefined): void {
  if (wrong !== undefined) throw new TypeError(`${option}: ${wrong}`);
}

/** Checks one method, to catch a missing port or a Result that was not unwrapped. */
function faultOfPort(port: unknown, name: string): string | undefined {
  return typeof Reflect.get(Object(port), name) === 'function'
    ? undefined
    : `has no function ${name} (a Result must be unwrapped first)`;
}

/** A `Date` or a text would become a part of every deadline. A clock that throws is contained (D68). */
function faultOfTime(clock: Clock): string | undefined {
  let time: unknown = 0;
  try {
    time = clock.now();
  } catch {}
  return Number.isSafeInteger(time) ? undefined : 'now must return whole milliseconds';
}

function faultOfFunction(given: unknown): string | undefined {
  return given === undefined || typeof given === 'function' ? undefined : 'must be a function';
}

function faultOfPolicy(policy: unknown): string | undefined {
  const rules = Object(Reflect.get(Object(policy), 'platforms'));
  const missing = platforms.find((platform) => typeof Reflect.get(rules, platform) !== 'object');
  return missing === undefined ? undefined : `has no rules for ${missing}`;
}

function toQuotas(given: Some<RateLimits>): RateLimits {
  const replaced = Object.entries(given).filter(([, quota]) => quota !== undefined);
  return { ...defaultRateLimits, ...Object.fromEntries(replaced) };
}

function faultOfQuotas(quotas: RateLimits): string | undefined {
  for (const [name, quota] of Object.entries(quotas)) {
    const { limit, windowMs } = quota ?? {};
    if (!Object.hasOwn(defaultRateLimits, name)) return `the quota ${name} does not exist`;
    if (!Number.isSafeInteger(limit) || limit < 0) {
      return `the limit of ${name} must be a whole number of zero or more`;
    }
    if (!Number.isFinite(windowMs) || windowMs <= 0) {
      return `the windowMs of ${name} must be above zero`;
    }
  }
  return undefined;
}
