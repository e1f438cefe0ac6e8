import * as v from 'valibot';
import { badRequest, type Fault, fieldFault } from './domain/problem.ts';
import { err, ok, type Result } from './domain/result.ts';

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
  return parsed.success ? ok(parsed.output) : err(badRequest(parsed.issues.map(toFault)));
}

function toFault(issue: v.BaseIssue<unknown>): Fault<'badRequest'> {
  const keys = (issue.path ?? []).map((item) => String(item.key));
  const [place = '', ...rest] = keys;
  const pointer =
    place === 'query' || place === 'path'
      ? keys.join('/')
      : (places[place] ?? jsonPointer(place === 'body' ? rest : keys));
  return fieldFault(pointer, `${pointer || 'The body'} ${reason(issue)}.`);
}

function jsonPointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function reason(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation') return issue.message;
  if (issue.expected === 'never') return 'is not a known property';
  if (issue.input === undefined) return 'is required';
  return `must be ${issue.expected ?? 'another value'}`;
}
