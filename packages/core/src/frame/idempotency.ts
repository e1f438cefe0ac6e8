import * as v from 'valibot';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { Change, StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  type Fault,
  type Problem,
  type ProblemOf,
  type ProblemType,
  unfit,
} from '../problems/problem.ts';
import { err, ok, type Result } from '../values/result.ts';
import { canonicalJson, type JsonValue, sha256Hex } from '../values/text.ts';
import type { EpochMs } from '../values/time.ts';
import { idempotencyKeySchema } from '../values/wire.ts';
import type { Call } from './access.ts';
import { commit } from './commit.ts';
import { type KeyRecord, keyRetentionMs } from './record.ts';

// A key records only which request was made. Its result is read from the payment (D21).

/** One use of a client's key: its subject and the exact request. */
export type KeyUse = Pick<KeyRecord, 'subject' | 'key' | 'operation' | 'fingerprint'>;

// A string of RFC 9651: the form that the IETF draft requires for the header.
const quotedString = /^"((?:[^"\\]|\\["\\])+)"$/;

/** The key of a quoted string is the text between its quotes. */
function parseKey(text: string): string {
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
  { auth, name: operation }: { readonly auth: AuthContext; readonly name: string },
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
 * the stored problem, if that is the answer, which marks the call as replayed; 422, if the key belongs to another
 * request.
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

/** The same for a record whose response is final with this commit. The key is kept as long as that takes. */
export function claimEndedKey(ports: Ports, use: KeyUse, resourceId: string): Change {
  return { kind: 'insertKey', record: { ...recordOf(use), resourceId, forgetAt: forgetAt(ports) } };
}

/**
 * Stores a new key for a request that another key has already carried out, if the response no
 * longer changes. The key has no record of its own.
 */
export function repeatKey(ports: Ports, use: KeyUse): Change {
  return { kind: 'insertKey', record: { ...recordOf(use), forgetAt: forgetAt(ports) } };
}

function forgetAt({ clock }: Ports): EpochMs {
  return clock.now() + keyRetentionMs;
}

function recordOf({ subject, key, operation, fingerprint }: KeyUse): KeyRecord {
  return { subject, key, operation, fingerprint };
}

/**
 * Stores a problem as the final answer of a key, and returns it as the error (D21).
 * @param isClaimed whether the key has its record already.
 */
export async function storeProblem<T extends ProblemType>(
  ports: Ports,
  use: KeyUse,
  problem: Problem<T>,
  isClaimed = false,
): Promise<Result<never, Problem<T> | StoreConflict | StoreUnavailable>> {
  const { subject, key } = use;
  const change: Change = isClaimed
    ? { kind: 'finishKey', subject, key, problem }
    : { kind: 'insertKey', record: { ...recordOf(use), problem, forgetAt: forgetAt(ports) } };
  const written = await commit(ports, [change]);
  return written.andThen(() => err(problem));
}

/** The record that a key claimed, and the problem that was stored as its final response. */
export interface ClaimedRecord extends Pick<KeyRecord, 'problem'> {
  readonly resourceId: string;
}

/**
 * Whether the request that claimed this record was applied or still may be. False only if a look-up proves
 * that it never was and never will be, for as long as keys are kept (D21).
 */
export type MayBeApplied = (ports: Ports, claimed: ClaimedRecord) => Promise<boolean>;

/** How each operation with a key judges the records that its keys claim, by its name. */
export type KeyedOperations = ReadonlyMap<string, MayBeApplied>;

/** The same for a request under this key, of any operation. */
export async function mayBeApplied(
  ports: Ports,
  keyed: KeyedOperations,
  subject: string,
  key: string,
): Promise<boolean> {
  // A key that is refused has no record. It may hold what PostgreSQL cannot read (D12).
  if (!v.is(idempotencyKeySchema, key)) return false;
  const record = await ports.store.keys.get(subject, parseKey(key));
  if (record.isErr()) return true;
  if (record.value === undefined) return false;
  const { operation, resourceId, problem } = record.value;
  if (resourceId === undefined) return problem === undefined;
  // An operation that this version does not have may have been applied.
  const judge = keyed.get(operation) ?? (async () => true);
  return judge(ports, { resourceId, ...(problem !== undefined && { problem }) });
}
