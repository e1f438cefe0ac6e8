import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Call } from './call.ts';
import { commit } from './commit.ts';
import { canonicalJson, type JsonValue } from './domain/json.ts';
import { isOpenedSetup } from './domain/method-setup.ts';
import { isOpened, keyRetentionMs, type Payment, type Work } from './domain/payment.ts';
import {
  type Fault,
  fault,
  type Problem,
  type ProblemOf,
  type ProblemType,
  unknownRetryLater,
} from './domain/problem.ts';
import { err, ok, type Result } from './domain/result.ts';
import { type EpochMs, secondMs } from './domain/time.ts';
import type { AuthContext } from './ports/auth-context.ts';
import type { Ports } from './ports/ports.ts';
import type {
  Change,
  KeyedOperation,
  KeyRecord,
  StoreConflict,
  StoreUnavailable,
} from './ports/store.ts';

// Keys. A key says what was asked, once; what came of it is read from the payment (D21).

/** One use of a client's key: whose it is, and what exactly was asked (D19). */
export type KeyUse = Pick<KeyRecord, 'subject' | 'key' | 'operation' | 'fingerprint'>;

/** What a key was used for; without a record where the request alone was at fault. */
export interface Claim {
  readonly resourceId: string | undefined;
}

/** The scope is the subject, and the fingerprint covers all that makes the request what it is. */
export function keyUse(
  auth: AuthContext,
  operation: KeyedOperation,
  key: string,
  pathId: string,
  body: JsonValue,
): KeyUse {
  const asked = canonicalJson([operation, pathId, body]);
  const fingerprint = bytesToHex(sha256(utf8ToBytes(asked)));
  return { subject: auth.subject, key: key.trim(), operation, fingerprint };
}

/**
 * Looks a key up: `undefined` for a new one, else what it was used for. Ends in the stored problem
 * where that is the answer, and in 422 for a key that asked for something else.
 * @param storable the types of problem that may be the answer.
 */
export async function lookUpKey<T extends ProblemType>(
  ports: Ports,
  call: Call,
  use: KeyUse,
  storable: readonly T[],
): Promise<
  Result<Claim | undefined, Fault<'unprocessableEntity'> | ProblemOf<T> | StoreUnavailable>
> {
  const found = await ports.store.keys.get(use.subject, use.key);
  if (found.isErr()) return err(found.error);
  if (found.value === undefined) return ok(undefined);
  const { fingerprint, problem, resourceId } = found.value;
  if (fingerprint !== use.fingerprint) return err(otherRequest());
  if (problem === undefined) return ok({ resourceId });
  call.facts.replayed = true;
  return isOneOf(problem, storable) ? err(problem) : ok({ resourceId });
}

function isOneOf<T extends ProblemType>(
  problem: Problem,
  types: readonly T[],
): problem is ProblemOf<T> {
  return types.some((type) => type === problem.type);
}

function otherRequest(): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', 'This Idempotency-Key was used for another request.', {
    attributes: { pointer: 'header/Idempotency-Key' },
  });
}

/** Ties a new key to the record that it is used for. */
export function claimKey(use: KeyUse, resourceId: string): Change {
  return { kind: 'insertKey', record: { ...use, resourceId } };
}

/**
 * Makes a problem the final answer of a key (D21) and ends in it.
 * @param paymentId of the key's claim, where it has one already.
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
      ? { kind: 'insertKey', record: { ...use, problem, forgetAt } }
      : { kind: 'finishKey', subject, key, problem };
  const written = await commit(ports, [change]);
  return written.andThen(() => err(problem));
}

/**
 * What is known of what was asked under a key: `none` of it was done or will be, it is
 * `unfinished`, or it is `done`. Where that cannot be told it may be unfinished.
 */
export async function claimOf(
  ports: Ports,
  subject: string,
  key: string,
): Promise<'none' | 'unfinished' | 'done'> {
  const record = await ports.store.keys.get(subject, key.trim());
  if (record.isErr()) return 'unfinished';
  if (record.value?.resourceId === undefined || record.value.problem !== undefined) return 'none';
  if (record.value.operation === 'preparePaymentMethod') {
    return setupClaim(ports, record.value.resourceId);
  }
  const payment = await ports.store.payments.get(record.value.resourceId);
  if (payment.isErr()) return 'unfinished';
  if (payment.value === undefined) return 'none';
  const { state } = payment.value;
  const isDone =
    record.value.operation === 'captureContactlessPayment'
      ? state === 'captured'
      : isOpened(payment.value);
  if (isDone) return 'done';
  return state === 'canceled' ? 'none' : 'unfinished';
}

async function setupClaim(ports: Ports, setupId: string): Promise<'none' | 'unfinished' | 'done'> {
  const setup = await ports.store.setups.get(setupId);
  if (setup.isErr()) return 'unfinished';
  if (setup.value === undefined) return 'none';
  if (isOpenedSetup(setup.value)) return 'done';
  // Without work it was closed: it was not opened, and never will be.
  return setup.value.work === undefined ? 'none' : 'unfinished';
}

// Leases. Whoever works on a payment holds it for a while; its fence tells it from any other.

/** The work of a payment that this call now holds. */
export function lease(ports: Ports, work: Pick<Work, 'kind' | 'cause' | 'fence'>): Work {
  return { ...work, attempt: 1, leaseUntil: leaseEnd(ports) };
}

/** The same work, taken over from a holder that died or gave up. */
function takeOver(ports: Ports, work: Work): Work {
  return { ...work, fence: work.fence + 1, leaseUntil: leaseEnd(ports) };
}

/** The same work, free for the next one at once. */
export function giveUp(work: Work, now: EpochMs): Work {
  return { ...work, leaseUntil: now };
}

/** Nobody may be working on the payment right now: else 409 running (D19). */
export function notHeld(ports: Ports, { work }: Payment): Result<void, Fault<'conflict'>> {
  return work !== undefined && isHeld(ports, work) ? err(running()) : ok();
}

/** One that ends much later than any lease was taken by a clock that was wrong. */
function isHeld(ports: Ports, { leaseUntil }: Work): boolean {
  const now = ports.clock.now();
  return leaseUntil > now && leaseUntil - now < 2 * leaseMs(ports);
}

/** Whether the payment is still worked on by the holder who saw `mine`. */
export function isSameHolder(payment: Payment, mine: Work): boolean {
  return payment.work?.fence === mine.fence;
}

/** The most processor calls that one holder makes, and time for its commits (D20). */
const callsPerLease = 4;
const commitsMs = 5 * secondMs;

function leaseMs({ processor }: Ports): number {
  return callsPerLease * processor.deadlineMs + commitsMs;
}

function leaseEnd(ports: Ports): EpochMs {
  return ports.clock.now() + leaseMs(ports);
}

/** Someone else works on it right now (D19). */
export function running(): Fault<'conflict'> {
  return fault('conflict', 'This is being worked on; send the same request again in a moment.', {
    recovery: unknownRetryLater,
    attributes: { reason: 'running' },
  });
}

/** Takes the payment's work over, unless its holder is alive: then 409 running (D19). */
export function takeOverFrom(ports: Ports, work: Work): Result<Work, Fault<'conflict'>> {
  return isHeld(ports, work) ? err(running()) : ok(takeOver(ports, work));
}
