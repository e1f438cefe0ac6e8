import { type Clock, type EpochMs, type Problem, parseTimestamp, secondMs } from '@chairside/core';

/** A sender with more addresses is asked again, and counted again. */
const maxAddresses = 10_000;
const maxLength = 256;
/** Together the hashes take a few megabytes at most. The callers who were here longest ago are forgotten. */
const maxSubjects = 2_000;
/** Of one caller, for several devices, and so that no caller with many tokens makes the others forgotten. */
const maxTokens = 16;
/** An unknown token may be a refreshed one. So many are asked about at a shut address at once, and then one a second. */
const unknownAtOnce = 10;
const unknownEveryMs = secondMs;

interface Shut {
  readonly endsAt: EpochMs;
  /** When the next unknown token may be asked about. In the past, more may be asked about at once. */
  nextAt: EpochMs;
}

/**
 * The addresses whose failed logins are beyond their limit, until its window ends. For these the authenticator is asked
 * about few unknown tokens. A token is known by its hash, so that no token stays in memory.
 */
export function createShutAddresses(clock: Clock) {
  const shut = new Map<string, Shut>();
  const admitted = new Set<string>();
  /** The tokens of each caller, and the callers, in the order in which they came. */
  const subjects = new Map<string, Set<string>>();

  function isNext(address: Shut, now: EpochMs): boolean {
    if (address.nextAt > now) return false;
    const earliest = now - (unknownAtOnce - 1) * unknownEveryMs;
    address.nextAt = Math.max(address.nextAt, earliest) + unknownEveryMs;
    return true;
  }

  return {
    /**
     * The address of a request, if it is one of them and the authenticator is not to be asked. A caller who has
     * authenticated here before still gets in: a stranger on the shop's Wi-Fi has the same address and must not
     * stop its payments.
     */
    find(token: string | undefined, addressOf: () => string | undefined): string | undefined {
      const address = shut.size === 0 ? undefined : addressOf();
      const found = address === undefined ? undefined : shut.get(address);
      if (address === undefined || found === undefined) return undefined;
      const now = clock.now();
      if (now >= found.endsAt) {
        shut.delete(address);
        return undefined;
      }
      if (token === undefined) return address;
      return admitted.has(token) || isNext(found, now) ? undefined : address;
    },
    /** Notes the address of a caller who did not authenticate, if the response is that limit's. */
    note(address: string, { type, recovery }: Problem): void {
      const endsAt = parseTimestamp(recovery.rateLimit?.resetsAt ?? '');
      if (type !== 'tooManyRequests' || endsAt === undefined || address.length > maxLength) return;
      const nextAt = shut.get(address)?.nextAt ?? 0;
      if (shut.size >= maxAddresses) shut.clear();
      shut.set(address, { endsAt, nextAt });
    },
    admit(token: string, subject: string): void {
      const own = subjects.get(subject) ?? new Set();
      subjects.delete(subject);
      subjects.set(subject, own.add(token));
      admitted.add(token);
      if (own.size > maxTokens) {
        const [oldest = ''] = own;
        own.delete(oldest);
        admitted.delete(oldest);
      }
      if (subjects.size > maxSubjects) {
        const [[longestAgo, tokens] = ['', own]] = subjects;
        subjects.delete(longestAgo);
        for (const one of tokens) admitted.delete(one);
      }
    },
    /** Forgets a token that the authenticator rejects. Returns whether it was valid before: then it is no guess. */
    forget(token: string | undefined): boolean {
      return token !== undefined && admitted.delete(token);
    },
  };
}
