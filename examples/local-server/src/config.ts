import { type ChairsideOptions, defaultRateLimits, err, ok, Result } from '@chairside/core';
import { isLiveKey } from '@chairside/stripe';
import * as v from 'valibot';
import { readStripeConfig, type StripeConfig } from './stripe-config.ts';

/** The server's configuration, from the environment. */
export interface Config {
  /** The SQLite file. The files of the simulated processor lie beside it, also with PostgreSQL. */
  readonly databasePath: string;
  /** The database of the records, in the place of SQLite. */
  readonly postgres: URL | undefined;
  readonly host: string;
  readonly port: number;
  /** The base of problem URIs and links. Default: the server's own address. */
  readonly baseUrl: string | undefined;
  readonly rateLimits: NonNullable<ChairsideOptions['rateLimits']>;
  /** How the simulated processor sends its events to this server. */
  readonly eventPlan: EventPlan;
  /** Whether payments may have a tip. Off, the interface is the published one. */
  readonly takesTips: boolean;
  /** Whether saved cards can be charged. Off, the interface is the published one. */
  readonly chargesCards: boolean;
  /** Whether cash and other tenders can be recorded. Off, the interface is the published one. */
  readonly takesTenders: boolean;
  /** Whether payments can be shared between visits and barbers. Off, the interface is the published one. */
  readonly sharesPayments: boolean;
  /** Replaces the simulated processor by Stripe. */
  readonly stripe: StripeConfig | undefined;
}

export const eventPlans = ['inOrder', 'late', 'twice', 'outOfOrder', 'off'] as const;
export type EventPlan = (typeof eventPlans)[number];

export const inMemory = ':memory:';
export const defaultFolder = '.data';
const defaultDatabasePath = `${defaultFolder}/chairside.db`;
/** Each processor needs its own database, because it cannot finish the other's payments. */
const defaultStripeDatabasePath = `${defaultFolder}/chairside-stripe.db`;

const portSchema = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/),
  v.transform(Number),
  v.maxValue(65_535),
);

