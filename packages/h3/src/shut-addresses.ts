import { type Clock, type EpochMs, type Problem, parseTimestamp } from '@chairside/core';

/** A sender with more addresses is asked again, and counted again. */
const maxAddresses = 10_000;
const maxLength = 256;
/** Together they take a few megabytes at most. The callers who came first are forgotten. */
const maxAdmitted = 2_000;
const maxAuthorizationLength = 4_096;

/** The addresses whose failed logins are beyond their limit, until its window ends. For these the authenticator is not asked. */
export function createShutAddresses(clock: Clock) {
  const until = new Map<string, EpochMs>();
  const admitted = new Set<string>();
  return {
    /**
     * The address of a request, if it is one of them. A caller who has authenticated here before still
     * gets in: a stranger on the shop's Wi-Fi has the same address and must not stop its payments.
     */
    find(authorization: string | null, addressOf: () => string | undefined): string | undefined {
      const address = until.size === 0 ? undefined : addressOf();
      const endsAt = address === undefined ? undefined : until.get(address);
      if (address === undefined || endsAt === undefined) return undefined;
      if (clock.now() >= endsAt) {
        until.delete(address);
        return undefined;
      }
      return authorization !== null && admitted.has(authorization) ? undefined : address;
    },
    /** Notes the address of a caller who did not authenticate, if the response is that limit's. */
    note(authorization: string | null, address: string, { type, recovery }: Problem): void {
      if (authorization !== null) admitted.delete(authorization);
      const endsAt = parseTimestamp(recovery.rateLimit?.resetsAt ?? '');
      if (type !== 'tooManyRequests' || endsAt === undefined || address.length > maxLength) return;
      if (until.size >= maxAddresses) until.clear();
      until.set(address, endsAt);
    },
    admit(authorization: string | null): void {
      if (authorization === null || admitted.has(authorization)) return;
      if (authorization.length > maxAuthorizationLength) return;
      const [first] = admitted;
      if (first !== undefined && admitted.size >= maxAdmitted) admitted.delete(first);
      admitted.add(authorization);
    },
  };
}
