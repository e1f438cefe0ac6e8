import { badRequest, err, type Fault, fault, fieldFault, ok, type Result } from '@chairside/core';

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
  let value: unknown;
  try {
    // Drops a byte order mark, as RFC 8259 allows.
    value = JSON.parse(utf8.decode(body));
  } catch {
    return malformed('The body is not JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed('The body must be a JSON object.');
  }
  return isDeeper(value, maxDepth)
    ? malformed(`The body is nested more than ${maxDepth} levels deep.`)
    : ok(value);
}

const json = /^application\/json[ \t]*(?:;|$)/i;
const otherCharset = /;[ \t]*charset=(?!"?utf-8"?[ \t]*(?:;|$))/i;

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

function malformed(detail: string) {
  return err(badRequest([fieldFault('', detail)]));
}
