import * as v from 'valibot';
import { badRequest, type Fault, fieldFault } from '../problems/problem.ts';
import { err, ok, type Result } from '../values/result.ts';
import { isLonger, isShowable } from '../values/text.ts';

/**
 * A value from the wire that has not been validated. Use cases accept it in place of a typed body,
 * and validate both alike.
 */
export class Unvalidated {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** The key is an input member in process, and a header in HTTP. The pointer is the interface's. */
const idempotencyKey = {
  member: 'idempotencyKey',
  pointer: 'header/Idempotency-Key',
  name: 'The idempotency key',
  missing: 'is required: a new one for each new request, the same one for its retries',
} as const;

/**
 * Validates a use case's input against its schema. The fault names every invalid place (D12). It
 * never repeats the value, which might be a secret.
 */
export function parseInput<S extends v.GenericSchema>(
  schema: S,
  input: Readonly<Record<string, unknown>>,
): Result<v.InferOutput<S>, Fault<'badRequest'>> {
  const { body } = input;
  const raw = body instanceof Unvalidated ? { ...input, body: body.value } : input;
  // valibot accepts an array as an object; JSON Schema does not.
  if (Array.isArray(raw['body']))
    return err(badRequest([fieldFault('', 'The body must be an object.')]));
  const parsed = v.safeParse(schema, raw, { abortPipeEarly: true });
  if (parsed.success) return ok(parsed.output);
  const sent = withoutArrays(schema, raw);
  const { issues = parsed.issues } = v.safeParse(schema, sent, { abortPipeEarly: true });
  const named = new Set(issues.map((issue) => JSON.stringify(keysOf(issue))));
  const unnamed = unknownMembers(schema, sent).filter((keys) => !named.has(JSON.stringify(keys)));
  return err(badRequest([...issues.map(toFault), ...unnamed.map(unknownFault)]));
}

type Keys = readonly string[];

/**
 * Every unknown member of the schema's closed objects. valibot itself names only the first of each.
 */
function unknownMembers(schema: v.GenericSchema, value: unknown): Keys[] {
  if (!isObject(value) || !hasEntries(schema)) return [];
  const { entries } = schema;
  const own =
    schema.type === 'strict_object'
      ? Object.keys(value).filter((key) => !Object.hasOwn(entries, key))
      : [];
  const inner = Object.entries(entries).flatMap(([key, member]) =>
    unknownMembers(member, value[key]).map((keys) => [key, ...keys]),
  );
  return [...inner, ...own.map((key) => [key])];
}

/**
 * The value with `null` for every array that should be an object. valibot names the members that
 * the array lacks, and JSON Schema the array itself.
 */
function withoutArrays(schema: v.GenericSchema, value: unknown): unknown {
  if (!hasEntries(schema) || !isObject(value)) return value;
  if (Array.isArray(value)) return null;
  const members = Object.entries(value).map(([key, member]) => {
    const known = Object.hasOwn(schema.entries, key) ? schema.entries[key] : undefined;
    return [key, known === undefined ? member : withoutArrays(known, member)];
  });
  return Object.fromEntries(members);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function hasEntries(
  schema: v.GenericSchema,
): schema is v.GenericSchema & { readonly entries: Readonly<Record<string, v.GenericSchema>> } {
  return 'entries' in schema;
}

/** In code points. The interface's own pointers are less than half as long. */
const maxPointerLength = 128;

function unknownFault(keys: Keys): Fault<'badRequest'> {
  const pointer = pointerTo(keys);
  // The sender may have invented the name, so only short, printable names are repeated.
  const isNamed = !isLonger(pointer, maxPointerLength) && isShowable(pointer);
  if (isNamed) return fieldFault(pointer, `${pointer} is not a known property.`);
  const parent = pointerTo(keys.slice(0, -1));
  return fieldFault(parent, `${parent || 'The body'} has an unknown property.`);
}

function toFault(issue: v.BaseIssue<unknown>): Fault<'badRequest'> {
  const keys = keysOf(issue);
  if (issue.expected === 'never') return unknownFault(keys);
  const pointer = pointerTo(keys);
  if (pointer !== idempotencyKey.pointer)
    return fieldFault(pointer, `${pointer || 'The body'} ${reason(issue)}.`);
  const why = issue.input === undefined ? idempotencyKey.missing : reason(issue);
  return fieldFault(pointer, `${idempotencyKey.name} ${why}.`);
}

function keysOf({ path }: v.BaseIssue<unknown>): Keys {
  return (path ?? []).map(({ key }) => String(key));
}

function pointerTo(keys: Keys): string {
  const [place = '', ...rest] = keys;
  if (place === idempotencyKey.member) return idempotencyKey.pointer;
  return place === 'query' || place === 'path'
    ? keys.join('/')
    : jsonPointer(place === 'body' ? rest : keys);
}

function jsonPointer(keys: Keys): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function reason(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation') return issue.message;
  if (issue.input === undefined) return 'is required';
  return `must be ${inWords(issue.expected ?? 'another value')}`;
}

/** The types as valibot names them. */
const types: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  bigint: 'a bigint',
};

/** A type, or a list of values, which valibot writes as `("a" | "b")`. */
function inWords(expected: string): string {
  return types[expected] ?? expected.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ');
}

const usual = 100;
const most = 1000;

/**
 * How many items a call of the host lists or processes: its limit, as a whole number from 1 to 1,000.
 * Missing or NaN counts as 100, because a wrong limit must not stop upkeep.
 */
export function toLimit(asked: number | undefined): number {
  const whole = Math.trunc(asked ?? usual);
  return Number.isNaN(whole) ? usual : Math.min(most, Math.max(1, whole));
}

/** The longest timer delay. Longer delays fire at once. */
const longestTimeoutMs = 2 ** 31 - 1;

/** A host's timeout as a valid timer delay. Values that are not above zero give the default. */
export function toTimeoutMs(asked: number | undefined, usualMs: number): number {
  return typeof asked === 'number' && asked > 0 ? Math.min(asked, longestTimeoutMs) : usualMs;
}
