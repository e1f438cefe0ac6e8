import { type Clock, type EpochMs, hourMs } from '@chairside/core';
import { failed, invalid, type Reply } from './reply.ts';

/** The time that Stripe keeps a reply under a key. */
export const keyRetentionMs = 24 * hourMs;

interface Kept {
  readonly asked: string;
  readonly at: EpochMs;
  readonly reply: Reply;
}

/** The reply of each key, for replay. */
export interface Keys {
  /** The stored reply, or the rejection of a key that was used for another request. */
  replay(key: string, asked: string): Reply | undefined;
  keep(key: string, asked: string, reply: Reply): void;
}

export function createKeys(clock: Clock): Keys {
  const kept = new Map<string, Kept>();
  return {
    replay(key, asked) {
      const before = kept.get(key);
      if (before === undefined || clock.now() - before.at >= keyRetentionMs) return undefined;
      if (before.asked !== asked) {
        const message = 'Keys for idempotent requests can only be used with the same parameters.';
        return invalid(message, { type: 'idempotency_error' });
      }
      const headers = { ...before.reply.headers, 'idempotent-replayed': 'true' };
      return { ...before.reply, headers };
    },
    keep(key, asked, reply) {
      kept.set(key, { asked, at: clock.now(), reply });
    },
  };
}

export const keyInUse = failed(409, {
  type: 'idempotency_error',
  code: 'idempotency_key_in_use',
  message: 'There is currently another in-progress request using this Idempotent Key.',
});
