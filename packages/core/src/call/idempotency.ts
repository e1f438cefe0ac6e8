import { canonicalJson, type JsonValue } from '../domain/json.ts';
import { isOpenedSetup } from '../domain/method-setup.ts';
import { isOpened, keyRetentionMs } from '../domain/payment.ts';
import {
  type Fault,
  fault,
  type Problem,
  type ProblemOf,
  type ProblemType,
} from '../domain/problem.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { sha256Hex } from '../domain/sha256.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { Ports } from '../ports/ports.ts';
import type {
  Change,
  KeyedOperation,
  KeyRecord,
  Read,
  StoreConflict,
  StoreUnavailable,
} from '../ports/store.ts';
import type { Call } from './call.ts';
import { commit } from './commit.ts';

// A key says what was asked, once; what came of it is read from the payment (D21).

/** One use of a client's key: whose it is, and what exactly was asked (D19). */
export interface KeyUse extends Pick<KeyRecord, 'subject' | 'operation' | 'fingerprint'>, SentKey {}

/** A key as it was sent. */
interface SentKey {
  readonly key: string;
  /** The key with its quotes, where it was sent in quotes. */
  readonly quoted?: string;
}

// A string of RFC 9651, as the IETF draft on the header writes a key.
const quotedString = /^"((?:[^"\\]|\\["\\])+)"$/;

/** A quoted string is the key between its quotes (D19). */
function parseKey(text: string): SentKey {
  const trimmed = text.trim();
  const inner = quotedString.exec(trimmed)?.[1];
  return inner === undefined
    ? { key: trimmed }
    : { key: inner.replaceAll(/\\(["\\])/g, '$1'), quoted: trimmed };
}

/** What a key was used for; without a record where there was nothing to do. */
export interface Claim {
  /** The form under which it is stored. */
  readonly key: string;
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
  const fingerprint = sha256Hex(canonicalJson([operation, pathId, body]));
  return { subject: auth.subject, ...parseKey(key), operation, fingerprint };
}

/**
 * What is stored under a key. Earlier versions stored a quoted key with its quotes: for as long as
 * keys are kept, that form is looked up too, so that a retry across the upgrade finds its claim.
 */
export function findKey(
  { store }: Ports,
  { subject, key, quoted }: Pick<KeyUse, 'subject' | 'key' | 'quoted'>,
): Read<KeyRecord | undefined> {
  const found = store.keys.get(subject, key);
  return quoted === undefined
    ? found
    : found.andThen((record) =>
        record === undefined ? store.keys.get(subject, quoted) : ok(record),
      );
}

/** Whether the key began a payment or setup for this very request. */
export function isClaimFor({ fingerprint }: KeyUse, known: KeyRecord | undefined): boolean {
  return known?.fingerprint === fingerprint && known.resourceId !== undefined;
}

/**
 * Reads what is stored under a key: `undefined` for a new one, else what it was used for. Ends in the
 * stored problem where that is the answer, and in 422 for a key that asked for something else.
 * @param storable the types of problem that may be the answer.
 */
export function readKey<T extends ProblemType>(
  call: Call,
  use: KeyUse,
  known: KeyRecord | undefined,
  storable: readonly T[],
): Result<Claim | undefined, Fault<'unprocessableEntity'> | ProblemOf<T>> {
  if (known === undefined) return ok(undefined);
  const { key, fingerprint, problem, resourceId } = known;
  if (fingerprint !== use.fingerprint) return err(otherRequest);
  if (problem === undefined || !isOneOf(problem, storable)) return ok({ key, resourceId });
  call.facts.replayed = true;
  return err(problem);
}

/** Looks a key up, and reads what is stored under it. */
export async function lookUpKey<T extends ProblemType>(
  ports: Ports,
  call: Call,
  use: KeyUse,
  storable: readonly T[],
): Promise<
  Result<Claim | undefined, Fault<'unprocessableEntity'> | ProblemOf<T> | StoreUnavailable>
> {
  const known = await findKey(ports, use);
  return known.andThen((record) => readKey(call, use, record, storable));
}

function isOneOf<T extends ProblemType>(
  problem: Problem,
  types: readonly T[],
): problem is ProblemOf<T> {
  return types.some((type) => type === problem.type);
}

/** One object, so that it can be told from other faults of its type. */
export const otherRequest: Fault<'unprocessableEntity'> = fault(
  'unprocessableEntity',
  'This Idempotency-Key was used for another request.',
  { attributes: { pointer: 'header/Idempotency-Key' } },
);

/** Ties a new key to the record that it is used for. */
export function claimKey(use: KeyUse, resourceId: string): Change {
  return { kind: 'insertKey', record: { ...recordOf(use), resourceId } };
}

/** Remembers a new key that asks for what was done before, and so has no record of its own (D21). */
export function repeatKey(ports: Ports, use: KeyUse): Change {
  const forgetAt = ports.clock.now() + keyRetentionMs;
  return { kind: 'insertKey', record: { ...recordOf(use), forgetAt } };
}

function recordOf({ subject, key, operation, fingerprint }: KeyUse): KeyRecord {
  return { subject, key, operation, fingerprint };
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
      ? { kind: 'insertKey', record: { ...recordOf(use), problem, forgetAt } }
      : { kind: 'finishKey', subject, key, problem };
  const written = await commit(ports, [change]);
  return written.andThen(() => err(problem));
}

/**
 * Whether a request under this key was applied, or may still be: false only where a look-up proves
 * that it was not and will not be, as far as keys are kept (D21).
 */
export async function mayBeApplied(ports: Ports, subject: string, key: string): Promise<boolean> {
  const record = await findKey(ports, { subject, ...parseKey(key) });
  if (record.isErr()) return true;
  if (record.value === undefined) return false;
  const { operation, resourceId, problem } = record.value;
  if (resourceId === undefined) return problem === undefined;
  if (operation === 'preparePaymentMethod') return setupMayBeOpened(ports, resourceId);
  const payment = await ports.store.payments.get(resourceId);
  if (payment.isErr()) return true;
  if (payment.value === undefined) return false;
  const { state } = payment.value;
  const isDone =
    operation === 'captureContactlessPayment' ? state === 'captured' : isOpened(payment.value);
  return isDone || (state !== 'canceled' && problem === undefined);
}

async function setupMayBeOpened(ports: Ports, setupId: string): Promise<boolean> {
  const setup = await ports.store.setups.get(setupId);
  if (setup.isErr()) return true;
  if (setup.value === undefined) return false;
  // Without work and unopened it was closed, and never will be opened.
  return isOpenedSetup(setup.value) || setup.value.work !== undefined;
}
