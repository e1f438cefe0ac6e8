import { createMemoryRateLimiter, defaultRateLimits } from './frame/access.ts';
import { createHome, type WaitUntil } from './frame/perform.ts';
import { createSharedClock } from './payment/carry.ts';
import { faultOfTips, type TipPolicy } from './payment/tip.ts';
import type {
  ChallengeChannels,
  FailureListener,
  Observer,
  Ports,
  RateLimiter,
  RateLimits,
} from './ports/ports.ts';
import type { Processor } from './ports/processor.ts';
import type { Store } from './ports/store.ts';
import { type DevicePolicy, defaultDevicePolicy, platforms } from './terminal/terminal.ts';
import {
  canBeId,
  createIds,
  type Ids,
  isLonger,
  isShowable,
  unknownOption,
  webRandom,
} from './values/text.ts';
import { type Clock, systemClock } from './values/time.ts';

/** What a host gives to `createChairside`: a store, a processor, and what it replaces. */
export interface ChairsideOptions {
  /** Where all records are: `openSqliteStore`, `openPostgresStore`, or one of your own. */
  readonly store: Store;
  /** Who moves the money: `createStripeProcessor`, `createFakeProcessor`, or one of your own. */
  readonly processor: Processor;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Makes the ids of new records. Default: a prefix and a UUIDv7, such as `cpm_01h…`. */
  readonly ids?: Ids | undefined;
  /**
   * Counts the calls of each caller. Default: in the memory of this process. Several processes need one that
   * they share, such as the PostgreSQL package's.
   */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Replaces single quotas; `off` disables all limits. Default: `defaultRateLimits`. */
  readonly rateLimits?: Some<RateLimits> | 'off' | undefined;
  /** Which phones can be terminals. Default: `defaultDevicePolicy`, which the processors document. */
  readonly devicePolicy?: DevicePolicy | undefined;
  /**
   * Replaces the labels of a channel, for all users. Default: `sms` by phone, `email` by
   * email.
   */
  readonly challengeMethods?: Some<ChallengeChannels> | undefined;
  /** Switches tips on, and bounds them: `{}` allows as much again as the amount. Default: no tips. */
  readonly tips?: TipPolicy | undefined;
  /**
   * Switches shares on: a create may pay other visits too, and a refund may say whose money it gives back.
   * Default: `false`.
   */
  readonly shares?: boolean | undefined;
  /**
   * The mark of this installation's payments at the processor, 1 to 255 characters. Two installations that
   * share an account need two. Default: `chairside`. Never change it while payments are open.
   */
  readonly installation?: string | undefined;
  /**
   * Receives each operation, commit and call of the processor, without secrets: for logs, metrics and
   * traces. Default: nothing is observed.
   */
  readonly observe?: Observer | undefined;
  /**
   * Receives what a port, a handler or a record of the host threw, as it was thrown. The observer hears
   * only its class, and no response or log of Chairside holds it, because it may hold a secret. Default: it
   * is dropped.
   */
  readonly onFailure?: FailureListener | undefined;
  /**
   * The database was restored from a backup. Creates, charges, captures, tenders and sharings get 503 until upkeep
   * has read the payments of every account at the processor and recorded those that the backup lacks. Set it in every process,
   * run upkeep, and leave it out at the next deployment. Default: `false`.
   */
  readonly restored?: boolean | undefined;
  /**
   * Receives the work that goes on after a response. Needed where the process may stop then: pass the
   * platform's `waitUntil`. Default: `settled()` alone tells when that work is done.
   */
  readonly waitUntil?: WaitUntil | undefined;
}

type Some<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Throws a TypeError for options that are missing altogether, or that only `createChairside` uses. */
export function checkOptions(options: ChairsideOptions): void {
  // Hosts without types may pass any value.
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options: must be an object with a store and a processor');
  }
  const unknown = unknownOption(options, optionNames);
  if (unknown !== undefined) throw new TypeError(unknown);
  refuseOption('waitUntil', faultOfFunction(options.waitUntil ?? undefined));
}

