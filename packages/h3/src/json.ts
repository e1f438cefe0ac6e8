import { badRequest, err, type Fault, fault, fieldFault, ok, type Result } from '@chairside/core';

/** Levels of objects and arrays in each other (D33). */
const maxDepth = 32;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Why a body that is encoded gets a 415. */
export const contentEncoding = 'contentEncoding';

const encoded = fault(
  'unsupportedMediaType',
  'Send the body as it is: no Content-Encoding but identity is accepted.',
  { attributes: { reason: contentEncoding } },
);

type Headers = { get(name: string): string | null };

/** Reads a body that must be the JSON text of an object; what is in it is the core's to check. */
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
    // A byte order mark is dropped on the way, as RFC 8259 allows.
    value = JSON.parse(utf8.decode(body));
  } catch {
    return malformed('The body is not JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed('The body must be a JSON object.');
  }
  return isDeeper(value, maxDepth)
    ? malformed(`The body has more than ${maxDepth} levels.`)
    : ok(value);
}

const json = /^application\/json[ \t]*(?:;|$)/i;
const otherCharset = /;[ \t]*charset=(?!"?utf-8"?[ \t]*(?:;|$))/i;

function isJson(contentType: string | null): boolean {
  return contentType !== null && json.test(contentType) && !otherCharset.test(contentType);
}

function isPlain(contentEncoding: string | null): boolean {
  return contentEncoding === null || contentEncoding.toLowerCase() === 'identity';
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

function malformed(detail: string) {
  return err(badRequest([fieldFault('', detail)]));
}
