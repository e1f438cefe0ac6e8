import { type Clock, type EpochMs, hourMs } from '@chairside/core';
import { invalid, type Reply } from './reply.ts';

/** The time that Stripe keeps a reply under a key. */
export const keyRetentionMs = 24 * hourMs;

/** The reply of each key, for replay. */
export function createKeys(clock: Clock) {
  const kept = new Map<string, { asked: string; at: EpochMs; reply: Reply }>();
  return {
    /** The stored reply, or the rejection of a key that was used for another request. */
    replay(key: string, asked: string): Reply | undefined {
      const before = kept.get(key);
      if (before === undefined || clock.now() - before.at >= keyRetentionMs) return undefined;
      if (before.asked !== asked) {
        const message = 'Keys for idempotent requests can only be used with the same parameters.';
        return invalid(message, { type: 'idempotency_error' });
      }
      const headers = { ...before.reply.headers, 'idempotent-replayed': 'true' };
      return { ...before.reply, headers };
    },
    keep(key: string, asked: string, reply: Reply): void {
      kept.set(key, { asked, at: clock.now(), reply });
    },
  };
}
