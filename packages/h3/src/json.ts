import { err, ok, type Result } from '@chairside/core';
import { badRequest, type Fault, fault, fieldFault } from '@chairside/core/ports';

/** The maximum nesting of objects and arrays (D33). */
const maxDepth = 32;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The reason of a 415 for an encoded body. */
export const contentEncoding = 'contentEncoding';

const encoded = fault(
  'unsupportedMediaType',
  'Send the body without Content-Encoding, or with identity.',
  { attributes: { reason: contentEncoding } },
);

type Headers = { get(name: string): string | null };

/** Parses a body that must be the JSON text of an object. The core validates its content. */
export function parseJsonObject(
  body: Uint8Array,
  headers: Headers,
): Result<object, Fault<'badRequest'> | Fault<'unsupportedMediaType'>> {
  if (!isJson(headers.get('content-type'))) {
    return err(fault('unsupportedMediaType', 'Send the body as Content-Type: application/json.'));
  }
  if (!isPlain(headers.get('content-encoding'))) return err(encoded);
  let text: string;
  let value: unknown;
  try {
    // Drops a byte order mark, as RFC 8259 allows.
    text = utf8.decode(body);
    value = JSON.parse(text);
  } catch {
    return malformed('The body is not JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed('The body must be a JSON object.');
  }
  if (isDeeper(value, maxDepth)) {
    return malformed(`The body is nested more than ${maxDepth} levels deep.`);
  }
  // Another parser may take the first of two members, and approve what this one never saw.
  return membersIn(value) === namesIn(text) ? ok(value) : malformed('The body has a member twice.');
}

const json = /^application\/json[ \t]*(?:;|$)/i;
const otherCharset = /;[ \t]*charset=(?!"?utf-?8"?[ \t]*(?:;|$))/i;

function isJson(contentType: string | null): boolean {
  return contentType !== null && json.test(contentType) && !otherCharset.test(contentType);
}

function isPlain(coding: string | null): boolean {
  return coding === null || coding.toLowerCase() === 'identity';
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** The members of an object and of all objects in it. */
function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value);
  const own = Array.isArray(value) ? 0 : inside.length;
  return inside.reduce((count: number, member) => count + membersIn(member), own);
}

/** Every string of a valid JSON text, with the colon behind it if it is a member's name. */
const stringOrName = /"(?:[^"\\]|\\.)*"[ \t\r\n]*(:)?/g;

function namesIn(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(stringOrName)) count += colon === undefined ? 0 : 1;
  return count;
}

function malformed(detail: string) {
  return err(badRequest([fieldFault('', detail)]));
}