const baseUrlSchema = v.pipe(
  v.string(),
  v.url(),
  // The base of problem types must be a URI. It is public, so it has no user name or password.
  v.regex(/^https?:\/\/(?!.*@)(?:[\w\-.~:/[\]!$&'()*+,;=]|%[\da-f]{2})+$/i),
  v.transform((url) => url.replace(/\/+$/, '')),
);

const atLeastOne = v.pipe(v.number(), v.integer(), v.minValue(1));
const quota = v.exactOptional(v.strictObject({ limit: atLeastOne, windowMs: atLeastOne }));
const rateLimitsSchema = v.strictObject({
  reads: quota,
  writes: quota,
  connectionTokens: quota,
  challengeMethods: quota,
  challengeTargets: quota,
  failedAuthentications: quota,
});

/** Reads the environment. An error has a line for each wrong setting. */
export function readConfig(env: NodeJS.ProcessEnv): Result<Config, string> {
  const given = (name: string) => env[name]?.trim() || undefined;
  return Result.combineWithAllErrors([
    readPort(given('PORT') ?? '3000'),
    readBaseUrl(given('BASE_URL')),
    readRateLimits(given('CHAIRSIDE_RATE_LIMITS') ?? '{}'),
    readEventPlan(given('CHAIRSIDE_DEMO_EVENTS') ?? 'inOrder'),
    readSwitch('CHAIRSIDE_TIPS', given('CHAIRSIDE_TIPS') ?? 'off'),
    readSwitch('CHAIRSIDE_CHARGES', given('CHAIRSIDE_CHARGES') ?? 'off'),
    readSwitch('CHAIRSIDE_TENDERS', given('CHAIRSIDE_TENDERS') ?? 'off'),
    readSwitch('CHAIRSIDE_SHARES', given('CHAIRSIDE_SHARES') ?? 'off'),
    readStripeConfig(given),
    readPostgres(given('CHAIRSIDE_POSTGRES')),
  ])
    .map(
      ([
        port,
        baseUrl,
        rateLimits,
        eventPlan,
        takesTips,
        chargesCards,
        takesTenders,
        sharesPayments,
        stripe,
        postgres,
      ]) => ({
        databasePath:
          given('CHAIRSIDE_DB') ??
          besidePostgres(postgres) ??
          (stripe === undefined ? defaultDatabasePath : defaultStripeDatabasePath),
        postgres,
        host: given('HOST') ?? '127.0.0.1',
        port,
        baseUrl,
        rateLimits,
        eventPlan,
        takesTips,
        chargesCards,
        takesTenders,
        sharesPayments,
        stripe,
      }),
    )
    .mapErr((lines) => lines.flat().join('\n'))
    .andThen(keepLiveKeyHere);
}

/** The tokens of the demo's barbers are public, so only this machine may use them with real money. */
function keepLiveKeyHere(config: Config): Result<Config, string> {
  const { host, stripe } = config;
  const isHere = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/.test(host);
  return stripe !== undefined && isLiveKey(stripe.secretKey) && !isHere
    ? err(
        'STRIPE_SECRET_KEY is a live key, and HOST lets other machines in: everybody knows the demo tokens.',
      )
    : ok(config);
}

function readPort(text: string): Result<number, string> {
  const parsed = v.safeParse(portSchema, text);
  return parsed.success ? ok(parsed.output) : err('PORT must be a number from 0 to 65535.');
}

function readBaseUrl(text: string | undefined): Result<string | undefined, string> {
  if (text === undefined) return ok(undefined);
  const parsed = v.safeParse(baseUrlSchema, text);
  return parsed.success
    ? ok(parsed.output)
    : err(
        'BASE_URL must be an http or https URL without a user name or a query, of the characters of a URI.',
      );
}

function readPostgres(text: string | undefined): Result<URL | undefined, string> {
  if (text === undefined) return ok(undefined);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^postgres(?:ql)?:$/.test(url.protocol)
    ? ok(url)
    : err(
        'CHAIRSIDE_POSTGRES must be the address of a database: postgres://user@127.0.0.1:5432/name',
      );
}

/** Each database has files of its own: the simulated processor knows the payments of one only. */
function besidePostgres(url: URL | undefined): string | undefined {
  return url && `${defaultFolder}/postgres-${`${url.host}${url.pathname}`.replaceAll(/\W+/g, '-')}`;
}

function readEventPlan(text: string): Result<EventPlan, string> {
  const plan = eventPlans.find((name) => name === text);
  return plan === undefined
    ? err(`CHAIRSIDE_DEMO_EVENTS must be one of ${eventPlans.join(', ')}.`)
    : ok(plan);
}

function readSwitch(name: string, text: string): Result<boolean, string> {
  return text === 'on' || text === 'off' ? ok(text === 'on') : err(`${name} must be on or off.`);
}

/** All who try the server have one address, and its tokens are no secret. */
const defaults = {
  ...defaultRateLimits,
  failedAuthentications: { ...defaultRateLimits.failedAuthentications, limit: 300 },
};

/** Reads `off`, or the quotas that differ from the defaults. */
function readRateLimits(text: string): Result<Config['rateLimits'], string> {
  if (text === 'off') return ok('off');
  const names = Object.keys(rateLimitsSchema.entries).join(', ');
  const hint = `CHAIRSIDE_RATE_LIMITS must be off, or JSON like {"writes":{"limit":60,"windowMs":60000}} for any of ${names}`;
  return Result.fromThrowable(
    (): unknown => JSON.parse(text),
    () => `${hint}: it is not JSON.`,
  )().andThen((json) => {
    const parsed = v.safeParse(rateLimitsSchema, json);
    if (parsed.success) return ok({ ...defaults, ...parsed.output });
    const [issue] = parsed.issues;
    const why = issue.expected === 'never' ? 'no quota has this name' : issue.message;
    return err(`${hint}: ${v.getDotPath(issue) ?? 'it'}: ${why}.`);
  });
}
