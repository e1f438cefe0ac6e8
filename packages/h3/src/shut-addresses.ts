import { type Clock, type EpochMs, type Problem, parseTimestamp } from '@chairside/core';

/** The addresses whose failed logins are beyond their limit. For these the authenticator is not asked. */
export interface ShutAddresses {
  /** The address of a request, if it is one of them. */
  find(addressOf: () => string | undefined): string | undefined;
  /** Notes the address of a caller who did not authenticate, if the response is that limit's. */
  note(address: string, problem: Problem): void;
}

/** A sender with more addresses is asked again, and counted again. */
const maxAddresses = 10_000;
const maxLength = 256;

/** Each until its window ends. */
export function createShutAddresses(clock: Clock): ShutAddresses {
  const until = new Map<string, EpochMs>();
  return {
    find(addressOf) {
      const address = until.size === 0 ? undefined : addressOf();
      const endsAt = address === undefined ? undefined : until.get(address);
      if (address === undefined || endsAt === undefined) return undefined;
      if (clock.now() < endsAt) return address;
      until.delete(address);
      return undefined;
    },
    note(address, { type, recovery }) {
      const endsAt = parseTimestamp(recovery.rateLimit?.resetsAt ?? '');
      if (type !== 'tooManyRequests' || endsAt === undefined || address.length > maxLength) return;
      if (until.size >= maxAddresses) until.clear();
      until.set(address, endsAt);
    },
  };
}