const optionNames: Readonly<Record<keyof ChairsideOptions, true>> = {
  store: true,
  processor: true,
  clock: true,
  ids: true,
  rateLimiter: true,
  rateLimits: true,
  devicePolicy: true,
  challengeMethods: true,
  tips: true,
  shares: true,
  installation: true,
  observe: true,
  onFailure: true,
  restored: true,
  waitUntil: true,
};

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
  const onFailure = options.onFailure ?? undefined;
  const tips = options.tips ?? undefined;
  const shares = options.shares === true || undefined;
  const restoration =
    options.restored === true ? { number: 0, read: new Set<string>() } : undefined;
  refuseOption('challengeMethods', faultOfChannelNames(options.challengeMethods ?? {}));
  const challengeMethods = {
    phone: options.challengeMethods?.phone ?? defaultChallengeChannels.phone,
    email: options.challengeMethods?.email ?? defaultChallengeChannels.email,
  };
  const quotas = options.rateLimits ?? {};
  refuseOption('rateLimits', typeof quotas === 'object' || quotas === 'off' ? undefined : noQuotas);
  const rateLimits = quotas === 'off' ? undefined : toQuotas(quotas);

  const lacking = missingIn(store, storeFunctions) ?? missingInGroups(store, storeGroups);
  refuseOption('store', lacking && unusable(store, lacking));
  refuseOption('processor', faultOfProcessor(processor));
  refuseOption('clock', faultOfPort(clock, 'now') ?? faultOfTime(clock));
  refuseOption('ids', faultOfPort(ids, 'next'));
  refuseOption('rateLimiter', faultOfPort(rateLimiter, 'take'));
  refuseOption('observe', faultOfFunction(observe));
  refuseOption('onFailure', faultOfFunction(onFailure));
  refuseOption('devicePolicy', faultOfPolicy(devicePolicy));
  refuseOption('challengeMethods', faultOfChannels(challengeMethods));
  refuseOption('rateLimits', rateLimits && faultOfQuotas(rateLimits));
  refuseOption('tips', tips && faultOfTips(tips));
  refuseOption('shares', faultOfSwitch(options.shares));
  refuseOption('restored', faultOfSwitch(options.restored));
  refuseOption('installation', canBeId(installation) ? undefined : 'must have 1 to 255 characters');

  const ports: Ports = {
    store,
    processor,
    clock,
    ids,
    rateLimiter,
    rateLimits,
    devicePolicy,
    challengeMethods,
    tips,
    shares,
    restoration,
    installation,
    actors: new Map(),
    observe,
    onFailure,
    background,
    sharedClock: createSharedClock(store, { clock, background }),
  };
  // It belongs to no request.
  return { ...ports, home: createHome({ ...ports, observe: undefined }) };
}

function refuseOption(option: string, wrong: string | undefined): void {
  if (wrong !== undefined) throw new TypeError(`${option}: ${wrong}`);
}

/** A `Date` or a text would become a part of every deadline. A clock that throws is contained. */
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

/** A text, such as a variable of the environment, would leave the option off without a word. */
function faultOfSwitch(given: unknown): string | undefined {
  return typeof (given ?? false) === 'boolean' ? undefined : 'must be true or false';
}

function faultOfPolicy(policy: unknown): string | undefined {
  const rules = Object(Reflect.get(Object(policy), 'platforms'));
  const missing = platforms.find((platform) => typeof Reflect.get(rules, platform) !== 'object');
  return missing === undefined ? undefined : `has no rules for ${missing}`;
}

const noQuotas = "must be 'off' or an object, such as { reads: { limit: 300, windowMs: 60_000 } }";

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

type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
/** Every required function of a port, so that the compiler reports a missing one here. */
type Functions<T> = Readonly<
  Record<
    { [K in keyof T]-?: T[K] extends (...args: never) => unknown ? K : never }[keyof T] &
      Exclude<keyof T, OptionalKey<T>>,
    true
  >
>;
type Groups<T, Names extends keyof T> = {
  readonly [Name in Names]: Functions<NonNullable<T[Name]>>;
};

const get = { get: true } as const;

const storeFunctions: Functions<Store> = { commit: true, wasCommitted: true, close: true };

/** The groups of a store with their functions. */
export const storeGroups: Groups<
  Store,
  Exclude<keyof Store, keyof typeof storeFunctions | 'now' | 'about'>
