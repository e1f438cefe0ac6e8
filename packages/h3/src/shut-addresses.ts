import { type Clock, type EpochMs, type Problem, parseTimestamp } from '@chairside/core';

/** The addresses whose failed logins are beyond their limit. For these the authenticator is not asked. */
export interface ShutAddresses {
  /**
   * The address of a request, if it is one of them. A caller who has authenticated here before still
   * gets in: a stranger on the shop's Wi-Fi has the same address and must not stop its payments.
   */
  find(authorization: string | null, addressOf: () => string | undefined): string | undefined;
  /** Notes the address of a caller who did not authenticate, if the response is that limit's. */
  note(authorization: string | null, address: string, problem: Problem): void;
  /** Notes a caller who did. */
  admit(authorization: string | null): void;
}

/** A sender with more addresses is asked again, and counted again. */
const maxAddresses = 10_000;
const maxLength = 256;
/** Together they take a few megabytes at most. The callers who came first are forgotten. */
const maxAdmitted = 2_000;
const maxAuthorizationLength = 4_096;

/** Each until its window ends. */
export function createShutAddresses(clock: Clock): ShutAddresses {
  const until = new Map<string, EpochMs>();
  const admitted = new Set<string>();
  return {
    find(authorization, addressOf) {
      const address = until.size === 0 ? undefined : addressOf();
      const endsAt = address === undefined ? undefined : until.get(address);
      if (address === undefined || endsAt === undefined) return undefined;
      if (clock.now() >= endsAt) {
        until.delete(address);
        return undefined;
      }
      return authorization !== null && admitted.has(authorization) ? undefined : address;
    },
    note(authorization, address, { type, recovery }) {
      if (authorization !== null) admitted.delete(authorization);
      const endsAt = parseTimestamp(recovery.rateLimit?.resetsAt ?? '');
      if (type !== 'tooManyRequests' || endsAt === undefined || address.length > maxLength) return;
      if (until.size >= maxAddresses) until.clear();
      until.set(address, endsAt);
    },
    admit(authorization) {
      if (authorization === null || admitted.has(authorization)) return;
      if (authorization.length > maxAuthorizationLength) return;
      const [first] = admitted;
      if (first !== undefined && admitted.size >= maxAdmitted) admitted.delete(first);
      admitted.add(authorization);
    },
  };
}
