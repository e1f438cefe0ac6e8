import {
  type ChallengeChannels,
  defaultChallengeChannels,
  faultOfChannels,
} from '../domain/challenge-channels.ts';
import { defaultDevicePolicy } from '../domain/device-policy.ts';
import { canBeId } from '../domain/text.ts';
import { systemClock } from '../ports/clock.ts';
import { createIds } from '../ports/ids.ts';
import type { Ports, RateLimits } from '../ports/ports.ts';
import { webRandom } from '../ports/random.ts';
import { createMemoryRateLimiter, defaultRateLimits } from './rate-limit.ts';

/** What a host must give, and what it may replace; `undefined` is as good as absent. */
export type ChairsideOptions = Pick<Ports, 'store' | 'processor'> & {
  readonly [Name in Exclude<keyof Ports, NotAsItIs>]?: Ports[Name] | undefined;
} & {
  /** Replaces single quotas; `off`: nothing is limited. Default: D31's. */
  readonly rateLimits?: Some<RateLimits> | 'off' | undefined;
  /** Replaces what a channel offers, for everyone (D8). Default: `sms` by phone, `email` by email. */
  readonly challengeMethods?: Some<ChallengeChannels> | undefined;
};

/** What is needed, what is given in another shape, and what `settled` must be able to wait for. */
type NotAsItIs = 'store' | 'processor' | 'rateLimits' | 'challengeMethods' | 'background';
type Some<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/**
 * The ports of a host, with a default for each that it leaves out; the defaults serve one process.
 * `createChairside` binds the use cases to them; who wants a single one calls it with them:
 * `getContactlessPayment(toPorts(options, background), auth, input)`.
 * Throws a TypeError for what nobody can mean: a slip of the pen, found at the start.
 */
export function toPorts(options: ChairsideOptions, background: Ports['background']): Ports {
  const { store, processor, clock = systemClock, installation = 'chairside' } = options;
  const challengeMethods = {
    phone: options.challengeMethods?.phone ?? defaultChallengeChannels.phone,
    email: options.challengeMethods?.email ?? defaultChallengeChannels.email,
  };
  const rateLimits = options.rateLimits === 'off' ? undefined : toQuotas(options.rateLimits ?? {});

  refuse('store', faultOfPort(store, 'commit'));
  refuse('processor', faultOfPort(processor, 'openPayment'));
  refuse('clock', faultOfPort(clock, 'now'));
  refuse('challengeMethods', faultOfChannels(challengeMethods));
  refuse('rateLimits', rateLimits && faultOfQuotas(rateLimits));
  refuse('installation', canBeId(installation) ? undefined : 'must have 1 to 255 characters');

  return {
    store,
    processor,
    clock,
    ids: options.ids ?? createIds(clock, webRandom),
    rateLimiter: options.rateLimiter ?? createMemoryRateLimiter(),
    rateLimits,
    devicePolicy: options.devicePolicy ?? defaultDevicePolicy,
    challengeMethods,
    installation,
    observe: options.observe,
    background,
  };
}

function refuse(option: string, wrong: string | undefined): void {
  if (wrong !== undefined) throw new TypeError(`${option}: ${wrong}`);
}

/** Told by one function of it: enough to find what is missing, or a Result that was not unwrapped. */
function faultOfPort(port: unknown, name: string): string | undefined {
  return typeof Reflect.get(Object(port), name) === 'function'
    ? undefined
    : `has no function ${name} (a Result must be unwrapped first)`;
}

function toQuotas(given: Some<RateLimits>): RateLimits {
  const replaced = Object.entries(given).filter(([, quota]) => quota !== undefined);
  return { ...defaultRateLimits, ...Object.fromEntries(replaced) };
}

function faultOfQuotas(quotas: RateLimits): string | undefined {
  for (const [name, { limit, windowMs }] of Object.entries(quotas)) {
    if (!Object.hasOwn(defaultRateLimits, name)) return `there is no quota ${name}`;
    if (!Number.isFinite(limit) || limit < 0) return `the limit of ${name} must be zero or more`;
    if (!Number.isFinite(windowMs) || windowMs <= 0) {
      return `the windowMs of ${name} must be above zero`;
    }
  }
  return undefined;
}