> = {
  appointments: get,
  barbers: get,
  businesses: get,
  ledgers: get,
  payments: {
    ...get,
    listByAppointment: true,
    listDue: true,
    listOpen: true,
    listCaptured: true,
    listAll: true,
  },
  keys: get,
  events: { listDue: true, listDead: true },
  processorEvents: { has: true },
  refunds: { ...get, listByPayment: true, listDue: true },
  disputes: { ...get, listByPayment: true, list: true },
  tenders: { ...get, listByAppointment: true, listByPayment: true, list: true, listAll: true },
  shares: { ...get, listByAppointment: true, listByPayment: true, list: true },
  movements: { list: true, listByPayment: true },
  settlements: { list: true, listUnknown: true, listByPayment: true, sumOfPayout: true },
  payouts: { ...get, list: true },
  reviews: { ...get, list: true, listOpenOf: true, listByPayment: true },
  setups: { ...get, listDue: true, listByCustomer: true },
  sweeps: { ...get, listStale: true },
  facts: get,
  financialAccounts: get,
  schedules: get,
  payoutPreferences: get,
  actors: { ...get, getBySubject: true },
  terminals: { ...get, getByDeviceIdentifier: true, listByBarber: true, listAll: true },
};

/** The functions of a processor outside its groups. */
export const processorFunctions: Functions<Processor> = {
  openPayment: true,
  readPayment: true,
  capturePayment: true,
  cancelPayment: true,
  createConnectionToken: true,
  listPayments: true,
  readReceipt: true,
  openSetup: true,
  readSetup: true,
  cancelSetup: true,
  parseEvent: true,
};

const processorGroups: Groups<Processor, 'refunds' | 'disputes' | 'settlements' | 'charges'> = {
  refunds: { refund: true, list: true, listRecent: true },
  disputes: { list: true, listRecent: true },
  settlements: { listEntries: true, listPayouts: true },
  charges: { authorize: true },
};

/** Why a processor is unusable, if it is. Its groups may be absent, but not in part. */
function faultOfProcessor(processor: unknown): string | undefined {
  const missing = missingIn(processor, processorFunctions);
  if (missing !== undefined) return unusable(processor, missing);
  const given = Object.entries(processorGroups).filter(
    ([name]) => memberOf(processor, name) != null,
  );
  const missingInGroup = missingInGroups(processor, Object.fromEntries(given));
  return missingInGroup && unusable(processor, missingInGroup);
}

/** Why this port is unusable, if it lacks the one function that it must have. */
function faultOfPort(port: unknown, name: string): string | undefined {
  const missing = missingIn(port, { [name]: true });
  return missing && unusable(port, missing);
}

function missingInGroups(
  port: unknown,
  groups: Readonly<Record<string, Readonly<Record<string, true>>>>,
): string | undefined {
  for (const [name, functions] of Object.entries(groups)) {
    const missing = missingIn(memberOf(port, name), functions);
    if (missing !== undefined) return `${name}.${missing}`;
  }
  return undefined;
}

function missingIn(port: unknown, functions: Readonly<Record<string, true>>): string | undefined {
  return Object.keys(functions).find((name) => typeof memberOf(port, name) !== 'function');
}

/** Ports may be classes, so their functions may be inherited. */
function memberOf(port: unknown, name: string): unknown {
  return Reflect.get(Object(port), name);
}

function unusable(port: unknown, missing: string): string {
  if (port == null) return 'is required';
  if (typeof memberOf(port, 'then') === 'function') return 'is a Promise: await it';
  return `has no function ${missing} (a Result must be unwrapped first)`;
}

export const defaultChallengeChannels: ChallengeChannels = { phone: ['sms'], email: ['email'] };

const maxLabels = 16;
const maxLabelLength = 64;

const channelNames: Readonly<Record<keyof ChallengeChannels, true>> = { phone: true, email: true };

function faultOfChannelNames(given: Some<ChallengeChannels>): string | undefined {
  // Hosts without types may pass any value.
  return typeof given === 'object'
    ? unknownOption(given, channelNames)
    : "must be an object, such as { phone: ['sms'] }";
}

/** The fault in a host's labels; `undefined` if they are valid. */
function faultOfChannels(channels: ChallengeChannels): string | undefined {
  for (const channel of ['phone', 'email'] as const) {
    const labels = channels[channel];
    if (!Array.isArray(labels)) return `${channel} must be a list of labels`;
    if (labels.length === 0 || labels.length > maxLabels) {
      return `${channel} must have 1 to ${maxLabels} labels`;
    }
    if (new Set(labels).size < labels.length) return `${channel} has a label twice`;
    if (labels.some((label) => !isLabel(label))) {
      return `a label of ${channel} must have 1 to ${maxLabelLength} visible characters`;
    }
  }
  return undefined;
}

function isLabel(label: unknown): boolean {
  return (
    typeof label === 'string' &&
    label.trim() !== '' &&
    !isLonger(label, maxLabelLength) &&
    isShowable(label)
  );
}
