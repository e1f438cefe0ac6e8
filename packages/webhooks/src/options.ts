import { type Clock, err, ok, type Result, secondMs, systemClock } from '@chairside/core';
import { unknownOption } from '@chairside/core/ports';
import { isPrivateAddress } from './addresses.ts';
import type { WebhookFailure } from './failure.ts';

/** One receiver of events. */
export interface WebhookOptions {
  /** The receiver's address, for example `https://hooks.example/chairside`. No redirect is followed. */
  readonly url: string;
  /**
   * `whsec_` and the base64 of 24 to 64 random bytes. A receiver changes over with two secrets: each
   * request is signed with all of them. At most 4.
   */
  readonly secrets: readonly string[];
  /**
   * The time for one delivery in milliseconds, 100 to 50,000. Default: 15,000. After a minute another
   * node may deliver the same event (D26).
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Allows `http:`, and receivers at private, local or reserved addresses. Without it, a URL that
   * somebody else wrote cannot reach into your network.
   */
  readonly allowPrivateAddresses?: boolean | undefined;
  /** Hears why a delivery failed. The outbox delivers the event again. */
  readonly onFailure?: ((failure: WebhookFailure) => void) | undefined;
  /** The clock of the signature's timestamp. Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** Why the options are invalid. It contains no part of a secret. */
export interface WebhookOptionsError {
  /**
   * `invalidUrl`: not an absolute `https:` URL, or one with a user name, a password or a fragment.
   * `privateAddressNotAllowed`: `http:` or a private address without `allowPrivateAddresses`.
   * `unknownOption`: one that does not exist, a typing error for example; `message` names the nearest one.
   */
  readonly kind:
    | 'invalidUrl'
    | 'privateAddressNotAllowed'
    | 'invalidSecrets'
    | 'invalidTimeout'
    | 'invalidAllowPrivateAddresses'
    | 'unknownOption';
  /** What to do, for a person. */
  readonly message: string;
}

/** The options with all defaults filled in. */
export interface Settings {
  readonly url: URL;
  readonly keys: readonly Buffer[];
  readonly timeoutMs: number;
  readonly allowPrivateAddresses: boolean;
  readonly onFailure: (failure: WebhookFailure) => void;
  readonly clock: Clock;
}

const optionNames: Readonly<Record<keyof WebhookOptions, true>> = {
  url: true,
  secrets: true,
  timeoutMs: true,
  allowPrivateAddresses: true,
  onFailure: true,
  clock: true,
};

const maxUrlLength = 2048;
const maxSecrets = 4;
const secretPattern = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const minKeyBytes = 24;
const maxKeyBytes = 64;
const minTimeoutMs = 100;
const maxTimeoutMs = 50 * secondMs;

export function checkOptions(options: WebhookOptions): Result<Settings, WebhookOptionsError> {
  const unknown = unknownOption(options, optionNames);
  if (unknown !== undefined) return err({ kind: 'unknownOption', message: unknown });
  // Hosts without types may pass any value.
  const { secrets, timeoutMs = 15 * secondMs, allowPrivateAddresses = false } = options ?? {};
  const url = parseUrl(options?.url);
  if (url === undefined) return invalid('invalidUrl');
  const isPrivate = url.protocol === 'http:' || isPrivateAddress(hostOf(url));
  // A text of an environment variable, such as 'false', must not switch the protection off.
  if (typeof allowPrivateAddresses !== 'boolean') return invalid('invalidAllowPrivateAddresses');
  if (isPrivate && !allowPrivateAddresses) return invalid('privateAddressNotAllowed');
  const given: readonly string[] = Array.isArray(secrets) ? secrets : [];
  const keys = given.flatMap((secret) => keyOf(secret) ?? []);
  if (keys.length === 0 || keys.length < given.length || keys.length > maxSecrets) {
    return invalid('invalidSecrets');
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < minTimeoutMs || timeoutMs > maxTimeoutMs) {
    return invalid('invalidTimeout');
  }
  const { onFailure = () => undefined, clock = systemClock } = options;
  return ok({ url, keys, timeoutMs, allowPrivateAddresses, onFailure, clock });
}

const messages = {
  invalidUrl: 'url: give an absolute https URL without a user name, a password or a fragment.',
  privateAddressNotAllowed: 'url: use https and a public address, or set allowPrivateAddresses.',
  invalidSecrets: `secrets: give a list of 1 to ${maxSecrets} texts, each whsec_ and the base64 of ${minKeyBytes} to ${maxKeyBytes} random bytes.`,
  invalidAllowPrivateAddresses: 'allowPrivateAddresses: must be true or false.',
  invalidTimeout: `timeoutMs: give a whole number from ${minTimeoutMs} to ${maxTimeoutMs}.`,
} as const;

function invalid(kind: keyof typeof messages): Result<never, WebhookOptionsError> {
  return err({ kind, message: messages[kind] });
}

function parseUrl(text: string | undefined): URL | undefined {
  const url = typeof text === 'string' && text.length <= maxUrlLength ? URL.parse(text) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return undefined;
  const isPlain = url.username === '' && url.password === '' && url.hash === '';
  return isPlain ? url : undefined;
}

/** A host name, or an address without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function keyOf(secret: string): Buffer | undefined {
  const key = Buffer.from(secretPattern.exec(secret)?.[1] ?? '', 'base64');
  return key.length >= minKeyBytes && key.length <= maxKeyBytes ? key : undefined;
}
