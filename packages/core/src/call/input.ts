import * as v from 'valibot';
import { badRequest, type Fault, fieldFault } from '../domain/problem.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { isLonger, isShowable } from '../domain/text.ts';

/**
 * A value that came over a wire and was not looked at yet. Use cases take it in place of a typed
 * body, and check both alike.
 */
export class Unvalidated {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Where a member of a use case's input stands in a request. */
const places: Readonly<Record<string, string>> = { idempotencyKey: 'header/Idempotency-Key' };

/**
 * Checks a use case's input against its schema. The fault names every place that is wrong (D12),
 * and never repeats what was sent: it might be a secret.
 */
export function parseInput<S extends v.GenericSchema>(
  schema: S,
  input: Readonly<Record<string, unknown>>,
): Result<v.InferOutput<S>, Fault<'badRequest'>> {
  const { body } = input;
  const raw = body instanceof Unvalidated ? { ...input, body: body.value } : input;
  // To valibot an array is an object too; to JSON Schema it is not.
  if (Array.isArray(raw['body']))
    return err(badRequest([fieldFault('', 'The body must be Object.')]));
  const parsed = v.safeParse(schema, raw, { abortPipeEarly: true });
  if (parsed.success) return ok(parsed.output);
  const { issues } = parsed;
  const named = new Set(issues.map((issue) => JSON.stringify(keysOf(issue))));
  const unnamed = unknownMembers(schema, raw).filter((keys) => !named.has(JSON.stringify(keys)));
  return err(badRequest([...issues.map(toFault), ...unnamed.map(unknownFault)]));
}

type Keys = readonly string[];

/** Every member that the schema's closed objects do not have: of each, valibot names the first. */
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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function hasEntries(
  schema: v.GenericSchema,
): schema is v.GenericSchema & { readonly entries: Readonly<Record<string, v.GenericSchema>> } {
  return 'entries' in schema;
}

/** Code points; no pointer of the interface is half as long. */
const maxPointerLength = 128;

function unknownFault(keys: Keys): Fault<'badRequest'> {
  const pointer = pointerTo(keys);
  // A name that the sender made up is repeated only where it can do no harm.
  const isNamed = !isLonger(pointer, maxPointerLength) && isShowable(pointer);
  if (isNamed) return fieldFault(pointer, `${pointer} is not a known property.`);
  const parent = pointerTo(keys.slice(0, -1));
  return fieldFault(parent, `${parent || 'The body'} has an unknown property.`);
}

function toFault(issue: v.BaseIssue<unknown>): Fault<'badRequest'> {
  const keys = keysOf(issue);
  if (issue.type === 'strict_object' && issue.expected === 'never') return unknownFault(keys);
  const pointer = pointerTo(keys);
  return fieldFault(pointer, `${pointer || 'The body'} ${reason(issue)}.`);
}

function keysOf({ path }: v.BaseIssue<unknown>): Keys {
  return (path ?? []).map(({ key }) => String(key));
}

function pointerTo(keys: Keys): string {
  const [place = '', ...rest] = keys;
  return place === 'query' || place === 'path'
    ? keys.join('/')
    : (places[place] ?? jsonPointer(place === 'body' ? rest : keys));
}

function jsonPointer(keys: Keys): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function reason(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation') return issue.message;
  if (issue.input === undefined) return 'is required';
  return `must be ${issue.expected ?? 'another value'}`;
}
