import { canonicalJson, type JsonValue } from '../domain/json.ts';
import type { KeyedOperation, KeyRecord } from '../domain/key-record.ts';
import { keyRetentionMs } from '../domain/payment.ts';
import type { Fault, Problem, ProblemOf, ProblemType } from '../domain/problem.ts';
import { unfit } from '../domain/refusals.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { sha256Hex } from '../domain/sha256.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { Change } from '../ports/change.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import type { Call } from './call.ts';
import { commit } from './commit.ts';

// A key records only which request was made. Its result is read from the payment (D21).

/** One use of a client's key: its subject and the exact request (D19). */
export type KeyUse = Pick<KeyRecord, 'subject' | 'key' | 'operation' | 'fingerprint'>;

// A string of RFC 9651: the form that the IETF draft requires for the header.
const quotedString = /^"((?:[^"\\]|\\["\\])+)"$/;

/** The key of a quoted string is the text between its quotes (D19). */
export function parseKey(text: string): string {
  const trimmed = text.trim();
  const inner = quotedString.exec(trimmed)?.[1];
  return inner === undefined ? trimmed : inner.replaceAll(/\\(["\\])/g, '$1');
}

/** The record that a key created. Without a record, the request had no effect to record. */
export interface Claim {
  readonly resourceId: string | undefined;
}

/** The scope is the subject. The fingerprint covers the operation, the path ids and the body. */
export function keyUse(
  auth: AuthContext,
  operation: KeyedOperation,
  key: string,
  pathId: string,
  valid: object,
): KeyUse {
  const body = valid as JsonValue; // cast: a validated body is JSON
  const fingerprint = sha256Hex(canonicalJson([operation, pathId, body]));
  return { subject: auth.subject, key: parseKey(key), operation, fingerprint };
}

/** Whether the key claimed a payment or setup for this same request. */
export function isClaimFor(
  { fingerprint }: KeyUse,
  known: KeyRecord | undefined,
): known is KeyRecord & { readonly resourceId: string } {
  return known?.fingerprint === fingerprint && known.resourceId !== undefined;
}

/**
 * Decides what the record of a key means for this request: its claim, or `undefined` for a new key;
 * the stored problem, if that is the answer; 422, if the key belongs to another request.
 * @param storable the problem types that may be the answer.
 */
export function judgeKey<T extends ProblemType>(
  call: Call,
  use: KeyUse,
  known: KeyRecord | undefined,
  storable: readonly T[],
): Result<Claim | undefined, Fault<'unprocessableEntity'> | ProblemOf<T>> {
  if (known === undefined) return ok(undefined);
  const { fingerprint, problem, resourceId } = known;
  if (fingerprint !== use.fingerprint) return err(otherRequest);
  if (problem === undefined || !isOneOf(problem, storable)) return ok({ resourceId });
  call.facts.replayed = true;
  return err(problem);
}

export async function lookUpKey<T extends ProblemType>(
  ports: Ports,
  call: Call,
  use: KeyUse,
  storable: readonly T[],
): Promise<
  Result<Claim | undefined, Fault<'unprocessableEntity'> | ProblemOf<T> | StoreUnavailable>
> {
  const known = await ports.store.keys.get(use.subject, use.key);
  return known.andThen((record) => judgeKey(call, use, record, storable));
}

function isOneOf<T extends ProblemType>(
  problem: Problem,
  types: readonly T[],
): problem is ProblemOf<T> {
  return types.some((type) => type === problem.type);
}

/** A single object, so that {@link truthful} recognises it among other faults of its type. */
export const otherRequest: Fault<'unprocessableEntity'> = unfit(
  'header/Idempotency-Key',
  'This idempotency key was used for another request. Use a new key for a new request.',
);

/** Ties a new key to the record that it creates. */
export function claimKey(use: KeyUse, resourceId: string): Change {
  return { kind: 'insertKey', record: { ...recordOf(use), resourceId } };
}

/**
 * Stores a new key for a request that another key has already carried out, if the response no
 * longer changes (D21). The key has no record of its own.
 */
export function repeatKey(ports: Ports, use: KeyUse): Change {
  const forgetAt = ports.clock.now() + keyRetentionMs;
  return { kind: 'insertKey', record: { ...recordOf(use), forgetAt } };
}

function recordOf({ subject, key, operation, fingerprint }: KeyUse): KeyRecord {
  return { subject, key, operation, fingerprint };
}

/**
 * Stores a problem as the final answer of a key, and returns it as the error (D21).
 * @param paymentId the payment of the key's claim, if one exists.
 */
export async function storeProblem<T extends ProblemType>(
  ports: Ports,
  use: KeyUse,
  problem: Problem<T>,
  paymentId?: string,
): Promise<Result<never, Problem<T> | StoreConflict | StoreUnavailable>> {
  const { subject, key } = use;
  const forgetAt = ports.clock.now() + keyRetentionMs;
  const change: Change =
    paymentId === undefined
      ? { kind: 'insertKey', record: { ...recordOf(use), problem, forgetAt } }
      : { kind: 'finishKey', subject, key, problem };
  const written = await commit(ports, [change]);
  return written.andThen(() => err(problem));
}
