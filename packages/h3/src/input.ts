import { err, ok, type Result, Unvalidated } from '@chairside/core';
import { badRequest, type Fault, fieldFault, withUnknownOutcome } from '@chairside/core/ports';
import type { H3Event } from 'h3';
import { parseJsonObject } from './json.ts';
import type { Route } from './route.ts';

/** The input of an operation, as its row describes it. The core validates it. */
export interface Input {
  body?: Unvalidated;
  query?: Readonly<Record<string, string>>;
  idempotencyKey?: string;
  /** Ids from the path, by their names in the row. */
  [pathId: string]: unknown;
}

/** Builds an operation's input from the request's path, query, headers and body. */
export function readInput(
  route: Route,
  event: H3Event,
  body: Uint8Array,
): Result<Input, Fault<'badRequest'> | Fault<'unsupportedMediaType'>> {
  const input: Input = {};
  if (route.body !== undefined && body.length > 0) {
    const parsed = parseJsonObject(body, event.req.headers);
    if (parsed.isErr()) return err(parsed.error);
    input.body = new Unvalidated(parsed.value);
  }
  const faults: Fault<'badRequest'>[] = [];
  if (route.body === undefined && body.length > 0) {
    faults.push(fieldFault('', 'The operation accepts no body.'));
  }
  readPath(route, event, input, faults);
  if (route.query !== undefined) input.query = readQuery(event, Object.keys(route.query), faults);
  if (route.idempotencyKey !== undefined) readKey(event, input, faults);
  return faults.length === 0 ? ok(input) : err(badRequest(faults));
}

/** Rejects an id that cannot be decoded as malformed (D12). D1 decides whether an id is valid. */
function readPath(
  { pathId = 'id' }: Route,
  { context }: H3Event,
  input: Input,
  faults: Fault<'badRequest'>[],
): void {
  for (const [name, encoded] of Object.entries(context.params ?? {})) {
    const decoded = decode(encoded);
    if (decoded === undefined) faults.push(notUtf8(`path/${name}`));
    else input[name === 'id' ? pathId : name] = decoded;
  }
}

function readQuery({ url }: H3Event, names: readonly string[], faults: Fault<'badRequest'>[]) {
  const query: Record<string, string> = {};
  for (const pair of url.search.slice(1).split('&')) {
    const [encodedName = '', ...rest] = pair.split('=');
    const name = decodeQuery(encodedName);
    if (name === undefined || !names.includes(name)) continue;
    const pointer = `query/${name}`;
    const value = decodeQuery(rest.join('='));
    if (value === undefined) faults.push(notUtf8(pointer));
    else if (Object.hasOwn(query, name)) {
      faults.push(fieldFault(pointer, `${pointer} appears more than once.`));
    } else query[name] = value;
  }
  return query;
}

/** A plus means a space, except at the start: clients send `+49…` unencoded. */
function decodeQuery(encoded: string): string | undefined {
  return decode(encoded.replace(/^\+/, '%2B').replaceAll('+', '%20'));
}

function decode(encoded: string): string | undefined {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function notUtf8(pointer: string): Fault<'badRequest'> {
  return fieldFault(pointer, `${pointer} is not percent-encoded UTF-8.`);
}

export const keyHeader = 'idempotency-key';

function readKey(event: H3Event, input: Input, faults: Fault<'badRequest'>[]): void {
  if (isKeyRepeated(event)) {
    faults.push(
      fieldFault('header/Idempotency-Key', 'There is more than one Idempotency-Key header.'),
    );
  }
  const key = readIdempotencyKey(event);
  if (key !== undefined) input.idempotencyKey = key;
}

export function readIdempotencyKey({ req }: H3Event): string | undefined {
  return req.headers.get(keyHeader) ?? undefined;
}

/**
 * Two headers arrive joined by a comma, which a key may contain. Only Node keeps them apart.
 * Elsewhere the joined value is one key, which is safe: a repeated request has the same joined
 * value.
 */
export function isKeyRepeated({ req }: H3Event): boolean {
  const node = req.runtime?.node?.req;
  if (node === undefined || req.headers.get(keyHeader)?.includes(',') !== true) return false;
  return countHeader(node.rawHeaders, keyHeader) > 1;
}

/** Counts a header; `name` in lower case. Node's other forms of headers join or drop repeated ones. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}

/**
 * A fault that is found before the key is looked up. A request under a key may have been applied, so
 * `notApplied` is never claimed (D22). An unknown path stays `notApplied`.
 */
export function beforeLookUp(fault: Fault, isKeyed: boolean): Fault {
  return isKeyed && fault.type !== 'notFound' ? withUnknownOutcome(fault) : fault;
}
